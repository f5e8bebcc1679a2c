#pragma once

#include "engine/algorithms/distance/distance.hpp"
#include "engine/algorithms/distance/distance_algorithm.hpp"
#include "engine/command/legacy_options.hpp"

/// The tasks of `distance` on the command line, one source file each.
namespace glycine::distance {

CommandAction addRunTask(CLI::App& command);
CommandAction addGenerateTask(CLI::App& command);

/// The descriptor, for the commands that go.
inline const Algorithm& registeredAlgorithm() {
    return algorithm();
}

}  // namespace glycine::distance
