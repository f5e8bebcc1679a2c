#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "engine/study/reports/document.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_report.hpp"

/// Charts of studies, each with its data. They are drawn as SVG files into a folder, which must be there.
/// What there is nothing to draw of gives no chart.
namespace glycine::study {

/// Median time over size, a chart for each curve of the algorithm, with the slopes of the lines.
std::vector<DocumentChart> scalingCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> rows);

/// All configurations on the largest input of each curve that most of them have a time for, with intervals.
std::vector<DocumentChart> variantCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> rows);

/// The share of the ceiling that bounds them, of those that have one, on their largest input.
std::vector<DocumentChart> ceilingCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> rows);

/// Where the time of whole commands goes, a bar a command and backend.
std::vector<DocumentChart> wholeRunCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                          const StudyReport& report);

/// Which configurations agree with the reference.
std::vector<DocumentChart> agreementCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                           std::span<const ComparedRow> rows);

/// Which results of several machines and configurations are equal to the bit.
std::vector<DocumentChart> equalityCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                          std::span<const StudyReport> reports);

/// Efficiencies over platforms, for the largest problem of each curve that has one on all of them.
std::vector<DocumentChart> cascadeCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const StudyReport> reports,
                                         std::span<const Portability> portabilities);

}  // namespace glycine::study
