#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"

namespace glycine {

/// main() of a program with all commands; `run` is runCommandLine or a wrapper of it. Returns the exit code.
int runProgram(int argc, char** argv,
               const std::function<int(const std::vector<std::string>& arguments, CommandContext&)>& run);

}  // namespace glycine
