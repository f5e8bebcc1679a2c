#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

/// The values of a gene as ranks and as positions on the bins, and B-splines there.
namespace glycine::mutualinfo {

/// Finds ranks of one gene after another, in memory that is taken once.
class SampleRanks {
  public:
    /// Ranks from 1 of the values that are there; NaN stays NaN. Equal values share the mean of their ranks,
    /// or have them in the order of their samples. Fewer than 2^32 samples; `ranks` has as many elements, and
    /// is not `values`.
    void find(std::span<const double> values, bool shareTies, std::span<double> ranks);

  private:
    /// Of samples that numbers_ does not tell apart.
    void rankAlike(std::span<const double> values, bool shareTies, Range places, std::span<double> ranks);

    std::vector<std::uint64_t> numbers_;  ///< in ascending order: of a value, and its sample
    std::vector<std::uint32_t> samples_;
};

/// Whether no value is missing and none comes more than `most` times.
bool areSpread(std::span<const double> values, std::size_t most);

/// Of a sample without a value.
inline constexpr std::uint16_t kNoBin = 0xffff;

/// B-splines of one order on R bins over [0, R − k + 1].
class SplineBasis {
  public:
    /// Throws UsageError as checkSplines.
    explicit SplineBasis(const SplineOptions& options);

    std::size_t bins() const { return bins_; }
    std::size_t order() const { return order_; }
    /// R − k + 1: where the bins end, and the number of different first bins.
    std::size_t intervals() const { return bins_ - order_ + 1; }
    /// Knot t_i, i < R + k.
    double knot(std::size_t i) const { return knots_[i]; }
    /// Values of the `order` splines at 0 ≤ z ≤ intervals() that may differ from 0, and the number of the
    /// first of them. They sum to 1.
    ///
    /// Source: C. de Boor, "On calculating with B-splines", J. Approximation Theory 6 (1972): the triangular
    /// scheme.
    std::size_t evaluate(double z, double* weights) const;

  private:
    std::size_t bins_;
    std::size_t order_;
    std::vector<double> knots_;
};

/// "10 bins, order 3", with what is not usual; "pearson".
std::string describeSplines(const SplineOptions& splines);

/// Where the values of a gene lie on [0, intervals], scaled from their smallest and largest (equation 9 of
/// the paper), after the transform. NaN: missing.
struct GenePositions {
    std::vector<double> z;
    bool isConstant = false;  ///< all values are equal: all lie at 0
    bool isEmpty = false;     ///< no value at all
};
GenePositions positionsOf(std::span<const double> values, std::size_t intervals, Transform transform);

/// positionsOf one gene after another, in memory that is taken once.
class PositionFinder {
  public:
    PositionFinder(std::size_t intervals, Transform transform)
        : intervals_(intervals), transform_(transform) {}
    /// Good until the next call.
    GenePositions& find(std::span<const double> values);

  private:
    std::size_t intervals_;
    Transform transform_;
    GenePositions positions_;
    SampleRanks ranks_;
};

/// The weights of a gene's samples in the bins.
struct GeneWeights {
    std::vector<std::uint16_t> firstBins;  ///< one a sample; kNoBin: missing
    std::vector<double> weights;           ///< `order` a sample; 0 where it is missing
    bool isConstant = false;
    bool isEmpty = false;
};
GeneWeights weightsOf(std::span<const double> values, const SplineBasis& basis, Transform transform);

}  // namespace glycine::mutualinfo
