#pragma once

#include <optional>
#include <string>

#include "engine/command/recount.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::mutualinfo {

/// What a run found of all pairs, and how.
struct FoundInformation {
    const io::ExpressionTable& table;
    const MutualInformationOptions& options;
    const GapCorrection& correction;  ///< of all values
    std::string variant;
    double seconds = 0;  ///< that it took
    const pairs::PairStore& store;
    pairs::ValueType type;
};

/// A few pairs of a run on `gl` or `cuda`, counted again by the reference. Throws WrongResultError.
std::optional<RecountReport> recountPairs(const Backend& backend, const BackendRequest& request,
                                          const FoundInformation& found, Progress& progress);

}  // namespace glycine::mutualinfo
