#include "engine/io/recordings/edf_timekeeping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.hpp"

namespace glycine::io {

namespace {

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
