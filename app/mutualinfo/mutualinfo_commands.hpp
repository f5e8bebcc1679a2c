#pragma once

#include "engine/command/command_registry.hpp"

/// Commands of `mutualinfo`. Each function declares the options of a command and returns its action.
namespace glycine::mutualinfo {

CommandAction declareRun(Options& options);
CommandAction declareGenerate(Options& options);
CommandAction declareNetwork(Options& options);

}  // namespace glycine::mutualinfo
