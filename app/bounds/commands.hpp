#pragma once

#include <memory>
#include <string>

#include "engine/algorithms/bounds/bounds.hpp"
#include "engine/algorithms/bounds/bounds_algorithm.hpp"
#include "engine/algorithms/bounds/smoother.hpp"
#include "engine/command/legacy_options.hpp"

/// The tasks of `bounds` on the command line, one source file each.
namespace glycine::bounds {

CommandAction addRunTask(CLI::App& command);
CommandAction addGenerateTask(CLI::App& command);

/// The descriptor, for the commands that go.
inline const Algorithm& registeredAlgorithm() {
    return algorithm();
}

}  // namespace glycine::bounds
