#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::distance {

/// What is known of `distance` without running it.
const Algorithm& algorithm();

}  // namespace glycine::distance
