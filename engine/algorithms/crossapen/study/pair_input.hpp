#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/epoch_batch.hpp"
#include "engine/algorithms/crossapen/random_epochs.hpp"

namespace glycine::crossapen {

/// Epochs with the question that is asked about their pairs of channels.
struct PairInput {
    std::string name;  ///< "ties at r, m 2, r 0.25, 3 × 63, 2 epochs"
    /// How epochs become what is compared, and when it matches. Format and variant are the configuration's.
    EntropyOptions options;
    bool isFuzzy = false;  ///< memberships are asked about, too
    std::vector<Matrix<double>> epochs;

    EpochExtents extents() const { return {epochs[0].rows(), epochs[0].columns(), epochs.size()}; }
    EpochBatch batch(NumberFormat format) const;
    /// Some channels of one epoch.
    EpochBatch batch(NumberFormat format, std::size_t epoch, std::span<const std::size_t> channels) const;
};

/// Which inputs `validate` makes.
struct ValidationPlan {
    std::vector<unsigned> m{1, 2, 3, 5};
    std::vector<double> r{0.2, 0.6};
    /// Empty: shortest epochs, odd lengths, lengths about the words and tiles of backends.
    std::vector<EpochExtents> extents;
    std::uint64_t seed = 1;
};

/// Signals as in EEG, quantised ones with distances of exactly r (≤ and <), constant ones with outliers,
/// signals without a match, a tolerance for each pair, signals shifted and scaled, signals equal to each
/// other: for every m and shape, all r for the first m. Epochs too short for an m are left out.
std::vector<PairInput> makeValidationInputs(const ValidationPlan& plan);

}  // namespace glycine::crossapen
