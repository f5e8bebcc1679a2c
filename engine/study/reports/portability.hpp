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

/// The metric: the harmonic mean of an application's efficiencies, one a platform, 0 where it does not run on
/// one of them (efficiency 0). 0 for no platforms.
double performancePortability(std::span<const double> efficiencies);

/// An application on a problem: a backend and variant, or a backend with its best variant.
struct Portability {
    std::string problem;
    std::string application;
    /// One a platform, in the order of the reports: the best time that any application has there for the
    /// problem, over this one's; 0 where it does not run; nothing where it was not measured, or nobody was.
    std::vector<std::optional<double>> applicationEfficiency{};
    /// Its share of the ceiling that bounds it there; nothing where no ceiling is known.
    std::vector<std::optional<double>> architecturalEfficiency{};

    /// Of all platforms; nothing where one of them has no efficiency.
    std::optional<double> byApplication() const { return metric(applicationEfficiency); }
    std::optional<double> byArchitecture() const { return metric(architecturalEfficiency); }

  private:
    static std::optional<double> metric(const std::vector<std::optional<double>>& efficiencies);
};

/// For each problem and application of these reports, each a platform. An application that did not run on a
/// platform, or was wrong there, has efficiency 0; where the study's own limits kept it from larger inputs,
/// or the study did not ask for the backend or the problem, nothing is known.
std::vector<Portability> portabilities(std::span<const StudyReport> reports);

/// problem, application, platform, fom: the minimum time in seconds, as the P3 analysis library reads it
/// (lower is better); no row where there is no time.
DocumentTable figuresOfMerit(std::span<const StudyReport> reports);

/// Names that differ, one a report: labels, numbered where two are the same.
std::vector<std::string> platformNames(std::span<const StudyReport> reports);

}  // namespace glycine::study
