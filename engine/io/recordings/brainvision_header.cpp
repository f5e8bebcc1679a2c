#include "engine/io/recordings/brainvision_header.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "engine/io/recordings/brainvision_text.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/io/text/repeated_note.hpp"
#include "engine/core/utf8.hpp"

namespace glycine::io {

namespace {

using Entry = BrainVisionText::Entry;

constexpr std::string_view kCommon = "Common Infos";
constexpr std::string_view kChannels = "Channel Infos";

constexpr std::array<std::pair<std::string_view, SampleFormat>, 4> kFormats = {{
    {"INT_16", SampleFormat::Int16},
    {"UINT_16", SampleFormat::UInt16},
    {"INT_32", SampleFormat::Int32},
    {"IEEE_FLOAT_32", SampleFormat::Float32},
}};

std::size_t wholeNumber(const BrainVisionText& text, const Entry& entry, std::size_t maximum) {
    const std::optional<HeaderNumber> number = parseHeaderNumber(entry.value);
    if (!number || number->hasComma || number->value != std::trunc(number->value) || number->value < 1 ||
        number->value > static_cast<double>(maximum))
        text.refuse(entry, fmt::format("a whole number from 1 to {}", maximum));
    return static_cast<std::size_t>(number->value);
}

/// Throws unless the value is `accepted`; an absent entry means that.
void expectValue(const BrainVisionText& text, std::string_view section, std::string_view key,
                 std::string_view accepted) {
    const Entry* entry = text.find(section, key);
    if (entry != nullptr && asciiLowerCase(entry->value) != asciiLowerCase(accepted))
        text.refuse(*entry, fmt::format("{}; nothing else is read", accepted));
}

std::string fileNameOf(const BrainVisionText& text, const Entry& entry) {
    std::string name = entry.value;
    const std::string stem = std::filesystem::path(text.fileName()).stem().string();
    if (const std::size_t at = name.find("$b"); at != std::string::npos) name.replace(at, 2, stem);
    return name;
}

void parseCommon(const BrainVisionText& text, BrainVisionHeader& header) {
    header.dataFile = fileNameOf(text, text.require(kCommon, "DataFile"));
    if (const Entry* markers = text.find(kCommon, "MarkerFile"))
        header.markerFile = fileNameOf(text, *markers);
    expectValue(text, kCommon, "DataFormat", "BINARY");
    expectValue(text, kCommon, "DataType", "TIMEDOMAIN");
    expectValue(text, "Binary Infos", "UseBigEndianOrder", "NO");

    const Entry& orientation = text.require(kCommon, "DataOrientation");
    header.isMultiplexed = asciiLowerCase(orientation.value) == "multiplexed";
    if (!header.isMultiplexed && asciiLowerCase(orientation.value) != "vectorized")
        text.refuse(orientation, "MULTIPLEXED or VECTORIZED");
    if (const Entry* points = text.find(kCommon, "DataPoints"))
        header.points = wholeNumber(text, *points, std::numeric_limits<std::int32_t>::max());

    const Entry& interval = text.require(kCommon, "SamplingInterval");
    const std::optional<HeaderNumber> microseconds = parseHeaderNumber(interval.value);
    constexpr double kSmallest = 1e-3;
    constexpr double kLargest = 1e12;
    if (!microseconds || microseconds->value < kSmallest || microseconds->value > kLargest)
        text.refuse(interval, fmt::format("microseconds, from {} to {}", kSmallest, kLargest));
    header.samplingInterval = microseconds->value;
    if (microseconds->hasComma)
        header.notes.push_back(
            fmt::format("line {}: the comma in SamplingInterval={} is read as a decimal point", interval.line,
                        interval.value));
}

SampleFormat parseFormat(const BrainVisionText& text) {
    const Entry& entry = text.require("Binary Infos", "BinaryFormat");
    for (const auto& [word, format] : kFormats)
        if (asciiLowerCase(entry.value) == asciiLowerCase(word)) return format;
    text.refuse(entry, "INT_16, UINT_16, INT_32 or IEEE_FLOAT_32");
}

/// The digital range is that of the type.
void setRange(RecordingChannel& channel, SampleFormat format) {
    if (format == SampleFormat::Float32) return;
    const bool isShort = format == SampleFormat::Int16;
    const bool isUnsigned = format == SampleFormat::UInt16;
    channel.digitalMinimum = isUnsigned ? 0
                             : isShort  ? std::numeric_limits<std::int16_t>::min()
                                        : std::numeric_limits<std::int32_t>::min();
    channel.digitalMaximum = isUnsigned ? std::numeric_limits<std::uint16_t>::max()
                             : isShort  ? std::numeric_limits<std::int16_t>::max()
                                        : std::numeric_limits<std::int32_t>::max();
    channel.physicalMinimum = channel.gain * channel.digitalMinimum;
    channel.physicalMaximum = channel.gain * channel.digitalMaximum;
}

RecordingChannel parseChannel(const BrainVisionText& text, const Entry& entry,
                              const BrainVisionHeader& header) {
    std::vector<std::string> fields = brainVisionFields(entry.value);
    fields.resize(std::max<std::size_t>(fields.size(), 4));
    RecordingChannel channel;
    channel.label = fields[0];
    channel.type = standardSignalType(channel.label);
    channel.reference = fields[1];
    channel.unit = fields[3].empty() ? "µV" : fields[3];
    if (isStatusLabel(channel.label)) channel.kind = ChannelKind::Status;
    channel.samplingRate = 1e6 / header.samplingInterval;
    if (!fields[2].empty()) {
        const std::optional<HeaderNumber> resolution = parseHeaderNumber(fields[2]);
        constexpr double kLargest = 1e30;
        if (!resolution || resolution->value == 0 || std::abs(resolution->value) > kLargest)
            text.refuse(entry,
                        "NAME,REFERENCE,RESOLUTION,UNIT with a resolution that is a number other than 0, "
                        "with a decimal point");
        channel.gain = resolution->value;
    }
    setRange(channel, header.sampleFormat);
    return channel;
}

/// 12 of "Ch12"; 0 for keys that are no channel's.
double channelNumber(std::string_view key) {
    if (asciiLowerCase(key.substr(0, 2)) != "ch") return 0;
    const std::optional<HeaderNumber> number = parseHeaderNumber(key.substr(2));
    return number ? number->value : 0;
}

void parseChannels(const BrainVisionText& text, BrainVisionHeader& header) {
    constexpr std::size_t kLargestChannels = 100'000;
    const std::size_t count = wholeNumber(text, text.require(kCommon, "NumberOfChannels"), kLargestChannels);
    for (std::size_t i = 1; i <= count; ++i)
        header.channels.push_back(
            parseChannel(text, text.require(kChannels, fmt::format("Ch{}", i)), header));
    RepeatedNote surplus;
    for (const Entry& entry : text.entries())
        if (asciiLowerCase(entry.section) == asciiLowerCase(kChannels) &&
            channelNumber(entry.key) > static_cast<double>(count))
            surplus.add(
                fmt::format("line {}: {} is not read: NumberOfChannels is {}", entry.line, entry.key, count));
    surplus.appendTo(header.notes);
}

}  // namespace

BrainVisionHeader parseBrainVisionHeader(std::string_view bytes, const std::string& name) {
    const BrainVisionText text(bytes, name, "Header");
    BrainVisionHeader header;
    parseCommon(text, header);
    header.sampleFormat = parseFormat(text);
    const Entry* codepage = text.find(kCommon, "Codepage");
    if (codepage != nullptr && asciiLowerCase(codepage->value) == "utf-8" && !isUtf8(bytes))
        header.notes.push_back(fmt::format("line {}: Codepage={}, but the file is not; read as Latin-1",
                                           codepage->line, codepage->value));
    parseChannels(text, header);
    return header;
}

}  // namespace glycine::io
