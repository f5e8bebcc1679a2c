#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/study/reports/document.hpp"
#include "engine/study/reports/study_report.hpp"

/// Performance portability: S. J. Pennycook, J. D. Sewall, V. W. Lee, "A Metric for Performance Portability",
/// PMBS 2016, and "Implications of a Metric for Performance Portability", Future Generation Computer Systems
/// 92, 2019.
namespace glycine::study {

/// The metric: the harmonic mean of an application's efficiencies over all platforms. 0 if the application
/// does not run on one of them (efficiency 0), or if there are no platforms.
double performancePortability(std::span<const double> efficiencies);

/// An application on a problem: a backend and variant, or a backend with its best variant.
struct Portability {
    std::string problem;
    std::string application;
    /// Per platform, in the order of the reports: the best time of any application for the problem, divided
    /// by this one's time. 0 if the application does not run; nothing if it, or every application, was not
    /// measured.
    std::vector<std::optional<double>> applicationEfficiency{};
    /// Share of the ceiling that bounds the application on each platform; nothing if the ceiling is unknown.
    std::vector<std::optional<double>> architecturalEfficiency{};

    /// The metric over all platforms; nothing if the efficiency of one is unknown.
    std::optional<double> byApplication() const { return metric(applicationEfficiency); }
    std::optional<double> byArchitecture() const { return metric(architecturalEfficiency); }

  private:
    static std::optional<double> metric(const std::vector<std::optional<double>>& efficiencies);
};

/// Portability for each problem and application; each report is a platform. An application that failed to run
/// on a platform, or was wrong there, has efficiency 0. The efficiency is unknown if the study's limits
/// excluded larger inputs, or if the study did not request the backend or the problem.
std::vector<Portability> portabilities(std::span<const StudyReport> reports);

/// Columns problem, application, platform, fom: the minimum time in seconds, lower is better, in the format
/// of the P3 analysis library. Rows without a time are omitted.
DocumentTable figuresOfMerit(std::span<const StudyReport> reports);

/// Distinct names, one per report: the labels, numbered if they repeat.
std::vector<std::string> platformNames(std::span<const StudyReport> reports);

}  // namespace glycine::study
