#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/command/recount.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairwise/pairwise.hpp"

namespace glycine::pairwise {

/// What is counted again of a run on all pairs.
struct PairsToRecount {
    const Sequences& sequences;
    const PairwiseOptions& options;
    const std::string& variant;  ///< the one that ran
    double seconds = 0;          ///< that the run took
    const pairs::PairStore& store;
    /// Which pairs the run has found, the first number being the larger one; empty: all.
    std::function<bool(std::size_t row, std::size_t column)> has{};
};

/// Pairs of a run on `gl` or `cuda`, aligned again: those of as many rows as there is time for by the cpu
/// backend, of all where there is enough, and a few by the reference. Throws WrongResultError.
void recountPairs(Recount& recount, const PairsToRecount& run, Progress& progress);

}  // namespace glycine::pairwise
