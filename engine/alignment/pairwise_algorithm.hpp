#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::align {

/// `pairwise`, as AlgorithmRegistry takes it.
const Algorithm& pairwiseAlgorithm();

}  // namespace glycine::align
