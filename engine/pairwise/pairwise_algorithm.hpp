#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::pairwise {

/// `pairwise`, as AlgorithmRegistry takes it.
const Algorithm& pairwiseAlgorithm();

}  // namespace glycine::pairwise
