#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/crossapen/input/signals.hpp"
#include "engine/io/recordings/recording.hpp"

/// Tables that name files, and the list of artefacts that is one.
namespace glycine::crossapen {

/// How a name in a table stands for a file; a later one fits better.
enum class NameFit {
    None,
    Stem,  ///< the file's name without extension, and without ".gz"
    Name,  ///< the file's name
    Path   ///< its path, from the working folder or from the table's own
};
NameFit fitOf(const std::filesystem::path& listed, const std::filesystem::path& table,
              const std::filesystem::path& file);

/// What is marked: one epoch by its number, or a time.
struct ArtefactMark {
    std::optional<std::size_t> epoch;  ///< from 1
    double onset = 0;                  ///< seconds from the start of the recording
    double duration = 0;               ///< seconds; 0: the epoch that holds the onset
    std::string source;                ///< for people: "artefact list, line 3", "annotation 'BAD_blink'"
};

/// A list of artefacts of one or more files.
struct ArtefactList {
    struct Entry {
        std::string file;  ///< empty: any
        ArtefactMark mark;
    };
    std::string name;         ///< of the list's file, for messages
    bool namesFiles = false;  ///< there is a column `file`; otherwise the list holds for every file
    std::vector<Entry> entries;

    /// Those for one file, which the list gives by path (from here or from the list's folder), by name, or by
    /// name without extension.
    std::vector<ArtefactMark> marksOf(const std::filesystem::path& file) const;
};

/// Reads a list: comma-, tab- or semicolon-separated text, plain or packed by gzip, with a header line. Its
/// columns are, in any order: `epoch`, a number from 1; or `onset` and, if wanted, `duration` in seconds;
/// with all of them a line has either an epoch or an onset. `file` tells which file a line is for; without it
/// every line is for every file. Other columns are passed over. Lines for files that are not read are
/// allowed: a list may be for more files than the run.
///
/// Throws InputError, naming the line: no such columns, entries that are no numbers, an epoch below 1,
/// negative or infinite times, lines with neither or both, an empty `file`.
ArtefactList readArtefactList(const std::filesystem::path& path);

/// Those annotations that bear one of the `texts`, which may hold * and ?.
std::vector<ArtefactMark> annotationMarks(std::span<const io::RecordingAnnotation> annotations,
                                          std::span<const std::string> texts);

}  // namespace glycine::crossapen
