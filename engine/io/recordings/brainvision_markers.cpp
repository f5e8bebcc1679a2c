#include "engine/io/recordings/brainvision_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/header_text.hpp"

namespace glycine::io {

namespace {

struct DateTime {
    std::string date;
    std::string time;
    std::chrono::microseconds sinceEpoch{};
};

/// Of "YYYYMMDDhhmmssuuuuuu"; nothing for other texts, among them the zeros that stand for an unknown date.
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

/// The new-segment markers in the order of their positions; of several at one place, the first.
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

/// Seconds from the first date to each date; empty unless all are known and no segment begins before the last
/// one ends.
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

/// Seconds of sampling point `point`, counted from 0; points outside continue the first or the last segment.
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

}  // namespace

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

BrainVisionTimeline brainVisionTimeline(const std::vector<BrainVisionMarker>& markers, std::size_t points,
                                        double samplingRate, const std::string& name) {
    BrainVisionTimeline timeline;
    std::vector<BrainVisionMarker> starts = newSegments(markers, points, name);
    // What lies before the first marker is a segment, too.
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
            fmt::format("the dates of the {} segments do not tell their onsets; they are taken to follow one "
                        "another without pause",
                        starts.size()));
    addAnnotations(markers, points, samplingRate, timeline);
    return timeline;
}

}  // namespace glycine::io
