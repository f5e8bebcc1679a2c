#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/crossapen/crossapen.hpp"

/// Some pairs of a result, found once more by the reference alone.
namespace glycine::crossapen {

/// A pair of channels of an epoch: row and column of the matrices that EpochShape describes. Of measures of
/// single channels the column is 0.
struct RecountedPair {
    std::size_t row = 0;
    std::size_t column = 0;
    std::vector<double> values;  ///< as quantitiesOf lists them
    double allowed = 0;          ///< difference that a right value may have
};
/// All pairs of one channel or two of an epoch, in any order of the two. Throws CancelledError.
std::vector<RecountedPair> countAgain(Backend& reference, Signals epoch,
                                      std::span<const std::size_t> channels, const EntropyOptions& options,
                                      Progress& progress);

/// Seconds that it takes for two channels, about.
double secondsForRecount(const EntropyOptions& options, std::size_t samples);

}  // namespace glycine::crossapen
