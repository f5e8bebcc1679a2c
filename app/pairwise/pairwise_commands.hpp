#pragma once

#include "engine/command/command_registry.hpp"

/// The commands of `pairwise`. Each declares its options and returns what runs after parsing.
namespace glycine::pairwise {

CommandAction declarePairwise(Options& options);
CommandAction declareGenerate(Options& options);

}  // namespace glycine::pairwise
