#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/command/recount.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairwise/pairwise.hpp"

namespace glycine::pairwise {

/// A run on all pairs whose results are recounted.
struct PairsToRecount {
    const Sequences& sequences;
    const PairwiseOptions& options;
    const std::string& variant;  ///< the variant that ran
    double seconds = 0;          ///< run time
    const pairs::PairStore& store;
    /// Whether the run computed a pair; the first index is the larger one. Empty: all pairs.
    std::function<bool(std::size_t row, std::size_t column)> has{};
};

/// Realigns pairs of a run on `gl` or `cuda`: as many rows as time allows with the cpu backend, and a few
/// pairs with the reference. Throws WrongResultError.
void recountPairs(Recount& recount, const PairsToRecount& run, Progress& progress);

}  // namespace glycine::pairwise
