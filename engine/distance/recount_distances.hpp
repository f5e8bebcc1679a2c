#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/distance/distance.hpp"

/// Some pairs of a result, counted again by the reference.
namespace glycine::distance {

/// Estimated seconds: `fixed` for work that depends on all instances (weights of missing entries,
/// standardised rows), and `each` per pair.
struct RecountCost {
    double fixed = 0;
    double each = 0;
};
RecountCost costOfRecount(const DataView& data, const DistanceOptions& options);

using pairs::RecountedPair;
/// Passes the pairs on one by one until `take` returns false. `pairs`: their numbers, as pairs::pairNumber
/// counts. `found`: the report of the run that computed the values, which may have rounded coordinates.
/// Throws as computeDistances does.
void recountByReference(Backend& reference, const DataView& data, DistanceOptions options,
                        const DistanceReport& found, std::span<const std::size_t> pairs, Progress& progress,
                        const std::function<bool(const RecountedPair&)>& take);

}  // namespace glycine::distance
