#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/pairwise/pairwise.hpp"

/// Recounts of a result's pairs: a few are aligned again by the reference, others by the cpu backend.
namespace glycine::pairwise {

/// The approximate seconds per pair on the reference.
double secondsForRecount(const Sequences& sequences, PairMethod method);

struct RealignedPair {
    std::size_t row = 0;
    std::size_t column = 0;  ///< below the row
    double value = 0;        ///< in the options' measure
};
/// Aligns the pairs one by one as long as `take` returns true. `pairs`: their numbers (pairs::pairNumber).
/// Throws what computePairwise throws.
void recountByReference(Backend& reference, const Sequences& sequences, const PairwiseOptions& options,
                        std::span<const std::size_t> pairs, Progress& progress,
                        const std::function<bool(const RealignedPair&)>& take);

/// A cautious estimate of the seconds per cell and thread on the cpu backend.
double secondsPerCellOnHost(PairMethod method);
/// Passes on all pairs of some rows with the columns before them, aligned by `host`. Throws what
/// computePairwise throws.
void recountRows(Backend& host, const Sequences& sequences, const PairwiseOptions& options, Range rows,
                 Progress& progress, const std::function<void(const RealignedPair&)>& take);

}  // namespace glycine::pairwise
