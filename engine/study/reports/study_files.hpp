#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/command/text_table.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/reports/study_report.hpp"

/// Files that `glycine study` and `glycine report` write into their folder.
namespace glycine::study {

/// Creates the folder and missing parents. Throws Error with path and cause.
void makeFolder(const std::filesystem::path& folder);
/// Writes the file atomically. Throws Error with path and cause.
void writeText(const std::filesystem::path& path, const std::string& text);

struct WrittenReport {
    std::vector<std::filesystem::path> files;  ///< the page, its data as JSON, and the page in Markdown
    Fields answers;                            ///< what the page opens with

    /// Prints the answers and the names of the files.
    void print(std::ostream& out, std::size_t width) const;
};

/// Writes report.json, report.html, report.md, charts/*.svg and tables/*.csv of one study, whose JSON must be
/// complete. Throws Error with path and cause.
WrittenReport writeStudyFiles(const std::filesystem::path& folder, const Json& report);

/// Writes the same files from the report in `file` (see readStudyReport), but never replaces that file.
/// Before it writes any file, throws InputError if the report cannot be read, and UsageError if the folder
/// has the page of `glycine reproduce all`.
WrittenReport writeStudyPage(const std::filesystem::path& folder, const std::filesystem::path& file);

/// Writes the comparison of several studies: comparison.json, .html and .md.
WrittenReport writeComparisonFiles(const std::filesystem::path& folder,
                                   const std::vector<StudyReport>& reports);

}  // namespace glycine::study
