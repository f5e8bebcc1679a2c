#pragma once

#include "engine/command/command_registry.hpp"

/// The commands about sequences. Each declares its options and returns what runs after parsing.
namespace glycine::align {

CommandAction declareAlign(Options& options);
CommandAction declarePairwise(Options& options);
CommandAction declareTree(Options& options);
CommandAction declareGenerate(Options& options);

}  // namespace glycine::align
