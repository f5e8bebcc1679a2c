#pragma once

#include <optional>
#include <string>

#include "engine/algorithms/align/pairwise.hpp"
#include "engine/command/recount.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::align {

/// What is counted again of a run on all pairs.
struct PairsToRecount {
    const Sequences& sequences;
    const PairwiseOptions& options;
    const std::string& variant;  ///< the one that ran
    double seconds = 0;          ///< that the run took
    const pairs::PairStore& store;
};

/// A few pairs of a run on `cuda`, aligned again by the reference. Throws WrongResultError.
std::optional<RecountReport> recountPairs(const Backend& backend, const BackendRequest& request,
                                          const PairsToRecount& run, Progress& progress);

}  // namespace glycine::align
