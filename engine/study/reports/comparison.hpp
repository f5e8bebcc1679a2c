#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/study/reports/study_report.hpp"

/// What two rows of reports say about each other.
namespace glycine::study {

/// How many times as long one takes as the other: medians, with the widest interval that both of theirs
/// allow.
struct TimeRatio {
    double value = 0;
    Interval interval{};
    bool isUndecided = false;  ///< the interval, widened by what disturbed, holds 1
    bool isDisturbed = false;  ///< a machine was busy
    /// "2.21 × (2.19 … 2.25)", "undecided (1.02 ×)".
    std::string text() const;
};
/// Nothing where one has no time.
std::optional<TimeRatio> timeRatio(const TimedRow& slow, const TimedRow& fast);

/// How far two results are known to agree.
struct ResultAgreement {
    bool isEqual = false;          ///< to the bit, all elements
    double largestDifference = 0;  ///< of the elements that both reports keep, relative to the larger number
    bool isMeasured = false;       ///< whether there are such elements
};
/// Nothing where one has no digest.
std::optional<ResultAgreement> agreementOf(const TimedRow& one, const TimedRow& other);

/// A configuration on one machine beside the same one on another, over all problems that both have.
struct MachinePair {
    std::string algorithm;
    std::string application;
    std::string numberFormat;
    std::size_t first = 0, second = 0;  ///< indices of the reports
    std::size_t problems = 0;           ///< that both have results of
    std::size_t equal = 0;              ///< to the bit
    double largestDifference = 0;
};
std::vector<MachinePair> machinePairs(std::span<const StudyReport> reports);

/// The time of one problem on several machines.
struct MachineTimes {
    std::string problem;
    std::string application;
    std::vector<std::optional<TimedRow>> rows;  ///< one a report
};
/// Problems and applications that at least one machine has a time for.
std::vector<MachineTimes> machineTimes(std::span<const StudyReport> reports);

/// What each machine's report says of a claim of a publication.
struct MachineClaim {
    FigureClaim claim;                                 ///< of the first one that has it
    std::vector<std::optional<FigureClaim>> verdicts;  ///< one a report
};
std::vector<MachineClaim> machineClaims(std::span<const StudyReport> reports);

}  // namespace glycine::study
