#pragma once

#include "engine/command/command_registry.hpp"

/// The commands that belong to no algorithm.
namespace glycine {

CommandAction declareList(Options& options);
CommandAction declareInfo(Options& options);
CommandAction declareInspect(Options& options);
CommandAction declarePlan(Options& options);

/// Says what the groups of commands are for, and adds the commands above. Call after registerAlgorithms: the
/// help lists commands in the order in which they were added.
void registerCommands();

}  // namespace glycine
