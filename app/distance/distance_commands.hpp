#pragma once

#include "engine/command/command_registry.hpp"

/// Commands of `distance`. Each function declares the options of a command and returns its action.
namespace glycine::distance {

CommandAction declareRun(Options& options);
CommandAction declareGenerate(Options& options);

}  // namespace glycine::distance
