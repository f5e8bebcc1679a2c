#pragma once

#include "engine/command/command_registry.hpp"

/// The commands of `bounds`. Each declares its options and returns what runs after parsing.
namespace glycine::bounds {

CommandAction declareRun(Options& options);
CommandAction declareGenerate(Options& options);

}  // namespace glycine::bounds
