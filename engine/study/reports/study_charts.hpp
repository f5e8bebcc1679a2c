#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "engine/study/reports/document.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_report.hpp"

/// Charts of studies, each with its data, drawn as SVG files into a folder, which must exist. A chart without
/// data is omitted.
namespace glycine::study {

/// Median time over size with the slopes of the lines, one chart per curve of the algorithm.
std::vector<DocumentChart> scalingCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> rows);

/// All configurations, with intervals, on the largest input of each curve that most of them have a time for.
std::vector<DocumentChart> variantCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> rows);

/// Share of the bounding ceiling, on the largest input of each configuration that has a ceiling.
std::vector<DocumentChart> ceilingCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> rows);

/// Breakdown of the time of whole commands, one bar per command and backend.
std::vector<DocumentChart> endToEndCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                          const StudyReport& report);

/// Which configurations agree with the reference.
std::vector<DocumentChart> agreementCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                           std::span<const ComparedRow> rows);

/// Which results of different machines and configurations are identical to the bit.
std::vector<DocumentChart> equalityCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                          std::span<const StudyReport> reports);

/// Efficiencies over platforms, for the largest problem of each curve that has efficiencies on all of them.
std::vector<DocumentChart> cascadeCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const StudyReport> reports,
                                         std::span<const Portability> portabilities);

}  // namespace glycine::study
