#pragma once

#include "engine/algorithms/distance/pair_engine.hpp"

namespace glycine::distance {

/// Whether the counts of a request mean something and fit 32 bits, whatever the backend. Yes for coordinates.
Support supportsCounts(const PairRequest& request);

}  // namespace glycine::distance
