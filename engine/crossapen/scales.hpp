#pragma once

#include <span>
#include <vector>

#include "engine/crossapen/crossapen.hpp"

namespace glycine::crossapen {

/// Epochs and the question that is asked about them at one scale.
struct ScaledEpochs {
    std::vector<Matrix<double>> epochs;
    EntropyOptions options;  ///< of one scale; z-scores of scale 1 are compared as they are
    std::vector<Signals> views() const {
        std::vector<Signals> all;
        for (const Matrix<double>& epoch : epochs) all.push_back(epoch.view());
        return all;
    }
};
/// Means of `scale` consecutive samples, what is left at the end apart: of z-scores where the options
/// normalise, else of the signals. Channels that cannot be normalised become NaN. See EntropyOptions::scales.
ScaledEpochs atScale(std::span<const Signals> epochs, const EntropyOptions& options, unsigned scale);

}  // namespace glycine::crossapen
