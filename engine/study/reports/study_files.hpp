#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/study/reports/study_report.hpp"

/// What `glycine study` and `glycine report` leave in their folder.
namespace glycine::study {

/// With those above it, where they are missing. Throws Error with path and cause.
void makeFolder(const std::filesystem::path& folder);
/// Atomically. Throws Error with path and cause.
void writeText(const std::filesystem::path& path, const std::string& text);

/// report.json, report.html, report.md, charts/*.svg and tables/*.csv of one study, whose JSON is complete.
/// Returns the first three. Throws Error with path and cause.
std::vector<std::filesystem::path> writeStudyFiles(const std::filesystem::path& folder, const Json& report);

/// The same of a comparison of several: comparison.json, .html, .md.
std::vector<std::filesystem::path> writeComparisonFiles(const std::filesystem::path& folder,
                                                        const std::vector<StudyReport>& reports);

}  // namespace glycine::study
