#pragma once

#include "engine/algorithms/crossapen/crossapen_algorithm.hpp"
#include "engine/command/legacy_options.hpp"

namespace glycine::crossapen {

/// Each adds the options of one task to `command` and returns what runs after parsing.
CommandAction addRunTask(CLI::App& command);
CommandAction addGenerateTask(CLI::App& command);

/// The descriptor, for the commands that go.
inline const Algorithm& registeredAlgorithm() {
    return algorithm();
}

}  // namespace glycine::crossapen
