#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/pair_command.hpp"
#include "engine/command/options.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/io/text/json_forward.hpp"
#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

namespace glycine::mutualinfo {

/// What became of pairs that lack samples.
struct GapReport {
    /// Of a table with gaps.
    GapReport(const GapOptions& gaps, const GapCorrection& correction, const NullMoments* moments,
              const MutualInformationOptions& settings);

    GapRule rule;
    std::size_t minOverlap;
    std::size_t samples;
    std::string unit;                 ///< empty: of correlations
    std::vector<std::size_t> sparse;  ///< genes with fewer values than minOverlap
    /// What independent genes seem to have of minOverlap and of all samples, where that was found.
    struct Independent {
        NullMoments::Moments fewest;
        NullMoments::Moments all;
    };
    std::optional<Independent> independent{};

    /// A line.
    std::string describe() const;
    /// About genes that have too few values; `consequence`: "no edges".
    std::optional<std::string> warning(const std::vector<std::string>& names,
                                       const std::string& consequence) const;
    Json json() const;
};

/// What of the null moments a stopped run must have in common with one that goes on.
void addMoments(RunIdentity& identity, const NullMoments* moments);

/// "B-splines of order 3 on 10 bins, clamped knots; bits, float64".
std::string describeEstimator(const MutualInformationOptions& settings);

/// A warning where mutual information of so many samples tells little; none for correlations.
std::optional<std::string> fewSamples(std::size_t samples, const SplineOptions& splines);

/// How pairs are counted again. The arguments outlive what is returned.
PairRecount recountOf(ExpressionView expression, const MutualInformationOptions& options,
                      const GapCorrection& correction);
/// The same for values that went through TiedInformation, and of correlations through AbsoluteValues.
PairRecount recountOfTied(ExpressionView expression, const MutualInformationOptions& options,
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
    std::string describeRate() const;
    std::string describeInformation() const;
    /// What makes the results doubtful, a sentence each.
    std::vector<std::string> warnings() const;
};

}  // namespace glycine::mutualinfo
