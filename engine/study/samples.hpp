#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/random.hpp"

namespace glycine::study {

/// `wanted` distinct numbers below `count` (or all of them), ascending; the first and the last among them.
std::vector<std::size_t> drawSamples(std::size_t count, std::size_t wanted, RandomSequence& random);

}  // namespace glycine::study
