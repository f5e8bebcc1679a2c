#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/io/text/json_forward.hpp"
#include "engine/mutualinfo/gap_correction.hpp"

namespace glycine::mutualinfo {

/// Declares --gaps and --min-overlap, with `gaps.rule` as the usual rule.
void declareGapOptions(Options& options, GapOptions& gaps);

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

}  // namespace glycine::mutualinfo
