#include "engine/command/legacy_options.hpp"

#include "engine/command/backend_options.hpp"
#include "engine/command/parser.hpp"

namespace glycine {

namespace {

/// Questions about what was given do not change the parser.
Options viewOf(const CLI::App& command) {
    return optionsOf(const_cast<CLI::App&>(command));
}

}  // namespace

std::function<CommandAction(Options&)> declaredToParser(CommandAction (*declare)(CLI::App&)) {
    return [declare](Options& options) { return declare(parserOf(options)); };
}

void addBackendOptions(CLI::App& command, BackendOptions& options) {
    Options declared = optionsOf(command);
    addBackendOptions(declared, options);
}

void addBackendChoice(CLI::App& command, std::string& backend, std::string& variant) {
    Options declared = optionsOf(command);
    addBackendChoice(declared, backend, variant);
}

void addSeedOption(CLI::App& command, std::uint64_t& seed, std::string_view what) {
    Options declared = optionsOf(command);
    addSeedOption(declared, seed, what);
}

void checkBackendOptions(const CLI::App& command, const std::vector<std::string>& backends) {
    checkBackendOptions(viewOf(command), backends);
}

void checkBackendUse(const CLI::App& command, const Algorithm& algorithm, const std::string& backend,
                     std::string_view variant) {
    checkBackendUse(viewOf(command), algorithm, backend, variant);
}

BackendChoice selectBackend(const CLI::App& command, const std::string& name, const BackendOptions& options,
                            const std::function<Support(Backend&)>& canRun) {
    return selectBackend(viewOf(command), name, options, canRun);
}

}  // namespace glycine
