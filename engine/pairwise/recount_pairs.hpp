#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/pairwise/pairwise.hpp"

/// Some pairs of a result, aligned once more: a few by the reference, others by the cpu backend.
namespace glycine::pairwise {

/// Seconds that a pair takes about.
double secondsForRecount(const Sequences& sequences, PairMethod method);

struct RealignedPair {
    std::size_t row = 0;
    std::size_t column = 0;  ///< below the row
    double value = 0;        ///< of the options' measure
};
/// Hands the pairs over one by one, as long as `take` says that it goes on. `pairs`: their numbers, as
/// pairs::pairNumber counts. Throws as computePairwise.
void countAgain(Backend& reference, const Sequences& sequences, const PairwiseOptions& options,
                std::span<const std::size_t> pairs, Progress& progress,
                const std::function<bool(const RealignedPair&)>& take);

/// Seconds that a cell of the cpu backend's pairs takes a thread about, rather more than less.
double secondsPerCellOnHost(PairMethod method);
/// Hands over all pairs of some rows with the columns before them, aligned by `host`. Throws as
/// computePairwise.
void countRowsAgain(Backend& host, const Sequences& sequences, const PairwiseOptions& options, Range rows,
                    Progress& progress, const std::function<void(const RealignedPair&)>& take);

}  // namespace glycine::pairwise
