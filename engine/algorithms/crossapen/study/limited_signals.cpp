#include "engine/algorithms/crossapen/study/limited_signals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/quantity.hpp"

namespace glycine::crossapen {

LimitedSignals::LimitedSignals(const std::string& path, const SignalLimits& limits, Progress& progress) {
    SignalOptions options;
    options.maximumEpochs = limits.epochs;
    options.epochSamples = limits.samples.value_or(options.epochSamples);
    set_ = readSignals(path, options, progress);
    channels_ = std::min(set_.channels.size(), limits.channels.value_or(set_.channels.size()));
}

std::string LimitedSignals::description() const {
    return fmt::format("{} ({}): {} of {}, {} of {}", set_.name, set_.description, channels_,
                       formatCount(set_.channels.size(), "channel"), formatCount(epochs(), "epoch"),
                       formatCount(samples(), "sample"));
}

}  // namespace glycine::crossapen
