#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/algorithms/align/pairwise.hpp"

/// Some pairs of a result, aligned once more by the reference alone.
namespace glycine::align {

/// Seconds that a pair takes about.
double secondsForRecount(const Sequences& sequences, PairMethod method);

struct RecountedPair {
    std::size_t row = 0;
    std::size_t column = 0;  ///< below the row
    double value = 0;        ///< of the options' measure
};
/// Hands the pairs over one by one, as long as `take` says that it goes on. `pairs`: their numbers, as
/// pairs::pairNumber counts. Throws as computePairwise.
void countAgain(Backend& reference, const Sequences& sequences, const PairwiseOptions& options,
                std::span<const std::size_t> pairs, Progress& progress,
                const std::function<bool(const RecountedPair&)>& take);

}  // namespace glycine::align
