#pragma once

#include "engine/command/command_registry.hpp"

/// The commands of `mutualinfo`. Each declares its options and returns what runs after parsing.
namespace glycine::mutualinfo {

CommandAction declareRun(Options& options);
CommandAction declareGenerate(Options& options);
CommandAction declareNetwork(Options& options);

}  // namespace glycine::mutualinfo
