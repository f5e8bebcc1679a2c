#include "engine/io/recordings/brainvision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/recordings/brainvision_text.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

/// What a .vhdr file says.
struct BrainVisionHeader {
    std::string dataFile;    ///< as written, without folder
    std::string markerFile;  ///< empty: none
    bool isMultiplexed =
        true;  ///< all channels of a sampling point lie together; otherwise all points of a channel
    SampleFormat sampleFormat = SampleFormat::Int16;
    std::optional<std::size_t> points;  ///< number of sampling points, where the file tells it
    double samplingInterval = 0;        ///< µs
    std::vector<RecordingChannel> channels;
    std::vector<std::string> notes;

    /// Bytes of one sampling point of all channels.
    std::size_t pointBytes() const { return channels.size() * sampleBytes(sampleFormat); }
};

using TextEntry = BrainVisionText::Entry;

constexpr std::string_view kCommon = "Common Infos";
constexpr std::string_view kChannels = "Channel Infos";

constexpr std::array<std::pair<std::string_view, SampleFormat>, 4> kFormats = {{
    {"INT_16", SampleFormat::Int16},
    {"UINT_16", SampleFormat::UInt16},
    {"INT_32", SampleFormat::Int32},
    {"IEEE_FLOAT_32", SampleFormat::Float32},
}};

std::size_t wholeNumber(const BrainVisionText& text, const TextEntry& entry, std::size_t maximum) {
    const std::optional<HeaderNumber> number = parseHeaderNumber(entry.value);
    if (!number || number->hasComma || number->value != std::trunc(number->value) || number->value < 1 ||
        number->value > static_cast<double>(maximum))
        text.refuse(entry, fmt::format("a whole number from 1 to {}", maximum));
    return static_cast<std::size_t>(number->value);
}

/// Throws unless the value is `accepted`; an absent entry means that.
void expectValue(const BrainVisionText& text, std::string_view section, std::string_view key,
                 std::string_view accepted) {
    const TextEntry* entry = text.find(section, key);
    if (entry != nullptr && lowerCase(entry->value) != lowerCase(accepted))
        text.refuse(*entry, fmt::format("{}; nothing else is read", accepted));
}

std::string fileNameOf(const BrainVisionText& text, const TextEntry& entry) {
    std::string name = entry.value;
    const std::string stem = std::filesystem::path(text.fileName()).stem().string();
    if (const std::size_t at = name.find("$b"); at != std::string::npos) name.replace(at, 2, stem);
    return name;
}

void parseCommon(const BrainVisionText& text, BrainVisionHeader& header) {
    header.dataFile = fileNameOf(text, text.require(kCommon, "DataFile"));
    if (const TextEntry* markers = text.find(kCommon, "MarkerFile"))
        header.markerFile = fileNameOf(text, *markers);
    expectValue(text, kCommon, "DataFormat", "BINARY");
    expectValue(text, kCommon, "DataType", "TIMEDOMAIN");
    expectValue(text, "Binary Infos", "UseBigEndianOrder", "NO");

    const TextEntry& orientation = text.require(kCommon, "DataOrientation");
    header.isMultiplexed = lowerCase(orientation.value) == "multiplexed";
    if (!header.isMultiplexed && lowerCase(orientation.value) != "vectorized")
        text.refuse(orientation, "MULTIPLEXED or VECTORIZED");
    if (const TextEntry* points = text.find(kCommon, "DataPoints"))
        header.points = wholeNumber(text, *points, std::numeric_limits<std::int32_t>::max());

    const TextEntry& interval = text.require(kCommon, "SamplingInterval");
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
    const TextEntry& entry = text.require("Binary Infos", "BinaryFormat");
    for (const auto& [word, format] : kFormats)
        if (lowerCase(entry.value) == lowerCase(word)) return format;
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

RecordingChannel parseChannel(const BrainVisionText& text, const TextEntry& entry,
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
    if (lowerCase(key.substr(0, 2)) != "ch") return 0;
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
    for (const TextEntry& entry : text.entries())
        if (lowerCase(entry.section) == lowerCase(kChannels) &&
            channelNumber(entry.key) > static_cast<double>(count))
            surplus.add(
                fmt::format("line {}: {} is not read: NumberOfChannels is {}", entry.line, entry.key, count));
    surplus.appendTo(header.notes);
}

/// `name` is used in messages, and "$b" in the names of files stands for it without folder and ending.
BrainVisionHeader parseBrainVisionHeader(std::string_view bytes, const std::string& name) {
    const BrainVisionText text(bytes, name, "Header");
    BrainVisionHeader header;
    parseCommon(text, header);
    header.sampleFormat = parseFormat(text);
    const TextEntry* codepage = text.find(kCommon, "Codepage");
    if (codepage != nullptr && lowerCase(codepage->value) == "utf-8" && !isUtf8(bytes))
        header.notes.push_back(fmt::format("line {}: Codepage={}, but the file is not; read as Latin-1",
                                           codepage->line, codepage->value));
    parseChannels(text, header);
    return header;
}

/// The file `written` in the header `header`, beside it. Throws InputError when it is not there.
std::filesystem::path companion(const std::filesystem::path& header, std::string_view key,
                                const std::string& written) {
    std::filesystem::path path = header.parent_path() / written;
    if (std::filesystem::exists(path)) return path;
    const std::filesystem::path renamed = std::filesystem::path(header).replace_extension(path.extension());
    throw InputError(fmt::format("{}: {}={}: there is no file {}{}", header.string(), key, written,
                                 path.string(),
                                 std::filesystem::exists(renamed)
                                     ? fmt::format("; the header names another file than {}, was it renamed?",
                                                   renamed.filename().string())
                                     : ""));
}

std::size_t countPoints(const BrainVisionHeader& header, std::size_t dataBytes, const std::string& name,
                        std::vector<std::string>& notes) {
    const std::size_t pointBytes = header.pointBytes();
    const std::size_t whole = dataBytes / pointBytes;
    if (header.points && *header.points > whole)
        throw InputError(
            fmt::format("{}: truncated: the header announces {} sampling points of {} bytes; the data file "
                        "{} holds {} whole ones "
                        "and {} bytes of another",
                        name, *header.points, pointBytes, header.dataFile, whole, dataBytes % pointBytes));
    const std::size_t points = header.points.value_or(whole);
    const std::size_t rest = dataBytes - points * pointBytes;
    if (rest > 0 && !header.isMultiplexed)
        throw InputError(
            fmt::format("{}: the data file {} has {} bytes; expected {} sampling points of {} bytes, "
                        "because in the order VECTORIZED no channel can be found otherwise",
                        name, header.dataFile, dataBytes, points, pointBytes));
    if (rest > 0) notes.push_back(fmt::format("{} bytes behind the last sampling point are not read", rest));
    if (points == 0) notes.push_back("there are no samples");
    return points;
}

std::vector<SampleLayout> layOut(const BrainVisionHeader& header, std::size_t points) {
    std::vector<SampleLayout> layouts;
    const std::size_t width = sampleBytes(header.sampleFormat);
    for (std::size_t i = 0; i < header.channels.size(); ++i)
        layouts.push_back({header.sampleFormat, width * i * (header.isMultiplexed ? 1 : points), 1, width,
                           header.isMultiplexed ? header.pointBytes() : width});
    return layouts;
}

/// `markerText` belongs to the marker file that the header names, if it names one.
Recording assemble(BrainVisionHeader header, const std::string& name,
                   std::optional<std::string_view> markerText, std::span<const std::byte> data,
                   std::shared_ptr<const void> owner) {
    Recording recording;
    recording.name = name;
    recording.format = "BrainVision";
    recording.notes = header.notes;
    const std::size_t points = countPoints(header, data.size(), name, recording.notes);
    recording.data = {std::move(owner), data, layOut(header, points)};
    recording.channels = std::move(header.channels);
    recording.noteDuplicateLabels();
    if (!markerText) recording.notes.push_back("the header names no marker file: gaps, if any, are unknown");
    if (points == 0) return recording;

    const std::string markerFile = (std::filesystem::path(name).parent_path() / header.markerFile).string();
    const auto markers =
        markerText ? parseBrainVisionMarkers(*markerText, markerFile) : std::vector<BrainVisionMarker>{};
    BrainVisionTimeline timeline =
        brainVisionTimeline(markers, points, recording.channels[0].samplingRate, markerFile);
    recording.startDate = std::move(timeline.startDate);
    recording.startTime = std::move(timeline.startTime);
    recording.segments = std::move(timeline.segments);
    recording.annotations = std::move(timeline.annotations);
    for (std::string& note : timeline.notes) recording.notes.push_back(std::move(note));
    return recording;
}

}  // namespace

Recording parseBrainVision(const BrainVisionContents& contents, const std::string& name) {
    return assemble(parseBrainVisionHeader(contents.header, name), name, contents.markers, contents.data,
                    contents.owner);
}

std::vector<std::filesystem::path> brainVisionFiles(const std::filesystem::path& path) {
    const BrainVisionHeader header = parseBrainVisionHeader(readText(path), path.string());
    std::vector<std::filesystem::path> files{path, companion(path, "DataFile", header.dataFile)};
    if (!header.markerFile.empty()) files.push_back(companion(path, "MarkerFile", header.markerFile));
    return files;
}

Recording readBrainVision(const std::filesystem::path& path) {
    BrainVisionHeader header = parseBrainVisionHeader(readText(path), path.string());
    const auto data =
        std::make_shared<const storage::MappedFile>(companion(path, "DataFile", header.dataFile));
    std::optional<std::string> markers;
    if (!header.markerFile.empty()) markers = readText(companion(path, "MarkerFile", header.markerFile));
    Recording recording = assemble(std::move(header), path.string(), markers, data->bytes(), data);
    recording.data.requireUnchanged = [data] { data->requireUnchanged(); };
    return recording;
}

}  // namespace glycine::io
