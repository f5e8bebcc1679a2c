#pragma once

#include <span>
#include <vector>

#include "engine/crossapen/crossapen.hpp"

namespace glycine::crossapen {

/// Epochs and options at one scale.
struct ScaledEpochs {
    std::vector<Matrix<double>> epochs;
    EntropyOptions options;  ///< with a single scale; isAbsolute if the epochs are z-scores already
    std::vector<Signals> views() const {
        std::vector<Signals> all;
        for (const Matrix<double>& epoch : epochs) all.push_back(epoch.view());
        return all;
    }
};
/// Coarse-grains epochs: means of `scale` consecutive samples, without the remainder at the end. Uses
/// z-scores if the options normalise, else the signals. Channels that cannot be normalised become NaN. See
/// EntropyOptions::scales.
ScaledEpochs atScale(std::span<const Signals> epochs, const EntropyOptions& options, unsigned scale);

}  // namespace glycine::crossapen
