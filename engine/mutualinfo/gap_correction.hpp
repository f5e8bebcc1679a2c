#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Estimates of pairs with few common samples made comparable with those of all samples.
namespace glycine::mutualinfo {

/// How many samples each gene has, and each pair of genes has in common. A bit a sample of the genes with
/// gaps, and two numbers a gene.
class CommonSamples {
  public:
    /// Throws MemoryError.
    explicit CommonSamples(ExpressionView expression);
    std::size_t samples() const { return samples_; }
    /// Whether any value is missing.
    bool haveGaps() const { return !bits_.empty(); }
    std::size_t of(std::size_t gene) const { return counts_[gene]; }
    std::size_t of(std::size_t i, std::size_t j) const;
    /// Genes with fewer values, ascending.
    std::vector<std::size_t> genesBelow(std::size_t values) const;

  private:
    std::size_t samples_;
    std::vector<std::size_t> counts_;
    std::vector<std::size_t> places_;  ///< of a gene with gaps: where its bits begin
    std::vector<std::uint64_t> bits_;
};

/// What the estimate of independent genes is, by how many samples a pair has: its mean and its standard
/// deviation, in bits, found by permutations.
///
/// The estimate is biased upwards, by about (R − 1)² / (2 m ln 2) bits of m samples for plain bins, and
/// varies the more, the fewer samples a pair has. How much depends on the number m of common samples, and on
/// how many more values either gene has, since values are scaled and ranked before the common samples are
/// chosen. Three curves over m are measured, for genes of which both, one or none have values in the common
/// samples alone, while the others have them in all samples. Between these, means are interpolated by t = (1
/// − m / n) / (1 − m / M) of a gene with n of M values, the finite-population factor of m values drawn
/// from n, and deviations by √t.
class NullMoments {
  public:
    struct Moments {
        double mean = 0;
        double deviation = 0;  ///< standard; 0: such pairs tell nothing
    };
    struct Plan {
        std::size_t least = 2;     ///< common samples that are asked about, at least
        bool isResampled = false;  ///< of bootstraps: samples drawn with replacement
        std::uint64_t seed = 1;
    };

    /// Of pairs of `expression`, whose genes stand for all of their kind: those with `plan.least` values or
    /// more that vary, with their gaps filled by withoutGaps. All 0 without any such gene. The same for any
    /// number of threads. Throws as checkSplines, UsageError for correlations, and CancelledError.
    NullMoments(ExpressionView expression, const SplineOptions& splines, const Plan& plan,
                Progress& progress);

    std::size_t samples() const { return samples_; }
    /// Of pairs with all samples.
    Moments whole() const { return at(Curve::Own, samples_); }
    /// Of pairs whose genes have values in these samples alone.
    Moments own(std::size_t common) const { return at(Curve::Own, common); }
    /// Of pairs with `common` samples, `first` and `second` the numbers of values of their genes; plan.least
    /// ≤ common ≤ first, second ≤ samples().
    Moments of(std::size_t common, std::size_t first, std::size_t second) const;

  private:
    /// Which genes have more values than the common ones: none, one, both.
    enum Curve : std::uint8_t { Own, Mixed, Part };
    Moments at(Curve curve, std::size_t common) const {
        return curves_[curve].empty() ? Moments{} : curves_[curve][common - least_];
    }

    std::size_t samples_;
    std::size_t least_;
    std::array<std::vector<Moments>, 3> curves_;  ///< by the number of common samples
};

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
/// What matrices of information are made with where nothing is said; networks have GapOptions{}.
inline GapOptions gapsOfMatrices() {
    return {.rule = GapRule::Raw};
}
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
    pairs::DeviceStore* onDevice() override { return correction_.isNeeded() ? nullptr : sink_.onDevice(); }

  private:
    pairs::PairSink& sink_;
    const GapCorrection& correction_;
    Matrix<double> corrected_;
};

}  // namespace glycine::mutualinfo
