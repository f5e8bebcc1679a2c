#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::bounds {

/// What is known of `bounds` without running it.
const Algorithm& algorithm();

}  // namespace glycine::bounds
