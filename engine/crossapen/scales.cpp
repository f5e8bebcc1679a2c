#include "engine/crossapen/scales.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/crossapen/pair_workspace.hpp"
#include "engine/crossapen/prepared_signals.hpp"

namespace glycine::crossapen {

ScaledEpochs atScale(std::span<const Signals> epochs, const EntropyOptions& options, unsigned scale) {
    ScaledEpochs scaled{{}, options};
    scaled.options.scales = 1;
    const bool isScored = isNormalised(options);
    if (isScored) scaled.options.isAbsolute = true;
    for (const Signals& epoch : epochs) {
        Matrix<double> signals(epoch);
        if (isScored) {
            const UnusableChannels unusable = normalise(epoch, options.deviation, signals.view());
            for (const auto* channels : {&unusable.constant, &unusable.notFinite})
                for (const std::size_t channel : *channels)
                    std::fill_n(signals.row(channel), signals.columns(),
                                std::numeric_limits<double>::quiet_NaN());
        }
        Matrix<double>& grains = scaled.epochs.emplace_back(signals.rows(), signals.columns() / scale);
        for (std::size_t channel = 0; channel < grains.rows(); ++channel)
            for (std::size_t i = 0; i < grains.columns(); ++i) {
                const double* const first = signals.row(channel) + i * scale;
                grains(channel, i) = std::accumulate(first, first + scale, 0.0) / scale;
            }
    }
    return scaled;
}

}  // namespace glycine::crossapen
