#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/distance/distance.hpp"

/// Some pairs of a result, found once more by the reference alone.
namespace glycine::distance {

/// Seconds that it takes about: `once` for what depends on all instances (weights of missing entries,
/// standardised rows), and `each` pair.
struct RecountCost {
    double once = 0;
    double each = 0;
};
RecountCost costOfRecount(const DataView& data, const DistanceOptions& options);

using pairs::RecountedPair;
/// Hands the pairs over one by one, as long as `take` says that it goes on. `pairs`: their numbers, as
/// pairs::pairNumber counts; `found`: of the run whose values they are, which may have rounded coordinates.
/// Throws as computeDistances.
void countAgain(Backend& reference, const DataView& data, DistanceOptions options,
                const DistanceReport& found, std::span<const std::size_t> pairs, Progress& progress,
                const std::function<bool(const RecountedPair&)>& take);

}  // namespace glycine::distance
