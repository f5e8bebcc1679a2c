#include "engine/crossapen/input/matrix_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/text.hpp"

namespace glycine::crossapen {

void MatrixSource::read(std::size_t segment, std::size_t channel, std::size_t first,
                        std::span<double> target) const {
    std::copy_n(values_.row(segment * channels.size() + channel) + first, target.size(), target.begin());
}

void MatrixSource::nameChannels(std::size_t count, const std::vector<std::string>& names, bool keepTime) {
    for (std::size_t k = 0; k < count; ++k) {
        std::string label = names.empty() ? fmt::to_string(k + 1) : names[k];
        std::string type(io::standardSignalType(label));
        const io::ChannelKind kind = io::isStatusLabel(label)         ? io::ChannelKind::Status
                                     : !keepTime && isTimeName(label) ? io::ChannelKind::Time
                                                                      : io::ChannelKind::Signal;
        channels.push_back({std::move(label), std::move(type), "", kind, 0});
    }
    makeNamesUnique(channels, notes);
}

bool isTimeName(std::string_view name) {
    const std::string lower = lowerCase(name);
    std::size_t letters = 0;
    while (letters < lower.size() && lower[letters] >= 'a' && lower[letters] <= 'z') ++letters;
    // "T3" is an electrode.
    if (letters < lower.size() && lower[letters] >= '0' && lower[letters] <= '9') return false;
    constexpr std::string_view kWords[] = {"time",   "times",   "timestamp",   "timestamps",  "datetime",
                                           "date",   "t",       "s",           "sec",         "secs",
                                           "second", "seconds", "ms",          "msec",        "msecs",
                                           "us",     "usec",    "millisecond", "milliseconds"};
    return std::find(std::begin(kWords), std::end(kWords), lower.substr(0, letters)) != std::end(kWords);
}

double rampStep(std::span<const double> samples) {
    constexpr std::size_t kFewestSamples = 16;
    if (samples.size() < kFewestSamples) return 0;
    const double first = samples.front();
    const double step = (samples.back() - first) / static_cast<double>(samples.size() - 1);
    if (!std::isfinite(step) || step == 0) return 0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        const bool isOnward = (samples[i] - samples[i - 1]) * step > 0;
        const double offset = samples[i] - (first + static_cast<double>(i) * step);
        // Not-a-number fails both.
        if (!isOnward || !(std::abs(offset) <= std::abs(step) / 2)) return 0;
    }
    return step;
}

}  // namespace glycine::crossapen
