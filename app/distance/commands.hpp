#pragma once

#include "engine/algorithms/distance/distance.hpp"
#include "engine/core/algorithm.hpp"

/// The tasks of `distance` on the command line, one source file each.
namespace glycine::distance {

Algorithm::Action addRunTask(CLI::App& command);
Algorithm::Action addGenerateTask(CLI::App& command);
Algorithm::Action addValidateTask(CLI::App& command);
Algorithm::Action addBenchTask(CLI::App& command);
Algorithm::Action addReproduceTask(CLI::App& command);

/// `distance` as it is registered.
const Algorithm& registeredAlgorithm();

}  // namespace glycine::distance
