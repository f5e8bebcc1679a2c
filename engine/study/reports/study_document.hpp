#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/study/reports/document.hpp"
#include "engine/study/reports/study_report.hpp"

/// Contents and order of study reports.
namespace glycine::study {

/// `charts`: an existing folder for the charts.
Document describeStudy(const StudyReport& report, const std::filesystem::path& charts);
/// Compares several machines side by side.
Document describeComparison(const std::vector<StudyReport>& reports, const std::filesystem::path& charts);

/// One sentence for each ceiling that a result exceeded, and which is therefore wrong.
std::vector<std::string> ceilingWarnings(const StudyReport& report);

/// All timed rows, one per line, for programs: numbers without separators.
DocumentTable timesTable(const std::vector<StudyReport>& reports);

}  // namespace glycine::study
