#pragma once

#include "engine/command/command_registry.hpp"

namespace glycine::structure {

/// `glycine generate restraints`.
CommandAction declareGenerate(Options& options);

}  // namespace glycine::structure
