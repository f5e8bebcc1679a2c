#pragma once

#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"

namespace glycine {

/// Parses the arguments (without the program's name) and runs the command.
///
/// Returns the exit code: 0 done, 1 failed, 2 wrong use or wrong input, 130 cancelled. Error messages go to
/// `context.err()`; throws nothing.
int runCommandLine(std::vector<std::string> arguments, CommandContext& context);

}  // namespace glycine
