#include "engine/io/recordings/brainvision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/recordings/recording.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/io/text/text_stream.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

// The text files of the BrainVision format: the syntax shared by header and marker files, and the markers.

/// A header or marker file of the BrainVision format: an identifying line, then sections of KEY=VALUE lines.
class BrainVisionText {
  public:
    struct Entry {
        std::string section;
        std::string key;
        std::string value;
        std::size_t line = 0;  ///< counted from 1
    };

    /// Parses text in UTF-8 (skipping a byte order mark) or else Latin-1. `kind` is the word in the
    /// identifying line: "Header", "Marker". Comment lines begin with a semicolon; a section [Comment] ends
    /// the file. Names of sections and keys are case-insensitive. Lines without "=" are skipped, because
    /// sections added by programs hold any text. Throws InputError for another identifying line, a version
    /// other than 1.0 and 2.0, and a repeated key in a section [Common Infos], [Binary Infos] or [Channel
    /// Infos].
    BrainVisionText(std::string_view text, std::string fileName, std::string_view kind);

    /// Returns nothing if the key is absent or its value is empty.
    const Entry* find(std::string_view section, std::string_view key) const;
    /// Throws InputError if `find` returns nothing.
    const Entry& require(std::string_view section, std::string_view key) const;
    const std::vector<Entry>& entries() const { return entries_; }

    /// Throws InputError: "FILE: line 12: KEY=VALUE; expected EXPECTED".
    [[noreturn]] void refuse(const Entry& entry, std::string_view expected) const;
    const std::string& fileName() const { return fileName_; }

  private:
    void checkIdentification(std::string_view line, std::string_view kind) const;
    void indexEntries();

    std::string fileName_;
    std::vector<Entry> entries_;
    /// Positions in `entries_` by section and key, both in lower case.
    std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

/// A marker of a .vmrk file.
struct BrainVisionMarker {
    std::string type;          ///< "Stimulus", "New Segment"
    std::string description;   ///< "S253"; may be empty
    std::size_t position = 0;  ///< sampling point, counted from 1
    std::size_t size = 0;      ///< sampling points
    std::string date;          ///< of a new segment, "YYYYMMDDhhmmssuuuuuu"; often empty
    std::size_t line = 0;
};

/// The contents of a recording's markers.
struct BrainVisionTimeline {
    std::string startDate;  ///< of the first segment, as in Recording; empty if no marker gives it
    std::string startTime;
    std::vector<RecordingSegment> segments;
    std::vector<RecordingAnnotation> annotations;  ///< markers other than new segments
    std::vector<std::string> notes;
};

/// Sections whose keys are unique. Markers are read one by one, whatever their numbers.
constexpr std::array<std::string_view, 3> kSectionsOfSingleKeys = {"common infos", "binary infos",
                                                                   "channel infos"};

/// Removes the next line from `rest` and returns it.
std::string_view takeLine(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return trimBlanks(line);
}

struct DateTime {
    std::string date;
    std::string time;
    std::chrono::microseconds sinceEpoch{};
};

/// Parses "YYYYMMDDhhmmssuuuuuu". Returns nothing for other texts, including the zeros that stand for an
/// unknown date.
std::optional<DateTime> parseDateTime(std::string_view text) {
    constexpr std::size_t kLength = 20;
    if (text.size() != kLength || !isDigits(text)) return std::nullopt;
    const auto number = [text](std::size_t begin, std::size_t length) {
        int value = 0;
        std::from_chars(text.data() + begin, text.data() + begin + length, value);
        return value;
    };
    const int year = number(0, 4);
    const int month = number(4, 2);
    const int day = number(6, 2);
    const int hour = number(8, 2);
    const int minute = number(10, 2);
    const int second = number(12, 2);
    const int microsecond = number(14, 6);
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return DateTime{fmt::format("{:04}-{:02}-{:02}", year, month, day),
                    fmt::format("{:02}:{:02}:{:02}.{:06}", hour, minute, second, microsecond),
                    std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                        std::chrono::minutes(minute) + std::chrono::seconds(second) +
                        std::chrono::microseconds(microsecond)};
}

bool isNewSegment(const BrainVisionMarker& marker) {
    return lowerCase(marker.type) == "new segment";
}

/// The new-segment markers in the order of their positions; of several at one position, the first.
std::vector<BrainVisionMarker> newSegments(const std::vector<BrainVisionMarker>& markers, std::size_t points,
                                           const std::string& name) {
    std::vector<BrainVisionMarker> starts;
    for (const BrainVisionMarker& marker : markers) {
        if (!isNewSegment(marker)) continue;
        if (marker.position < 1 || marker.position > points)
            throw InputError(
                fmt::format("{}: line {}: a segment begins at sampling point {}; expected 1 to {}, which the "
                            "data file has",
                            name, marker.line, marker.position, points));
        starts.push_back(marker);
    }
    const auto position = [](const BrainVisionMarker& marker) { return marker.position; };
    std::stable_sort(starts.begin(), starts.end(),
                     [&](const auto& a, const auto& b) { return position(a) < position(b); });
    starts.erase(std::unique(starts.begin(), starts.end(),
                             [&](const auto& a, const auto& b) { return position(a) == position(b); }),
                 starts.end());
    return starts;
}

/// Seconds from the first date to each date. Empty unless all dates are known and no segment begins before
/// the previous one ends.
std::vector<double> onsetsByDate(const std::vector<BrainVisionMarker>& starts, double samplingRate) {
    constexpr double kRounding = 1e-3;
    std::vector<double> onsets;
    std::optional<DateTime> first;
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const std::optional<DateTime> date = parseDateTime(starts[k].date);
        if (!date) return {};
        if (k == 0) first = date;
        onsets.push_back(std::chrono::duration<double>(date->sinceEpoch - first->sinceEpoch).count());
        if (k == 0) continue;
        const double length = static_cast<double>(starts[k].position - starts[k - 1].position) / samplingRate;
        if (onsets[k] < onsets[k - 1] + length - kRounding) return {};
    }
    return onsets;
}

/// Time in seconds of sampling point `point`, counted from 0. Points outside extrapolate the first or the
/// last segment.
double secondsOf(double point, const std::vector<RecordingSegment>& segments, double samplingRate) {
    const auto after = std::upper_bound(segments.begin() + 1, segments.end(), point,
                                        [](double value, const RecordingSegment& segment) {
                                            return value < static_cast<double>(segment.firstRecord);
                                        });
    const RecordingSegment& segment = *(after - 1);
    return segment.onset + (point - static_cast<double>(segment.firstRecord)) / samplingRate;
}

void addAnnotations(const std::vector<BrainVisionMarker>& markers, std::size_t points, double samplingRate,
                    BrainVisionTimeline& timeline) {
    RepeatedNote outside;
    for (const BrainVisionMarker& marker : markers) {
        if (isNewSegment(marker)) continue;
        if (marker.position < 1 || marker.position > points)
            outside.add(fmt::format(
                "marker file, line {}: sampling point {} lies outside the recording, which has {}",
                marker.line, marker.position, points));
        RecordingAnnotation annotation;
        annotation.onset =
            secondsOf(static_cast<double>(marker.position) - 1, timeline.segments, samplingRate);
        if (marker.size > 0) annotation.duration = static_cast<double>(marker.size) / samplingRate;
        annotation.text = marker.description.empty() ? marker.type : marker.type + "/" + marker.description;
        timeline.annotations.push_back(std::move(annotation));
    }
    outside.appendTo(timeline.notes);
}

BrainVisionText::BrainVisionText(std::string_view bytes, std::string fileName, std::string_view kind)
    : fileName_(std::move(fileName)) {
    const std::string text = utf8FromUnknown(withoutByteOrderMark(bytes));
    std::string_view rest = text;
    checkIdentification(takeLine(rest), kind);
    std::string section;
    for (std::size_t number = 2; !rest.empty(); ++number) {
        const std::string_view line = takeLine(rest);
        if (line.empty() || line[0] == ';') continue;
        if (line.front() == '[' && line.back() == ']') {
            section = line.substr(1, line.size() - 2);
            if (lowerCase(section) == "comment") break;
            continue;
        }
        const std::size_t sign = line.find('=');
        if (sign == std::string_view::npos) continue;
        entries_.push_back({section, std::string(trimBlanks(line.substr(0, sign))),
                            std::string(trimBlanks(line.substr(sign + 1))), number});
    }
    indexEntries();
}

void BrainVisionText::checkIdentification(std::string_view line, std::string_view kind) const {
    for (const std::string_view name : {"Brain Vision", "BrainVision"})
        for (const std::string_view comma : {"", ","})
            for (const std::string_view version : {"1.0", "2.0"})
                if (line == fmt::format("{} Data Exchange {} File{} Version {}", name, kind, comma, version))
                    return;
    throw InputError(
        fmt::format("{}: line 1: '{}'; expected 'BrainVision Data Exchange {} File Version 1.0' (or 2.0)",
                    fileName_, excerpt(printable(line)), kind));
}

void BrainVisionText::indexEntries() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const std::string section = lowerCase(entries_[i].section);
        const auto [first, isNew] = index_.try_emplace({section, lowerCase(entries_[i].key)}, i);
        if (!isNew && std::count(kSectionsOfSingleKeys.begin(), kSectionsOfSingleKeys.end(), section) > 0)
            refuse(entries_[i],
                   fmt::format("{} once, and line {} has it", entries_[i].key, entries_[first->second].line));
    }
}

const BrainVisionText::Entry* BrainVisionText::find(std::string_view section, std::string_view key) const {
    const auto found = index_.find({lowerCase(section), lowerCase(key)});
    if (found == index_.end()) return nullptr;
    const Entry& entry = entries_[found->second];
    return entry.value.empty() ? nullptr : &entry;
}

const BrainVisionText::Entry& BrainVisionText::require(std::string_view section, std::string_view key) const {
    const Entry* entry = find(section, key);
    if (entry == nullptr)
        throw InputError(
            fmt::format("{}: section [{}] has no {}; expected {}=…", fileName_, section, key, key));
    return *entry;
}

void BrainVisionText::refuse(const Entry& entry, std::string_view expected) const {
    throw InputError(fmt::format("{}: line {}: {}={}; expected {}", fileName_, entry.line, excerpt(entry.key),
                                 excerpt(entry.value), expected));
}

/// The comma-separated fields of a value, without surrounding spaces; "\1" stands for a comma within a field.
std::vector<std::string> brainVisionFields(std::string_view value) {
    std::vector<std::string> fields;
    while (true) {
        const std::size_t end = value.find(',');
        std::string field(trimBlanks(value.substr(0, end)));
        for (std::size_t at = field.find("\\1"); at != std::string::npos; at = field.find("\\1", at + 1))
            field.replace(at, 2, ",");
        fields.push_back(std::move(field));
        if (end == std::string_view::npos) return fields;
        value.remove_prefix(end + 1);
    }
}

/// Reads a marker file. Throws InputError, naming the line, for what BrainVisionText refuses, for markers
/// without a type, and for positions or sizes that are no integers of 0 or more.
std::vector<BrainVisionMarker> parseBrainVisionMarkers(std::string_view bytes, const std::string& name) {
    const BrainVisionText text(bytes, name, "Marker");
    constexpr std::string_view kExpected =
        "TYPE,DESCRIPTION,POSITION,SIZE,CHANNEL with whole numbers from 0 on";
    std::vector<BrainVisionMarker> markers;
    for (const BrainVisionText::Entry& entry : text.entries()) {
        if (lowerCase(entry.section) != "marker infos" || lowerCase(entry.key.substr(0, 2)) != "mk") continue;
        std::vector<std::string> fields = brainVisionFields(entry.value);
        if (fields.size() < 3 || fields[0].empty()) text.refuse(entry, kExpected);
        fields.resize(std::max<std::size_t>(fields.size(), 6));
        const auto whole = [&](const std::string& field) {
            constexpr double kLargest = 1e15;
            const std::optional<HeaderNumber> number = parseHeaderNumber(field);
            if (!number || number->value < 0 || number->value > kLargest ||
                number->value != std::trunc(number->value))
                text.refuse(entry, kExpected);
            return static_cast<std::size_t>(number->value);
        };
        markers.push_back({fields[0], fields[1], whole(fields[2]), fields[3].empty() ? 0 : whole(fields[3]),
                           fields[5], entry.line});
    }
    return markers;
}

/// Divides a recording at its "New Segment" markers. Their dates give the onsets if each marker has one and
/// no segment begins before the previous one ends, within 1 ms. Otherwise the segments are assumed to be
/// contiguous, which is noted. Markers of a size above 0 last that many sampling intervals. Markers outside
/// the recording are noted, and timed relative to its beginning or end. `points`: number of sampling points,
/// at least 1; `samplingRate` in Hz; `name`: the marker file, for messages. Throws InputError for a new
/// segment outside the recording.
BrainVisionTimeline brainVisionTimeline(const std::vector<BrainVisionMarker>& markers, std::size_t points,
                                        double samplingRate, const std::string& name) {
    BrainVisionTimeline timeline;
    std::vector<BrainVisionMarker> starts = newSegments(markers, points, name);
    // The part before the first marker is a segment, too.
    if (starts.empty() || starts[0].position > 1)
        starts.insert(starts.begin(), BrainVisionMarker{{}, {}, 1, 0, {}, 0});
    if (const auto date = parseDateTime(starts[0].date)) {
        timeline.startDate = date->date;
        timeline.startTime = date->time;
    }
    const std::vector<double> dated = onsetsByDate(starts, samplingRate);
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const std::size_t first = starts[k].position - 1;
        const std::size_t end = k + 1 < starts.size() ? starts[k + 1].position - 1 : points;
        const double onset = dated.empty() ? static_cast<double>(first) / samplingRate : dated[k];
        timeline.segments.push_back(
            {onset, static_cast<double>(end - first) / samplingRate, first, end - first});
    }
    if (dated.empty() && starts.size() > 1)
        timeline.notes.push_back(
            fmt::format("the dates of the {} segments do not give their onsets; they are taken to follow one "
                        "another without pause",
                        starts.size()));
    addAnnotations(markers, points, samplingRate, timeline);
    return timeline;
}

/// Contents of a .vhdr file.
struct BrainVisionHeader {
    std::string dataFile;       ///< as written, without folder
    std::string markerFile;     ///< empty if there is none
    bool isMultiplexed = true;  ///< channels interleaved per sampling point; otherwise channel by channel
    SampleFormat sampleFormat = SampleFormat::Int16;
    std::optional<std::size_t> points;  ///< number of sampling points, if the file states it
    double samplingInterval = 0;        ///< µs
    std::vector<RecordingChannel> channels;
    std::vector<std::string> notes;

    /// Bytes per sampling point, over all channels.
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

/// Throws unless the value is `accepted` or the entry is absent.
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

/// Sets the digital range to that of the number type.
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

/// Parses "1,-90,-72" in [Coordinates]: radius, degrees from the top to the right, degrees from there to the
/// front. A radius of 0 marks an unknown position.
std::optional<std::array<double, 3>> parsePosition(const BrainVisionText& text, std::size_t number) {
    const TextEntry* entry = text.find("Coordinates", fmt::format("Ch{}", number));
    if (entry == nullptr) return std::nullopt;
    std::array<double, 3> values{};
    const std::vector<std::string> fields = brainVisionFields(entry->value);
    for (std::size_t k = 0; k < values.size() && k < fields.size(); ++k)
        if (const std::optional<HeaderNumber> value = parseHeaderNumber(fields[k])) values[k] = value->value;
    const auto [radius, theta, phi] = values;
    constexpr double kDegree = std::numbers::pi / 180;
    if (!(radius > 0)) return std::nullopt;
    return knownPosition({std::sin(theta * kDegree) * std::cos(phi * kDegree),
                          std::sin(theta * kDegree) * std::sin(phi * kDegree), std::cos(theta * kDegree)});
}

/// Returns 12 for "Ch12", and 0 for keys that name no channel.
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
    for (std::size_t i = 0; i < count; ++i) header.channels[i].position = parsePosition(text, i + 1);
    RepeatedNote surplus;
    for (const TextEntry& entry : text.entries())
        if (lowerCase(entry.section) == lowerCase(kChannels) &&
            channelNumber(entry.key) > static_cast<double>(count))
            surplus.add(
                fmt::format("line {}: {} is not read: NumberOfChannels is {}", entry.line, entry.key, count));
    surplus.appendTo(header.notes);
}

/// `name` is used in messages. Its stem, without folder and extension, replaces "$b" in file names.
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

/// The file that the header names as `written`, in the header's folder. Throws InputError if it does not
/// exist.
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
                        "{} holds {} whole ones and {} bytes of another",
                        name, *header.points, pointBytes, header.dataFile, whole, dataBytes % pointBytes));
    const std::size_t points = header.points.value_or(whole);
    const std::size_t rest = dataBytes - points * pointBytes;
    if (rest > 0 && !header.isMultiplexed)
        throw InputError(
            fmt::format("{}: the data file {} has {} bytes; expected {} sampling points of {} bytes, "
                        "because in the order VECTORIZED no channel can be found otherwise",
                        name, header.dataFile, dataBytes, points, pointBytes));
    if (rest > 0) notes.push_back(fmt::format("{} bytes after the last sampling point are not read", rest));
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

/// `markerText`: contents of the marker file, if the header names one.
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
