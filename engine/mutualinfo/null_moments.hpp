#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/mutualinfo/common_samples.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

namespace glycine::mutualinfo {

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

}  // namespace glycine::mutualinfo
