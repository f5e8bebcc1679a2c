#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/algorithms/crossapen/random_signals.hpp"

/// Epochs made from a seed, for tests and measurements: as recordings are, and as they seldom are.
namespace glycine::crossapen {

struct EpochExtents {
    std::size_t channels = 0;
    std::size_t samples = 0;
    std::size_t epochs = 1;
};

/// Independent epochs, channels × samples each.
std::vector<Matrix<double>> randomEpochs(const SignalModel& model, const EpochExtents& extents,
                                         std::uint64_t seed);

/// What makes epochs hard to get right.
enum class Oddity {
    Steps,     ///< whole multiples of kSignalStep: many distances are equal, and exact in every format
    Outliers,  ///< constant but for every seventh sample
    Apart,     ///< no channel comes near another
    Unequal,   ///< each channel has its own standard deviation
    Moved,     ///< each channel has its own zero and unit, without rounding: z-scores are those of Steps
    Twins      ///< all channels are the first one
};
inline constexpr double kSignalStep = 0.25;

std::vector<Matrix<double>> oddEpochs(Oddity oddity, const EpochExtents& extents, std::uint64_t seed);

}  // namespace glycine::crossapen
