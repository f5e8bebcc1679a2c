#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/crossapen/input/signals.hpp"
#include "engine/io/recordings/recording.hpp"

/// Tables that refer to files, and one of them, the list of artefacts.
namespace glycine::crossapen {

/// How a name in a table matches a file. Later values are better matches.
enum class NameFit {
    None,
    Stem,  ///< the file's name without extension, and without ".gz"
    Name,  ///< the file's name
    Path   ///< its path, relative to the working folder or to the table's folder
};
NameFit fitOf(const std::filesystem::path& listed, const std::filesystem::path& table,
              const std::filesystem::path& file);

/// A marked epoch or time range.
struct ArtefactMark {
    std::optional<std::size_t> epoch;  ///< from 1
    double onset = 0;                  ///< seconds from the start of the recording
    double duration = 0;               ///< seconds; 0: the epoch that holds the onset
    std::string source;                ///< for display: "artefact list, line 3", "annotation 'BAD_blink'"
};

/// A list of artefacts of one or more files.
struct ArtefactList {
    struct Entry {
        std::string file;  ///< empty: any
        ArtefactMark mark;
    };
    std::string name;         ///< of the list's file, for messages
    bool namesFiles = false;  ///< whether there is a column `file`; otherwise the list applies to every file
    std::vector<Entry> entries;

    /// Marks of one file. The list may name it by path (relative to the working folder or to the list's
    /// folder), by name, or by name without extension.
    std::vector<ArtefactMark> marksOf(const std::filesystem::path& file) const;
};

/// Reads a list: comma-, tab- or semicolon-separated text, plain or compressed by gzip, with a header line.
/// Columns in any order: `epoch`, a number from 1; or `onset` and optionally `duration` in seconds. If all
/// are present, each line has either an epoch or an onset. `file` is the file to which a line applies;
/// without this column, every line applies to every file. Other columns are ignored, and so are lines for
/// files that are not read: a list may cover more files than the run.
///
/// Throws InputError, naming the line, for: missing columns, entries that are not numbers, an epoch below 1,
/// negative or infinite times, lines with neither or both, an empty `file`.
ArtefactList readArtefactList(const std::filesystem::path& path);

/// Marks for the annotations that match one of `texts`, which may contain the wildcards * and ?.
std::vector<ArtefactMark> annotationMarks(std::span<const io::RecordingAnnotation> annotations,
                                          std::span<const std::string> texts);

}  // namespace glycine::crossapen
