#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::crossapen {

/// What is known of `crossapen` without running it.
const Algorithm& algorithm();

}  // namespace glycine::crossapen
