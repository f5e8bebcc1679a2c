#include "engine/io/recordings/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/io/text/repeated_note.hpp"

namespace glycine::io {

namespace {

constexpr std::array<std::string_view, 14> kSignalTypes = {
    "EEG", "ECG", "EOG", "ERG", "EMG", "MEG", "MCG", "EP", "Temp", "Resp", "SaO2", "Light", "Sound", "Event"};
constexpr std::array<std::string_view, 3> kStatusLabels = {"status", "trigger", "triggers"};

}  // namespace

bool Recording::hasSignals() const {
    return std::any_of(channels.begin(), channels.end(),
                       [](const RecordingChannel& channel) { return channel.kind == ChannelKind::Signal; });
}

std::vector<std::string> Recording::duplicateLabels() const {
    std::unordered_map<std::string_view, std::size_t> uses;
    std::vector<std::string> duplicates;
    for (const RecordingChannel& channel : channels)
        if (channel.kind != ChannelKind::Annotations && ++uses[channel.label] == 2)
            duplicates.push_back(channel.label);
    return duplicates;
}

void Recording::noteDuplicateLabels() {
    RepeatedNote note;
    for (const std::string& label : duplicateLabels())
        note.add(fmt::format("several channels are labelled '{}'", label));
    note.appendTo(notes);
}

std::size_t Recording::sampleCount(std::size_t segment, std::size_t channel) const {
    return segments[segment].records * data.layouts[channel].samplesPerRecord;
}

bool Recording::isDigital(std::size_t channel) const {
    return data.layouts[channel].format != SampleFormat::Float32;
}

std::size_t Recording::locate(std::size_t segment, std::size_t channel, std::size_t first,
                              std::size_t count) const {
    if (channel >= channels.size())
        throw UsageError(fmt::format("{}: channel {} of {}", name, channel, channels.size()));
    if (segment >= segments.size())
        throw UsageError(fmt::format("{}: segment {} of {}", name, segment, segments.size()));
    const std::size_t length = sampleCount(segment, channel);
    if (first > length || count > length - first)
        throw UsageError(fmt::format("{}: samples {} to {} of channel '{}' in segment {}, which has {}", name,
                                     first, first + count, channels[channel].label, segment, length));
    return segments[segment].firstRecord * data.layouts[channel].samplesPerRecord + first;
}

void Recording::readDigital(std::size_t segment, std::size_t channel, std::size_t first,
                            std::span<std::int32_t> target) const {
    const std::size_t begin = locate(segment, channel, first, target.size());
    if (!isDigital(channel))
        throw UsageError(
            fmt::format("{}: channel '{}' is stored as floating-point numbers; it has no digital values",
                        name, channels[channel].label));
    copySamples(data.bytes, data.layouts[channel], begin, target);
}

void Recording::readPhysical(std::size_t segment, std::size_t channel, std::size_t first,
                             std::span<double> target) const {
    copySamples(data.bytes, data.layouts[channel], locate(segment, channel, first, target.size()), target);
    const double gain = channels[channel].gain;
    const double offset = channels[channel].offset;
    for (double& value : target) value = gain * value + offset;
}

std::string_view standardSignalType(std::string_view label) {
    const std::string_view word = label.substr(0, label.find(' '));
    const auto* found = std::find(kSignalTypes.begin(), kSignalTypes.end(), word);
    return found == kSignalTypes.end() ? std::string_view{} : *found;
}

bool isStatusLabel(std::string_view label) {
    return std::find(kStatusLabels.begin(), kStatusLabels.end(), lowerCase(label)) != kStatusLabels.end();
}

}  // namespace glycine::io
