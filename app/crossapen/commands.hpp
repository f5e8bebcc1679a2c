#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::crossapen {

/// Each adds the options of one task to `command` and returns what runs after parsing.
Algorithm::Action addRunTask(CLI::App& command);
Algorithm::Action addGenerateTask(CLI::App& command);
Algorithm::Action addValidateTask(CLI::App& command);
Algorithm::Action addBenchTask(CLI::App& command);
Algorithm::Action addReproduceTask(CLI::App& command);

/// The algorithm as the registry holds it.
const Algorithm& registeredAlgorithm();

}  // namespace glycine::crossapen
