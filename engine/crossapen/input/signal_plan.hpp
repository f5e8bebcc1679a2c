#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/crossapen/input/band_pass.hpp"
#include "engine/crossapen/input/signal_source.hpp"
#include "engine/crossapen/input/signals.hpp"

namespace glycine::crossapen {

/// What is to be done with a file, all checks made: channels, rates, the filter, and where epochs lie. Notes
/// are those of the source and of planning.
struct SignalPlan : SignalSetShape {
    std::vector<std::size_t> sources;         ///< channels of the source, in the order of the result
    std::optional<double> resampleRate;       ///< Hz; absent: nothing is to be resampled
    std::optional<BandPass> bandPass;         ///< at samplingRate
    std::vector<std::size_t> segmentSamples;  ///< of the result, one a segment of the source
};

/// Throws as readSignals.
SignalPlan planSignals(const std::filesystem::path& path, const SignalSource& source,
                       const SignalOptions& options);

}  // namespace glycine::crossapen
