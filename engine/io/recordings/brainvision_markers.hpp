#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/recordings/recording.hpp"

namespace glycine::io {

/// A marker of a .vmrk file.
struct BrainVisionMarker {
    std::string type;          ///< "Stimulus", "New Segment"
    std::string description;   ///< "S253"; may be empty
    std::size_t position = 0;  ///< sampling point, counted from 1
    std::size_t size = 0;      ///< sampling points
    std::string date;          ///< of a new segment, "YYYYMMDDhhmmssuuuuuu"; often empty
    std::size_t line = 0;
};

/// Reads a marker file. Throws InputError, naming the line, for what BrainVisionText refuses and for markers
/// without a type or whose position or size are no whole numbers of 0 or more.
std::vector<BrainVisionMarker> parseBrainVisionMarkers(std::string_view text, const std::string& name);

/// What the markers make of a recording.
struct BrainVisionTimeline {
    std::string startDate;  ///< of the first segment, as Recording has them; empty where no marker tells
    std::string startTime;
    std::vector<RecordingSegment> segments;
    std::vector<RecordingAnnotation> annotations;  ///< markers other than new segments
    std::vector<std::string> notes;
};

/// Divides a recording at its "New Segment" markers. Their dates give the onsets where each has one and no
/// segment begins before the last one ends, give or take 1 ms; otherwise the segments are taken to follow one
/// another without pause, which is noted. Markers of a size above 0 last that many sampling intervals.
/// Markers outside the recording are noted, and counted on from its beginning or end.
/// `points`: number of sampling points, at least 1; `samplingRate` in Hz; `name` is the marker file's, for
/// messages. Throws InputError for a new segment outside the recording.
BrainVisionTimeline brainVisionTimeline(const std::vector<BrainVisionMarker>& markers, std::size_t points,
                                        double samplingRate, const std::string& name);

}  // namespace glycine::io
