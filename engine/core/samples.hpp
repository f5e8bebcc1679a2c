#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glycine {

/// `wanted` distinct numbers below `count` (or all of them), ascending: the first, the last, and others drawn
/// with `seed`.
std::vector<std::size_t> drawSamples(std::size_t count, std::size_t wanted, std::uint64_t seed);

/// One number of each of `wanted` equal parts of 0 … `count` − 1 (all numbers, if these are fewer), ascending
/// and drawn with `seed`: samples that leave no stretch out.
std::vector<std::size_t> spreadSamples(std::size_t count, std::size_t wanted, std::uint64_t seed);

}  // namespace glycine
