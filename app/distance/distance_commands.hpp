#pragma once

#include "engine/command/command_registry.hpp"

/// The commands of `distance`. Each declares its options and returns what runs after parsing.
namespace glycine::distance {

CommandAction declareRun(Options& options);
CommandAction declareGenerate(Options& options);

}  // namespace glycine::distance
