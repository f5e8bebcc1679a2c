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

/// Treatment of pairs with missing samples.
struct GapReport {
    /// For a table with gaps.
    GapReport(const GapOptions& gaps, const GapCorrection& correction, const NullMoments* moments,
              const MutualInformationOptions& settings);

    GapRule rule;
    std::size_t minOverlap;
    std::size_t samples;
    std::string unit;                 ///< empty for correlations
    std::vector<std::size_t> sparse;  ///< genes with fewer values than minOverlap
    /// Apparent information of independent genes with minOverlap samples and with all samples, if it was
    /// determined.
    struct Independent {
        NullMoments::Moments fewest;
        NullMoments::Moments all;
    };
    std::optional<Independent> independent{};

    /// One-line description.
    std::string describe() const;
    /// Warning about genes with too few values; `consequence`: "no edges".
    std::optional<std::string> warning(const std::vector<std::string>& names,
                                       const std::string& consequence) const;
    Json json() const;
};

/// Adds the null moments that a resumed run must share with the stopped one.
void addMoments(RunIdentity& identity, const NullMoments* moments);

/// The stages in which all pairs get their values, before gaps are corrected.
std::vector<StagePlacement> stagesOfValues(Estimator estimator);
/// Adds the stages that correct estimates of pairs with missing samples, if there are any. `moments` may be
/// null.
void addGapStages(std::vector<StagePlacement>& stages, const GapCorrection& correction,
                  const NullMoments* moments);

/// "B-splines of order 3 on 10 bins, clamped knots; bits, float64".
std::string describeEstimator(const MutualInformationOptions& settings);

/// A warning if mutual information from so few samples is unreliable; none for correlations.
std::optional<std::string> fewSamples(std::size_t samples, const SplineOptions& splines);

/// How to recount pairs. The arguments must outlive the result.
PairRecount recountOf(ExpressionView expression, const MutualInformationOptions& options,
                      const GapCorrection& correction);
/// The same for values that passed through TiedInformationSink, or, for correlations, through
/// AbsoluteValuesSink.
PairRecount recountOfTied(ExpressionView expression, const MutualInformationOptions& options,
                          const GapCorrection& correction);

/// The report of a `glycine mutualinfo` run.
struct RunReport final : PairReport {
    void print(std::ostream& out) const override;
    /// JSON report; gene indices count from 0.
    Json json() const override;

    std::size_t missing = 0;        ///< number of missing values
    std::optional<GapReport> gaps;  ///< only if values are missing
    MutualInformationOptions settings;
    MutualInformationReport run;
    GeneSummary genes;

  private:
    std::string describeRate() const;
    std::string describeInformation() const;
    /// Reservations about the results, one sentence each.
    std::vector<std::string> warnings() const;
};

}  // namespace glycine::mutualinfo
