#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

/// A gene's values as ranks and as positions on the bins, and the B-splines at these positions.
namespace glycine::mutualinfo {

/// Ranks the values of one gene at a time, with reusable buffers.
class SampleRanks {
  public:
    /// Ranks the present values from 1; NaN stays NaN. Equal values share their mean rank (`shareTies`), or
    /// are ranked in the order of samples. Fewer than 2^32 samples; `ranks` has as many elements as `values`
    /// and does not alias them.
    void find(std::span<const double> values, bool shareTies, std::span<double> ranks);

  private:
    /// Ranks samples whose numbers_ have the same upper half.
    void rankAlike(std::span<const double> values, bool shareTies, Range places, std::span<double> ranks);

    std::vector<std::uint64_t> numbers_;  ///< ascending: upper half of a value, and its sample
    std::vector<std::uint32_t> samples_;
};

/// Whether no value is missing and no value occurs more than `most` times.
bool hasFewTies(std::span<const double> values, std::size_t most);

/// First bin of a missing sample.
inline constexpr std::uint16_t kNoBin = 0xffff;

/// The bins, order and knots of `options`, which must be valid (checkSplines).
SplineShape splineShape(const SplineOptions& options);

/// B-splines of one order on R bins over [0, R − k + 1].
class SplineBasis {
  public:
    /// Throws UsageError as checkSplines.
    explicit SplineBasis(const SplineOptions& options);

    std::size_t bins() const { return shape_.bins; }
    std::size_t order() const { return shape_.order; }
    /// R − k + 1: the end of the range of the bins, and the number of possible first bins.
    std::size_t intervals() const { return shape_.intervals(); }
    /// Knot t_i, i < R + k.
    double knot(std::size_t i) const { return knots_[i]; }
    /// Computes the `order` splines that may be non-zero at 0 ≤ z ≤ intervals(), and returns the index of the
    /// first of them. The weights add up to 1.
    ///
    /// Source: C. de Boor, "On calculating with B-splines", J. Approximation Theory 6 (1972): the triangular
    /// scheme.
    std::size_t evaluate(double z, double* weights) const;

  private:
    SplineShape shape_;
    std::vector<double> knots_;
};

/// "10 bins, order 3", with settings that differ from the defaults; "pearson".
std::string describeSplines(const SplineOptions& splines);

/// Positions of a gene's values on [0, intervals], after the transform, scaled from the smallest and largest
/// value (equation 9 of the paper). NaN: missing.
struct GenePositions {
    std::vector<double> z;
    bool isConstant = false;  ///< all values are equal; all positions are 0
    bool isEmpty = false;     ///< there is no value at all
};
GenePositions positionsOf(std::span<const double> values, std::size_t intervals, Transform transform);

/// As positionsOf for one gene at a time, with reusable buffers.
class PositionFinder {
  public:
    PositionFinder(std::size_t intervals, Transform transform)
        : intervals_(intervals), transform_(transform) {}
    /// The result is valid until the next call.
    GenePositions& find(std::span<const double> values);

  private:
    std::size_t intervals_;
    Transform transform_;
    GenePositions positions_;
    SampleRanks ranks_;
};

/// The weights of a gene's samples in the bins.
struct GeneWeights {
    std::vector<std::uint16_t> firstBins;  ///< per sample; kNoBin: missing
    std::vector<double> weights;           ///< `order` per sample; 0 if missing
    bool isConstant = false;
    bool isEmpty = false;
};
GeneWeights weightsOf(std::span<const double> values, const SplineBasis& basis, Transform transform);

}  // namespace glycine::mutualinfo
