#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/default_backend.hpp"
#include "engine/core/algorithm.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

/// For commands that still declare their options to the parser itself; goes with the last of them.
namespace glycine {

/// A command that is declared to the parser.
std::function<CommandAction(Options&)> declaredToParser(CommandAction (*declare)(CLI::App&));

void addBackendOptions(CLI::App& command, BackendOptions& options);
void addBackendChoice(CLI::App& command, std::string& backend, std::string& variant);
void addSeedOption(CLI::App& command, std::uint64_t& seed, std::string_view what);
void checkBackendOptions(const CLI::App& command, const std::vector<std::string>& backends);
void checkBackendUse(const CLI::App& command, const Algorithm& algorithm, const std::string& backend,
                     std::string_view variant);
BackendChoice selectBackend(const CLI::App& command, const std::string& name, const BackendOptions& options,
                            const std::function<Support(Backend&)>& canRun);

}  // namespace glycine
