#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/core/backend.hpp"

/// Options about devices and backends that many commands take.
namespace glycine {

/// Declares the options that choose and restrict devices (--device, --threads, --simd, --dialect, --context,
/// --visible,
/// --max-texture, --max-memory, --pass-budget, --shaders).
void addBackendOptions(Options& options, BackendOptions& target);

/// The backend that a command shall run on.
struct BackendRequest {
    std::string backend;              ///< empty: the rule chooses (default_backend.hpp)
    std::string variant = "default";  ///< a name, or "default": the backend's own choice
    BackendOptions device;
};

/// Declares --backend and --variant in the group "Computation". The options of its devices are declared
/// apart, where the help shall list them.
void addBackendChoice(Options& options, BackendRequest& target);

/// Throws UsageError when the user gave an option of addBackendOptions that none of `backends` reads, or
/// --device without naming exactly one backend (an index counts the devices of one backend).
void checkBackendOptions(const Options& options, const std::vector<std::string>& backends);

/// Declares --seed; `what` is generated: "bounds".
void addSeedOption(Options& options, std::uint64_t& seed, std::string_view what);

}  // namespace glycine
