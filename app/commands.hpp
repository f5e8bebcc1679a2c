#pragma once

#include "engine/command/command_registry.hpp"

/// Commands that do not belong to an algorithm.
namespace glycine {

CommandAction declareList(Options& options);
CommandAction declareInfo(Options& options);
CommandAction declareInspect(Options& options);
CommandAction declarePlan(Options& options);

/// Describes the groups of commands and registers the commands above. Call after registerAlgorithms: the help
/// lists commands in the order of registration.
void registerCommands();

}  // namespace glycine
