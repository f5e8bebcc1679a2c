#pragma once

#include "engine/core/algorithm.hpp"

namespace glycine::align {

/// `align` by its own method, as AlgorithmRegistry takes it.
const Algorithm& alignAlgorithm();

}  // namespace glycine::align
