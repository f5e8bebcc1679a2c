#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/study/reports/study_report.hpp"

/// Files that `glycine study` and `glycine report` write into their folder.
namespace glycine::study {

/// Creates the folder and missing parents. Throws Error with path and cause.
void makeFolder(const std::filesystem::path& folder);
/// Writes the file atomically. Throws Error with path and cause.
void writeText(const std::filesystem::path& path, const std::string& text);

/// Writes report.json, report.html, report.md, charts/*.svg and tables/*.csv of one study, whose JSON must be
/// complete. Returns the first three. Throws Error with path and cause.
std::vector<std::filesystem::path> writeStudyFiles(const std::filesystem::path& folder, const Json& report);

/// Writes the comparison of several studies: comparison.json, .html and .md.
std::vector<std::filesystem::path> writeComparisonFiles(const std::filesystem::path& folder,
                                                        const std::vector<StudyReport>& reports);

}  // namespace glycine::study
