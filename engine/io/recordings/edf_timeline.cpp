#include "engine/io/recordings/edf_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/utf8.hpp"

namespace glycine::io {

namespace {

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

/// Reads `list`, a list without its final zero byte. Returns what is wrong with it, or nothing.
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

/// Seconds by which the onset of a record may differ from the end of the last one.
double gapTolerance(const EdfHeader& header) {
    double fastest = 0;
    for (const EdfSignal& signal : header.signals) fastest = std::max(fastest, signal.channel.samplingRate);
    constexpr double kRounding = 1e-3;
    return fastest > 0 ? std::max(0.5 / fastest, kRounding) : kRounding;
}

/// What keeps the onsets from being used, naming the record; empty where nothing does.
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

}  // namespace

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
            fmt::format("{}: {}; expected each record of an {} file to tell its onset, in the order of time",
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
            fmt::format("marked as {}, which has no gaps, but time-keeping tells {}, the first after data "
                        "record {}; split there",
                        header.format(), segments.size() - 1, segments[0].records));
    return segments;
}

}  // namespace glycine::io
