#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace glycine::mutualinfo {

/// Ranks from 1 of the values that are there; NaN stays NaN. Equal values share the mean of their ranks, or
/// have them in the order of their samples. Fewer than 2^32 samples.
std::vector<double> ranksOf(std::span<const double> values, bool shareTies);

/// Whether no value is missing and none comes more than `most` times.
bool areSpread(std::span<const double> values, std::size_t most);

}  // namespace glycine::mutualinfo
