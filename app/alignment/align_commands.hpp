#pragma once

#include "engine/command/command_registry.hpp"

/// Commands for alignments. Each function declares the options of a command and returns its action.
namespace glycine::align {

CommandAction declareAlign(Options& options);
CommandAction declareTree(Options& options);

}  // namespace glycine::align
