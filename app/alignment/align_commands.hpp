#pragma once

#include "engine/command/command_registry.hpp"

/// The commands about alignments. Each declares its options and returns what runs after parsing.
namespace glycine::align {

CommandAction declareAlign(Options& options);
CommandAction declareTree(Options& options);

}  // namespace glycine::align
