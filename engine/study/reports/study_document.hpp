#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/study/reports/document.hpp"
#include "engine/study/reports/study_report.hpp"

/// What reports of studies say, in which order.
namespace glycine::study {

/// Charts go to `charts`, a folder that is there.
Document describeStudy(const StudyReport& report, const std::filesystem::path& charts);
/// Several machines beside each other.
Document describeComparison(const std::vector<StudyReport>& reports, const std::filesystem::path& charts);

/// Of ceilings that results were above, which are wrong: a sentence a ceiling.
std::vector<std::string> ceilingWarnings(const StudyReport& report);

/// All timed rows, one a line, for programs: numbers without separators.
DocumentTable timesTable(const std::vector<StudyReport>& reports);

}  // namespace glycine::study
