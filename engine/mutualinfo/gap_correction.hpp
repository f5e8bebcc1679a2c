#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Makes estimates of pairs with few common samples comparable with estimates from all samples.
namespace glycine::mutualinfo {

/// The number of samples of each gene and of each pair of genes. Stores a bit per sample for genes with gaps,
/// and two numbers per gene.
class CommonSamples {
  public:
    /// Throws MemoryError.
    explicit CommonSamples(ExpressionView expression);
    /// Of genes without gaps.
    CommonSamples(std::size_t genes, std::size_t samples);
    std::size_t samples() const { return samples_; }
    /// Whether any value is missing.
    bool haveGaps() const { return !bits_.empty(); }
    std::size_t of(std::size_t gene) const { return counts_[gene]; }
    std::size_t of(std::size_t i, std::size_t j) const;
    /// Genes with fewer values than `values`, ascending.
    std::vector<std::size_t> genesBelow(std::size_t values) const;

  private:
    std::size_t samples_;
    std::vector<std::size_t> counts_;
    std::vector<std::size_t> places_;  ///< for genes with gaps: the start of their bits
    std::vector<std::uint64_t> bits_;
};

/// Mean and standard deviation, in bits, of the estimate for independent genes as functions of the number of
/// common samples, found by permutations.
///
/// The estimate is biased upwards: for plain bins by about (R − 1)² / (2 m ln 2) bits with m samples. Its
/// variation grows as samples get fewer. Both depend on the number m of common samples and on how many more
/// values either gene has. The reason is that values are scaled and ranked before the common samples are
/// chosen.
///
/// Three curves over m are measured. Both, one or none of the two genes have values in the common samples
/// only; otherwise they have them in all samples. Between the curves, means are interpolated by t = (1 − m /
/// n) / (1 − m / M) for a gene with n of M values. This is the finite-population factor of m values drawn
/// from n. Deviations are interpolated by √t.
class NullMoments {
  public:
    struct Moments {
        double mean = 0;
        double deviation = 0;  ///< standard deviation; 0: such pairs carry no information
    };
    struct Plan {
        std::size_t least = 2;     ///< the smallest number of common samples in later calls
        bool isResampled = false;  ///< for bootstraps: samples are drawn with replacement
        std::uint64_t seed = 1;
    };

    /// Measures moments for pairs of `expression`. Uses genes that vary and have at least `plan.least`
    /// values, with gaps filled by withoutGaps. All moments are 0 if there is no such gene. The result does
    /// not depend on the number of threads. Throws as checkSplines does, UsageError for correlations, and
    /// CancelledError.
    NullMoments(ExpressionView expression, const SplineOptions& splines, const Plan& plan,
                Progress& progress);

    std::size_t samples() const { return samples_; }
    /// For pairs with all samples.
    Moments whole() const { return at(Curve::Own, samples_); }
    /// For pairs whose genes have values in these samples only.
    Moments own(std::size_t common) const { return at(Curve::Own, common); }
    /// For pairs with `common` samples; `first` and `second` are the numbers of values of their genes.
    /// plan.least ≤ common ≤ first, second ≤ samples().
    Moments of(std::size_t common, std::size_t first, std::size_t second) const;

  private:
    /// How many of the two genes have more values than the common ones: none, one, both.
    enum Curve : std::uint8_t { Own, Mixed, Part };
    Moments at(Curve curve, std::size_t common) const {
        return curves_[curve].empty() ? Moments{} : curves_[curve][common - least_];
    }

    std::size_t samples_;
    std::size_t least_;
    std::array<std::vector<Moments>, 3> curves_;  ///< indexed by the number of common samples minus least_
};

/// How to treat estimates of pairs that lack samples.
enum class GapRule {
    Standardised,  ///< converted to the scale of pairs with all samples
    Raw,           ///< unchanged: the fewer common samples, the larger they appear
};
constexpr auto namesOf(GapRule) {
    using enum GapRule;
    return namesAre<GapRule>("rule for gaps", {{Standardised, "standardised"}, {Raw, "raw"}});
}

/// Least number of common samples for a meaningful value: min(2 · bins, max(12, ⌈M/2⌉), M) of M samples.
std::size_t defaultOverlap(std::size_t bins, std::size_t samples);

struct GapOptions {
    GapRule rule = GapRule::Standardised;
    std::optional<std::size_t> minOverlap{};  ///< absent: defaultOverlap, or 1 for raw estimates
};
/// Default for matrices of information. Networks use GapOptions{}.
inline GapOptions gapsOfMatrices() {
    return {.rule = GapRule::Raw};
}
/// Common samples that a pair of such a table needs. Throws UsageError if that exceeds `samples`.
std::size_t overlapOf(const GapOptions& options, const SplineOptions& splines, std::size_t samples);

/// Default order of splines for networks: one higher than usual if values are missing and estimates are
/// standardised, as far as the bins allow. Pairs then have fewer samples, which smoother weights use better
/// (docs/networks.md has figures).
std::size_t defaultOrder(const SplineOptions& splines, GapRule rule, bool haveGaps);

/// The null moments of a table and of its bootstraps are computed once and shared.
using SharedMoments = std::shared_ptr<const NullMoments>;
/// The moments needed for standardising, measured with this plan. Null for raw estimates, for correlations,
/// and for a table without gaps.
SharedMoments momentsFor(ExpressionView expression, const SplineOptions& splines, GapRule rule,
                         const NullMoments::Plan& plan, Progress& progress);

/// Corrects a pair's estimate I from m common samples. The result is NaN below `minOverlap`, and I itself if
/// m = M. Otherwise it is I′ = max(0, μ(M) + σ(M) (I − μ(m)) / σ(m)), with the mean μ and deviation σ of
/// independent genes, limited to 10 I μ(M) / μ(m). The limit keeps 0 (genes that are constant in these
/// samples) at 0, without a discontinuity. If σ(m) is 0, such pairs carry no information, and I′ is μ(M). The
/// result increases with I.
class GapCorrection {
  public:
    /// `moments`: for these samples, measured for `minOverlap` or fewer; null: estimates are not changed
    /// (GapRule::Raw). `unit`: the value of one bit.
    GapCorrection(CommonSamples common, std::size_t minOverlap, SharedMoments moments, double unit)
        : common_(std::move(common)), minOverlap_(minOverlap), moments_(std::move(moments)), unit_(unit) {}
    GapCorrection(ExpressionView expression, std::size_t minOverlap, SharedMoments moments, double unit)
        : GapCorrection(CommonSamples(expression), minOverlap, std::move(moments), unit) {}

    /// Whether any pair may change. False for a table without gaps.
    bool isNeeded() const { return common_.haveGaps(); }
    double corrected(std::size_t i, std::size_t j, double information) const;
    /// The error of the corrected value if the estimate has the error `error`.
    double errorOf(std::size_t i, std::size_t j, double information, double error) const;
    const CommonSamples& common() const { return common_; }

  private:
    CommonSamples common_;
    std::size_t minOverlap_;
    SharedMoments moments_;
    double unit_;
};

/// Passes corrected information on to another sink.
class CorrectedInformationSink final : public pairs::PairSink {
  public:
    CorrectedInformationSink(pairs::PairSink& sink, const GapCorrection& correction)
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
