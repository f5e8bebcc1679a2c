#pragma once

#include "engine/command/command_registry.hpp"

/// Commands of `pairwise`. Each function declares the options of a command and returns its action.
namespace glycine::pairwise {

CommandAction declarePairwise(Options& options);
CommandAction declareGenerate(Options& options);

}  // namespace glycine::pairwise
