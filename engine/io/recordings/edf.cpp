#include "engine/io/recordings/edf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/recordings/edf_header.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

// The annotation signals of EDF+ and BDF+: events with their times, and the onset of each data record.

/// Contents of one annotation signal in one data record.
struct EdfAnnotations {
    struct Damage {
        std::size_t offset = 0;  ///< bytes from the beginning of the signal in this record
        std::string reason;
    };

    /// Onset of the data record in seconds after the start time, from the time-keeping annotation. Absent if
    /// the first list does not begin with an empty annotation.
    std::optional<double> recordOnset;
    std::vector<RecordingAnnotation> annotations;
    std::vector<Damage> damages;  ///< unreadable lists, whose annotations are missing
};

constexpr char kTextEnd = '\x14';
constexpr char kDurationMark = '\x15';

/// Digits with at most one point; nothing for anything else.
std::optional<double> unsignedNumber(std::string_view text) {
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<double> signedNumber(std::string_view text) {
    if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
    const std::optional<double> magnitude = unsignedNumber(text.substr(1));
    if (magnitude && text[0] == '-') return -*magnitude;
    return magnitude;
}

/// Reads `list`, a list without its final zero byte. Returns its defect, or nothing.
std::optional<std::string> readList(std::string_view list, bool isFirst, EdfAnnotations& result) {
    if (list.back() != kTextEnd) return "it does not end with the byte 0x14";
    const std::string_view stamp = list.substr(0, list.find(kTextEnd));
    const std::size_t mark = stamp.find(kDurationMark);
    RecordingAnnotation annotation;
    const std::optional<double> onset = signedNumber(stamp.substr(0, mark));
    if (!onset) return "its onset is not + or - and a number";
    annotation.onset = *onset;
    if (mark != std::string_view::npos) {
        annotation.duration = unsignedNumber(stamp.substr(mark + 1));
        if (!annotation.duration) return "its duration is not a number without sign";
    }
    std::string_view texts = list.substr(stamp.size() + 1);
    if (isFirst && texts.starts_with(kTextEnd)) result.recordOnset = onset;
    while (!texts.empty()) {
        const std::size_t end = texts.find(kTextEnd);
        if (end > 0) {
            annotation.text = utf8FromUnknown(texts.substr(0, end));
            result.annotations.push_back(annotation);
        }
        texts.remove_prefix(end + 1);
    }
    return std::nullopt;
}

/// Tolerance in seconds between the onset of a record and the end of the previous one.
double gapTolerance(const EdfHeader& header) {
    double fastest = 0;
    for (const EdfSignal& signal : header.signals) fastest = std::max(fastest, signal.channel.samplingRate);
    constexpr double kRounding = 1e-3;
    return fastest > 0 ? std::max(0.5 / fastest, kRounding) : kRounding;
}

/// The defect that makes the onsets unusable, naming the record; empty if there is none.
std::string defectOf(std::span<const std::optional<double>> onsets, double duration, double tolerance) {
    for (std::size_t record = 0; record < onsets.size(); ++record) {
        if (!onsets[record])
            return fmt::format("data record {} of {} has no time-keeping annotation", record + 1,
                               onsets.size());
        if (record > 0 && *onsets[record] < *onsets[record - 1] + duration - tolerance)
            return fmt::format(
                "data record {} begins at {} s, before the one that begins at {} s has lasted {} s",
                record + 1, *onsets[record], *onsets[record - 1], duration);
    }
    return {};
}

/// Reads time-stamped annotation lists. Each has the form
///
///     ±ONSET [0x15 DURATION] 0x14 TEXT 0x14 [TEXT 0x14 …] 0x00
///
/// with unused bytes set to 0. Malformed lists become damages. Texts that are not UTF-8 are read as Latin-1.
/// Empty texts only keep time and are dropped.
/// Source: EDF+ specification, sections 2.2.2 to 2.2.4.
EdfAnnotations parseEdfAnnotations(std::string_view bytes) {
    EdfAnnotations result;
    for (std::size_t begin = 0; begin < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
        if (end > begin) {
            std::optional<std::string> damage =
                readList(bytes.substr(begin, end - begin), begin == 0, result);
            if (damage) result.damages.push_back({begin, std::move(*damage)});
        }
        begin = end + 1;
    }
    return result;
}

/// Divides the data records into segments without gaps. `onsets` has the time-keeping annotation of each
/// record, if any. `header.recordDuration` must be above 0.
///
/// A record continues the previous one if it begins where that one ends. The tolerance is half a sampling
/// interval of the fastest signal or 1 ms, whichever is larger, because onsets are often rounded to
/// milliseconds.
///
/// EDF+D and BDF+D: throws InputError for a record without time-keeping and for one that begins before the
/// previous one ends. Other files claim to have no gaps. If their time-keeping shows gaps, these are used and
/// noted; incomplete or decreasing time-keeping is noted and ignored.
std::vector<RecordingSegment> edfSegments(const EdfHeader& header, const std::string& name,
                                          std::span<const std::optional<double>> onsets,
                                          std::vector<std::string>& notes) {
    std::vector<RecordingSegment> segments;
    if (onsets.empty()) return segments;
    const double tolerance = gapTolerance(header);
    const bool mayHaveGaps = header.continuity == EdfContinuity::Discontinuous;
    const std::string defect = defectOf(onsets, header.recordDuration, tolerance);
    if (!defect.empty() && mayHaveGaps)
        throw InputError(
            fmt::format("{}: {}; expected each record of an {} file to state its onset, in ascending order",
                        name, defect, header.format()));
    if (!defect.empty() && header.hasAnnotations())
        notes.push_back(fmt::format("{}; read as one stretch without gaps", defect));

    const double start = defect.empty() ? *onsets[0] : 0;
    segments.push_back({start, 0, 0, 0});
    for (std::size_t record = 0; record < onsets.size(); ++record) {
        const bool isGap = defect.empty() && record > 0 &&
                           *onsets[record] > *onsets[record - 1] + header.recordDuration + tolerance;
        if (isGap) segments.push_back({*onsets[record], 0, record, 0});
        ++segments.back().records;
    }
    for (RecordingSegment& segment : segments)
        segment.duration = static_cast<double>(segment.records) * header.recordDuration;
    if (!mayHaveGaps && segments.size() > 1)
        notes.push_back(
            fmt::format("marked as {}, which has no gaps, but its time stamps have {}, the first after data "
                        "record {}; split there",
                        header.format(), segments.size() - 1, segments[0].records));
    return segments;
}

/// Number of data records in a file of `fileBytes` bytes.
std::size_t countRecords(const EdfHeader& header, std::size_t fileBytes, const std::string& name,
                         std::vector<std::string>& notes) {
    const std::size_t recordBytes = header.recordBytes();
    const std::size_t dataBytes = fileBytes - header.headerBytes();
    const std::size_t whole = dataBytes / recordBytes;
    if (!header.records) {
        notes.push_back(
            fmt::format("the recording was not closed (-1 data records); the file has {} whole data records "
                        "and {} bytes of another",
                        whole, dataBytes % recordBytes));
        return whole;
    }
    const std::size_t records = *header.records;
    if (records > whole && whole == 0)
        throw InputError(
            fmt::format("{}: truncated: the header (bytes 236-243) announces {} data records of {} bytes; "
                        "the file holds no whole one, only {} bytes",
                        name, records, recordBytes, dataBytes));
    if (records > whole) {
        const auto seconds = static_cast<double>(records - whole) * header.recordDuration;
        notes.push_back(fmt::format(
            "truncated: the header (bytes 236-243) announces {} data records of {} bytes, the file holds {} "
            "whole ones and {} bytes of another: the last {}{} are missing",
            records, recordBytes, whole, dataBytes % recordBytes,
            header.recordDuration > 0 ? fmt::format("{:.6g} s, ", seconds) : "",
            formatCount(records - whole, "data record")));
        return whole;
    }
    if (const std::size_t rest = dataBytes - records * recordBytes; rest > 0)
        notes.push_back(fmt::format("{} bytes after the last data record are not read", rest));
    if (records == 0) notes.push_back("there are no data records");
    return records;
}

RecordingData layOut(const EdfHeader& header, std::span<const std::byte> bytes,
                     std::shared_ptr<const void> owner) {
    RecordingData data{std::move(owner), bytes, {}};
    const std::size_t width = sampleBytes(header.sampleFormat());
    std::size_t offset = header.headerBytes();
    for (const EdfSignal& signal : header.signals) {
        data.layouts.push_back(
            {header.sampleFormat(), offset, signal.samplesPerRecord, width, header.recordBytes()});
        offset += signal.samplesPerRecord * width;
    }
    return data;
}

/// Collects the annotations of all data records. Returns the onset of each record, if time-keeping gives it.
std::vector<std::optional<double>> collectAnnotations(const EdfHeader& header, std::size_t records,
                                                      Recording& recording) {
    std::vector<std::optional<double>> onsets(records);
    RepeatedNote damages;
    const std::string_view text(reinterpret_cast<const char*>(recording.data.bytes.data()),
                                recording.data.bytes.size());
    for (std::size_t record = 0; header.hasAnnotations() && record < records; ++record) {
        bool isFirstSignal = true;
        for (std::size_t i = 0; i < header.signals.size(); ++i) {
            if (header.signals[i].channel.kind != ChannelKind::Annotations) continue;
            const SampleLayout& layout = recording.data.layouts[i];
            const std::size_t begin = layout.offset + record * layout.recordStride;
            EdfAnnotations found =
                parseEdfAnnotations(text.substr(begin, layout.samplesPerRecord * layout.sampleStride));
            for (RecordingAnnotation& annotation : found.annotations)
                recording.annotations.push_back(std::move(annotation));
            for (const EdfAnnotations::Damage& damage : found.damages)
                damages.add(fmt::format("data record {}, byte {}: an annotation list is not read: {}",
                                        record + 1, begin + damage.offset, damage.reason));
            if (isFirstSignal) onsets[record] = found.recordOnset;
            isFirstSignal = false;
        }
    }
    damages.appendTo(recording.notes);
    return onsets;
}

constexpr std::size_t kNumberWidth = 8;
constexpr double kDigitalMinimum = -32768;
constexpr double kDigitalSteps = 65535;
/// Largest data record that EDF allows, in bytes.
constexpr std::size_t kLargestRecord = 61440;

std::string field(std::string_view text, std::size_t width, std::string_view meaning) {
    const bool isPlain = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!isPlain || text.size() > width)
        throw UsageError(
            fmt::format("EDF: {} '{}'; expected at most {} characters of ASCII", meaning, text, width));
    return std::string(text) + std::string(width - text.size(), ' ');
}

/// The number with as many decimals as fit into eight characters, rounded by `round`.
template <class Round>
std::string numberText(double value, const Round& round) {
    for (int decimals = 6;; --decimals) {
        const double scale = std::pow(10.0, decimals);
        std::string text = fmt::format("{:.{}f}", round(value * scale) / scale, decimals);
        if (text.size() <= kNumberWidth || decimals == 0) return text;
    }
}

double parsed(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

/// Mapping of a channel's values to digital ones.
struct DigitalScale {
    std::string minimum;
    std::string maximum;
    double offset = 0;  ///< physical value of the digital minimum
    double gain = 1;
};

DigitalScale scaleOf(const double* samples, std::size_t count, const std::string& label) {
    constexpr double kLargest = 9'000'000, kSmallestSpan = 1e-3;
    for (std::size_t i = 0; i < count; ++i)
        if (!(std::abs(samples[i]) <= kLargest))
            throw UsageError(fmt::format("EDF: channel '{}', sample {} is {}; expected numbers within ±{}",
                                         label, i, samples[i], kLargest));
    const auto [smallest, largest] = std::minmax_element(samples, samples + count);
    // The format has no range of width 0.
    const double widening = *smallest == *largest ? 1 : 0;
    if (widening == 0 && *largest - *smallest < kSmallestSpan)
        throw UsageError(
            fmt::format("EDF: channel '{}' varies by {}; expected {} at least: choose another unit", label,
                        *largest - *smallest, kSmallestSpan));
    DigitalScale scale;
    scale.minimum = numberText(*smallest - widening, [](double value) { return std::floor(value); });
    scale.maximum = numberText(*largest + widening, [](double value) { return std::ceil(value); });
    scale.offset = parsed(scale.minimum);
    scale.gain = (parsed(scale.maximum) - scale.offset) / kDigitalSteps;
    return scale;
}

struct Records {
    std::size_t samples = 0;  ///< per channel and record
    std::string duration;     ///< seconds
};

Records chooseRecords(std::size_t samples, std::size_t channels, double rate) {
    constexpr double kExact = 1e-12, kTolerable = 1e-5;
    Records best;
    double bestError = std::numeric_limits<double>::infinity(), bestDistance = bestError;
    for (std::size_t count = 1; count <= samples; ++count) {
        if (samples % count != 0 || (count > 1 && 2 * count * channels > kLargestRecord)) continue;
        const double seconds = static_cast<double>(count) / rate;
        std::string text = numberText(seconds, [](double value) { return std::round(value); });
        while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
            const bool isPoint = text.back() == '.';
            text.pop_back();
            if (isPoint) break;
        }
        const double duration = parsed(text);
        if (!(duration > 0) || text.size() > kNumberWidth) continue;
        const double error = std::max(kExact, std::abs(static_cast<double>(count) / duration / rate - 1));
        const double distance = std::abs(std::log(seconds));
        if (error < bestError || (error == bestError && distance < bestDistance)) {
            best = {count, std::move(text)};
            bestError = error;
            bestDistance = distance;
        }
    }
    if (!(bestError <= kTolerable))
        throw UsageError(
            fmt::format("EDF: {} samples at {} Hz do not divide into data records of a duration that eight "
                        "characters can hold; choose another number of samples or another rate",
                        samples, rate));
    return best;
}

std::string headerText(const EdfDescription& description, const std::vector<DigitalScale>& scales,
                       const Records& records, std::size_t recordCount) {
    const std::size_t channels = scales.size();
    std::string text = field("0", 8, "version") + field(description.patient, 80, "patient") +
                       field(description.recording, 80, "recording") + "01.01.85" + "00.00.00" +
                       field(fmt::to_string(256 * (channels + 1)), 8, "header length") +
                       std::string(44, ' ') +
                       field(fmt::to_string(recordCount), 8, "number of data records") +
                       field(records.duration, 8, "record duration") +
                       field(fmt::to_string(channels), 4, "number of channels");
    const auto column = [&](std::size_t width, std::string_view meaning, const auto& entry) {
        for (std::size_t k = 0; k < channels; ++k) text += field(entry(k), width, meaning);
    };
    const auto constant = [](const char* value) { return [value](std::size_t) { return value; }; };
    column(16, "label", [&](std::size_t k) { return description.labels[k]; });
    column(80, "transducer", constant(""));
    column(8, "unit", [&](std::size_t k) { return description.units[k]; });
    column(8, "physical minimum", [&](std::size_t k) { return scales[k].minimum; });
    column(8, "physical maximum", [&](std::size_t k) { return scales[k].maximum; });
    column(8, "digital minimum", constant("-32768"));
    column(8, "digital maximum", constant("32767"));
    column(80, "prefiltering", constant(""));
    column(8, "samples a record", [&](std::size_t) { return fmt::to_string(records.samples); });
    column(32, "reserved", constant(""));
    return text;
}

}  // namespace

Recording parseEdf(std::span<const std::byte> bytes, const std::string& name,
                   std::shared_ptr<const void> owner) {
    EdfHeader header = parseEdfHeader(bytes, name);
    Recording recording;
    recording.name = name;
    recording.format = header.format();
    recording.patient = header.patient;
    recording.description = header.recording;
    recording.startDate = header.startDate;
    recording.startTime = header.startTime;
    recording.notes = header.notes;
    for (const EdfSignal& signal : header.signals) recording.channels.push_back(signal.channel);
    const std::size_t records = countRecords(header, bytes.size(), name, recording.notes);
    recording.data = layOut(header, bytes, std::move(owner));
    const std::vector<std::optional<double>> onsets = collectAnnotations(header, records, recording);
    if (header.recordDuration > 0) recording.segments = edfSegments(header, name, onsets, recording.notes);
    recording.noteDuplicateLabels();
    return recording;
}

Recording readEdf(const std::filesystem::path& path) {
    const auto file = std::make_shared<const storage::MappedFile>(path);
    Recording recording = parseEdf(file->bytes(), path.string(), file);
    recording.data.requireUnchanged = [file] { file->requireUnchanged(); };
    recording.data.requireUnchanged();
    return recording;
}

void writeEdf(const std::filesystem::path& path, const EdfDescription& description,
              MatrixView<const double> signals) {
    const std::size_t channels = signals.rows();
    if (signals.empty() || description.labels.size() != channels || description.units.size() != channels)
        throw UsageError(fmt::format("EDF: {} channels of {} samples, {} labels and {} units", channels,
                                     signals.columns(), description.labels.size(), description.units.size()));
    if (!(description.samplingRate > 0 && std::isfinite(description.samplingRate)))
        throw UsageError(
            fmt::format("EDF: a sampling rate of {} Hz; expected one above 0", description.samplingRate));
    std::vector<DigitalScale> scales;
    for (std::size_t k = 0; k < channels; ++k)
        scales.push_back(scaleOf(signals.row(k), signals.columns(), description.labels[k]));
    const Records records = chooseRecords(signals.columns(), channels, description.samplingRate);
    const std::size_t recordCount = signals.columns() / records.samples;

    storage::AtomicFile file(path);
    file.write(headerText(description, scales, records, recordCount));
    std::vector<char> bytes(2 * records.samples * channels);
    for (std::size_t record = 0; record < recordCount; ++record) {
        std::size_t at = 0;
        for (std::size_t k = 0; k < channels; ++k) {
            const double* const samples = signals.row(k) + record * records.samples;
            for (std::size_t i = 0; i < records.samples; ++i) {
                const double step = std::round((samples[i] - scales[k].offset) / scales[k].gain);
                const auto digital = static_cast<std::uint16_t>(
                    static_cast<std::int32_t>(kDigitalMinimum + std::clamp(step, 0.0, kDigitalSteps)));
                bytes[at++] = static_cast<char>(digital & 0xffU);
                bytes[at++] = static_cast<char>(digital >> 8);
            }
        }
        file.write(bytes.data(), bytes.size());
    }
    file.commit();
}

}  // namespace glycine::io
