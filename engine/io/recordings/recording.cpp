#include "engine/io/recordings/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/header_text.hpp"

namespace glycine::io {

namespace {

constexpr std::array<std::string_view, 14> kSignalTypes = {
    "EEG", "ECG", "EOG", "ERG", "EMG", "MEG", "MCG", "EP", "Temp", "Resp", "SaO2", "Light", "Sound", "Event"};
constexpr std::array<std::string_view, 3> kStatusLabels = {"status", "trigger", "triggers"};

static_assert(std::endian::native == std::endian::little, "sample bytes are taken as they are in the file");

template <class Stored, class T>
T decode(const std::byte* bytes) {
    Stored value;
    std::memcpy(&value, bytes, sizeof(value));
    return static_cast<T>(value);
}

template <class T>
T decodeInt24(const std::byte* bytes) {
    // Put the three bytes at the top of the word, so that the shift extends the sign.
    const std::uint32_t word = std::to_integer<std::uint32_t>(bytes[0]) << 8 |
                               std::to_integer<std::uint32_t>(bytes[1]) << 16 |
                               std::to_integer<std::uint32_t>(bytes[2]) << 24;
    return static_cast<T>(static_cast<std::int32_t>(word) >> 8);
}

template <class T, T (*decodeSample)(const std::byte*)>
void copyDecoded(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<T> target) {
    std::size_t record = first / layout.samplesPerRecord;
    std::size_t sample = first % layout.samplesPerRecord;
    for (std::size_t filled = 0; filled < target.size(); ++record, sample = 0) {
        const std::byte* from =
            data.data() + layout.offset + record * layout.recordStride + sample * layout.sampleStride;
        const std::size_t count = std::min(layout.samplesPerRecord - sample, target.size() - filled);
        for (std::size_t k = 0; k < count; ++k)
            target[filled + k] = decodeSample(from + k * layout.sampleStride);
        filled += count;
    }
}

template <class T>
void copyAny(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
             std::span<T> target) {
    switch (layout.format) {
        case SampleFormat::Int16:
            return copyDecoded<T, decode<std::int16_t, T>>(data, layout, first, target);
        case SampleFormat::UInt16:
            return copyDecoded<T, decode<std::uint16_t, T>>(data, layout, first, target);
        case SampleFormat::Int24:
            return copyDecoded<T, decodeInt24<T>>(data, layout, first, target);
        case SampleFormat::Int32:
            return copyDecoded<T, decode<std::int32_t, T>>(data, layout, first, target);
        case SampleFormat::Float32:
            // Integers are not read from floats; see the precondition.
            if constexpr (std::is_floating_point_v<T>)
                copyDecoded<T, decode<float, T>>(data, layout, first, target);
            return;
        case SampleFormat::Float64:
            if constexpr (std::is_floating_point_v<T>)
                copyDecoded<T, decode<double, T>>(data, layout, first, target);
    }
}

}  // namespace

std::size_t sampleBytes(SampleFormat format) {
    switch (format) {
        case SampleFormat::Int16:
        case SampleFormat::UInt16:
            return 2;
        case SampleFormat::Int24:
            return 3;
        case SampleFormat::Float64:
            return 8;
        case SampleFormat::Int32:
        case SampleFormat::Float32:
            break;
    }
    return 4;
}

void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<std::int32_t> target) {
    copyAny(data, layout, first, target);
}

void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<double> target) {
    copyAny(data, layout, first, target);
}

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
    const SampleFormat stored = data.layouts[channel].format;
    return stored != SampleFormat::Float32 && stored != SampleFormat::Float64;
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
    if (data.requireUnchanged) data.requireUnchanged();
}

void Recording::readPhysical(std::size_t segment, std::size_t channel, std::size_t first,
                             std::span<double> target) const {
    copySamples(data.bytes, data.layouts[channel], locate(segment, channel, first, target.size()), target);
    if (data.requireUnchanged) data.requireUnchanged();
    const double gain = channels[channel].gain;
    const double offset = channels[channel].offset;
    for (double& value : target) value = gain * value + offset;
}

std::string_view standardSignalType(std::string_view label) {
    const std::string_view word = label.substr(0, label.find(' '));
    const auto* found = std::find(kSignalTypes.begin(), kSignalTypes.end(), word);
    return found == kSignalTypes.end() ? std::string_view{} : *found;
}

std::optional<std::array<double, 3>> knownPosition(const std::array<double, 3>& place) {
    const bool isPlace = std::all_of(place.begin(), place.end(), [](double x) { return std::isfinite(x); });
    if (!isPlace || place == std::array<double, 3>{}) return std::nullopt;
    return place;
}

bool isStatusLabel(std::string_view label) {
    return std::find(kStatusLabels.begin(), kStatusLabels.end(), lowerCase(label)) != kStatusLabels.end();
}

}  // namespace glycine::io
