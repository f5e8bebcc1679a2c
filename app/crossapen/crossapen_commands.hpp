#pragma once

#include "engine/command/command_registry.hpp"

/// The commands of `crossapen`. Each declares its options and returns what runs after parsing.
namespace glycine::crossapen {

CommandAction declareRun(Options& options);
CommandAction declareGenerate(Options& options);

}  // namespace glycine::crossapen
