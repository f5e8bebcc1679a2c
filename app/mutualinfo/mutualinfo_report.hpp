#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/mutualinfo/gap_report.hpp"
#include "engine/command/run_report.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/value_summary.hpp"

namespace glycine::mutualinfo {

/// "B-splines of order 3 on 10 bins, clamped knots; bits, float64".
std::string describeEstimator(const MutualInformationOptions& settings);

/// A warning where mutual information of so many samples tells little; none for correlations.
std::optional<std::string> fewSamples(std::size_t samples, const SplineOptions& splines);

/// Everything that `glycine mutualinfo` tells about a run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    /// JSON: gene indices count from 0.
    Json json() const override;

    std::string input;               ///< one line
    std::vector<std::string> notes;  ///< about the input
    std::size_t missing = 0;         ///< values
    std::optional<GapReport> gaps;   ///< where values are missing
    MutualInformationOptions settings;
    MutualInformationReport run;
    GeneSummary genes;
    std::vector<std::string> names;  ///< of the genes
    pairs::ValueSummary summary;
    double readSeconds = 0;
    double computeSeconds = 0;  ///< the whole call
    double writeSeconds = 0;

  private:
    std::string describeTimes() const;
    std::string describeValues() const;
    /// What makes the results doubtful, a sentence each.
    std::vector<std::string> warnings() const;
};

}  // namespace glycine::mutualinfo
