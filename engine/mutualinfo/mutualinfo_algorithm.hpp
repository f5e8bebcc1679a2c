#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::mutualinfo {

/// `mutualinfo` as the registry knows it.
const Algorithm& algorithm();

}  // namespace glycine::mutualinfo
