#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/mutualinfo/gap_report.hpp"
#include "app/pair_command.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

namespace glycine::mutualinfo {

/// "B-splines of order 3 on 10 bins, clamped knots; bits, float64".
std::string describeEstimator(const MutualInformationOptions& settings);

/// A warning where mutual information of so many samples tells little; none for correlations.
std::optional<std::string> fewSamples(std::size_t samples, const SplineOptions& splines);

/// How pairs are counted again. The arguments outlive what is returned.
PairRecount recountOf(const io::ExpressionTable& table, const MutualInformationOptions& options,
                      const GapCorrection& correction);

/// Everything that `glycine mutualinfo` tells about a run.
struct RunReport final : PairReport {
    void print(std::ostream& out) const override;
    /// JSON: gene indices count from 0.
    Json json() const override;

    std::size_t missing = 0;        ///< values
    std::optional<GapReport> gaps;  ///< where values are missing
    MutualInformationOptions settings;
    MutualInformationReport run;
    GeneSummary genes;

  private:
    std::string describeTimes() const;
    std::string describeInformation() const;
    /// What makes the results doubtful, a sentence each.
    std::vector<std::string> warnings() const;
};

}  // namespace glycine::mutualinfo
