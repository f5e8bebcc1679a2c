#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/study/reports/study_report.hpp"

/// Comparisons between rows of reports.
namespace glycine::study {

/// The letters that tables and charts use for a report: A … Z, AA, AB ….
std::string reportLetter(std::size_t report);

/// Ratio of two times: of the medians, with the widest interval that both intervals allow.
struct TimeRatio {
    double value = 0;
    Interval interval{};
    bool isUndecided = false;  ///< the interval, widened by the disturbance, contains 1
    bool isDisturbed = false;  ///< a machine was busy
    /// "2.21 × (2.19 … 2.25)", "undecided (1.02 ×)".
    std::string text() const;
};
/// Nothing if either row has no time.
std::optional<TimeRatio> timeRatio(const TimedRow& slow, const TimedRow& fast);

/// How far two results are known to agree.
struct ResultAgreement {
    bool isEqual = false;          ///< to the bit, all elements
    double largestDifference = 0;  ///< of the elements in both reports, relative to the larger number
    bool isMeasured = false;       ///< whether the reports have elements in common
};
/// Nothing if either row has no digest.
std::optional<ResultAgreement> agreementOf(const TimedRow& one, const TimedRow& other);

/// One configuration on two machines, over all problems that both measured.
struct MachinePair {
    std::string algorithm;
    std::string application;
    std::string numberFormat;
    std::size_t first = 0, second = 0;  ///< indices of the reports
    std::size_t problems = 0;           ///< problems for which both have results
    std::size_t equal = 0;              ///< identical to the bit
    double largestDifference = 0;
};
std::vector<MachinePair> machinePairs(std::span<const StudyReport> reports);

/// The time of one problem on several machines.
struct MachineTimes {
    std::string problem;
    std::string application;
    std::vector<std::optional<TimedRow>> rows;  ///< one per report
};
/// All pairs of problem and application that at least one machine has a time for.
std::vector<MachineTimes> machineTimes(std::span<const StudyReport> reports);

/// A claim of a publication with every machine's verdict.
struct MachineClaim {
    FigureClaim claim;                                 ///< from the first report that has it
    std::vector<std::optional<FigureClaim>> verdicts;  ///< one per report
};
std::vector<MachineClaim> machineClaims(std::span<const StudyReport> reports);

}  // namespace glycine::study
