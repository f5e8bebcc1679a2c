#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/io/recordings/recording.hpp"

/// The text files of the BrainVision format: what header and marker files share, and the markers.
namespace glycine::io {

/// A header or marker file of the BrainVision format: an identifying line, then sections of KEY=VALUE lines.
class BrainVisionText {
  public:
    struct Entry {
        std::string section;
        std::string key;
        std::string value;
        std::size_t line = 0;  ///< counted from 1
    };

    /// Reads text that is UTF-8 (a byte order mark is skipped) or else Latin-1. `kind` is the word in the
    /// identifying line: "Header", "Marker". Comment lines begin with a semicolon; a section [Comment] ends
    /// the file. Names of sections and keys do not depend on case. Lines without "=" are passed over:
    /// sections that programs add hold any text. Throws InputError for another identifying line and a version
    /// other than 1.0 and 2.0, and for a key that the section [Common Infos], [Binary Infos] or [Channel
    /// Infos] has twice.
    BrainVisionText(std::string_view text, std::string fileName, std::string_view kind);

    /// Nothing where the key is absent or its value empty.
    const Entry* find(std::string_view section, std::string_view key) const;
    /// Throws InputError where `find` finds nothing.
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
    /// Positions in `entries_` by section and key, both in small letters.
    std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

/// The comma-separated fields of a value, without the spaces around them; "\1" stands for a comma in a field.
std::vector<std::string> brainVisionFields(std::string_view value);

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
