#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glycine {

/// `wanted` distinct numbers below `count` (or all of them), ascending: the first, the last, and others drawn
/// with `seed`.
std::vector<std::size_t> drawSamples(std::size_t count, std::size_t wanted, std::uint64_t seed);

}  // namespace glycine
