#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "engine/core/names.hpp"
#include "engine/mutualinfo/common_samples.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/null_moments.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Estimates of pairs with few common samples made comparable with those of all samples.
namespace glycine::mutualinfo {

/// What becomes of the estimates of pairs that lack samples.
enum class GapRule {
    Standardised,  ///< they are brought to the scale of pairs with all samples
    Raw,           ///< they stay: the fewer common samples, the larger they seem
};
constexpr auto namesOf(GapRule) {
    using enum GapRule;
    return namesAre<GapRule>("rule for gaps", {{Standardised, "standardised"}, {Raw, "raw"}});
}

/// Common samples that a pair needs for a value that means something: min(2 · bins, max(12, ⌈M/2⌉), M) of M
/// samples.
std::size_t usualOverlap(std::size_t bins, std::size_t samples);

struct GapOptions {
    GapRule rule = GapRule::Standardised;
    std::optional<std::size_t> minOverlap{};  ///< absent: usualOverlap, or 1 of raw estimates
};
/// Common samples that a pair of such a table needs. Throws UsageError for more than it has.
std::size_t overlapOf(const GapOptions& options, const SplineOptions& splines, std::size_t samples);

/// The order of splines that suits networks: one more than usual where values are missing and estimates are
/// standardised, as far as the bins allow it. Pairs then have fewer samples, of which smoother weights make
/// more (docs/networks.md has figures).
std::size_t usualOrder(const SplineOptions& splines, GapRule rule, bool haveGaps);

/// The null moments of a table and of its bootstraps are found once and shared.
using SharedMoments = std::shared_ptr<const NullMoments>;
/// What standardising takes, as NullMoments finds it with this plan; nothing for raw estimates, for
/// correlations, and for a table without gaps.
SharedMoments momentsFor(ExpressionView expression, const SplineOptions& splines, GapRule rule,
                         const NullMoments::Plan& plan, Progress& progress);

/// What a pair's estimate I of m common samples becomes: NaN below `minOverlap`; I itself where m = M; else
/// I′ = max(0, μ(M) + σ(M) (I − μ(m)) / σ(m)), with the mean μ and deviation σ of independent genes; but at
/// most 10 I μ(M) / μ(m), so that 0 (genes that are constant in these samples) stays 0, without a leap. Where
/// σ(m) is 0, such pairs tell nothing, and I′ is μ(M). Rises with I.
class GapCorrection {
  public:
    /// `moments`: of these samples, for `minOverlap` or fewer; nothing: estimates stay as they are
    /// (GapRule::Raw). `unit`: of a bit.
    GapCorrection(ExpressionView expression, std::size_t minOverlap, SharedMoments moments, double unit);

    /// Whether any pair may be changed; none of a table without gaps.
    bool isNeeded() const { return common_.haveGaps(); }
    double corrected(std::size_t i, std::size_t j, double information) const;
    /// How far the corrected value may be off where the estimate is off by `error`.
    double errorOf(std::size_t i, std::size_t j, double information, double error) const;
    const CommonSamples& common() const { return common_; }

  private:
    CommonSamples common_;
    std::size_t minOverlap_;
    SharedMoments moments_;
    double unit_;
};

/// Hands corrected information on.
class CorrectedInformation final : public pairs::PairSink {
  public:
    CorrectedInformation(pairs::PairSink& sink, const GapCorrection& correction)
        : sink_(sink), correction_(correction) {}
    bool has(const pairs::PairTile& tile) const override { return sink_.has(tile); }
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override;

  private:
    pairs::PairSink& sink_;
    const GapCorrection& correction_;
    Matrix<double> corrected_;
};

}  // namespace glycine::mutualinfo
