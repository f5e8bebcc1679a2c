#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/tiling.hpp"

namespace glycine::mutualinfo {

/// Finds ranks of one gene after another, in memory that is taken once.
class SampleRanks {
  public:
    /// Ranks from 1 of the values that are there; NaN stays NaN. Equal values share the mean of their ranks,
    /// or have them in the order of their samples. Fewer than 2^32 samples; `ranks` has as many elements, and
    /// is not `values`.
    void find(std::span<const double> values, bool shareTies, std::span<double> ranks);

  private:
    /// Of samples that numbers_ does not tell apart.
    void rankAlike(std::span<const double> values, bool shareTies, Range places, std::span<double> ranks);

    std::vector<std::uint64_t> numbers_;  ///< in ascending order: of a value, and its sample
    std::vector<std::uint32_t> samples_;
};

/// Whether no value is missing and none comes more than `most` times.
bool areSpread(std::span<const double> values, std::size_t most);

}  // namespace glycine::mutualinfo
