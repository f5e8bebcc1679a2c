#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::gl {

/// Positions of gene samples between the knots, in the form shaders/mutualinfo/spline_weights.glsl reads: the
/// number of the interval, and the place within it as a multiple of 1 / (2^23 − 1). Both are computed in
/// double.
class SamplePlaces {
  public:
    /// A sample without a value.
    static constexpr std::int32_t kMissing = -1;

    SamplePlaces(ExpressionView expression, const SplineOptions& splines);

    /// Codes of all samples of gene `g`.
    std::vector<std::int32_t> find(std::size_t g);
    /// Whether all values of gene `g` are equal. Valid after find(g).
    bool isConstant(std::size_t g) const { return isConstant_[g] != 0; }
    /// Interval number of a sample that has a value, which is its first bin.
    static std::size_t intervalOf(std::int32_t code) { return static_cast<std::size_t>(code) >> kPlaceBits; }
    /// Place of a sample within the interval, which float32 holds exactly.
    static std::int32_t placeOf(std::int32_t code) { return code & ((1 << kPlaceBits) - 1); }

    const SplineOptions& splines() const { return splines_; }
    const SplineBasis& basis() const { return basis_; }
    std::size_t samples() const { return expression_.columns(); }
    /// Sets the uniforms that a pass needs to compute weights from the codes.
    void describe(glycine::gl::FragmentPass& pass) const;

  private:
    static constexpr unsigned kPlaceBits = 23;

    ExpressionView expression_;
    SplineOptions splines_;
    SplineBasis basis_;
    std::vector<std::uint8_t> isConstant_;
};

/// Reads the values that shaders/mutualinfo/entropy.glsl wrote for a piece. Results are not negative, NaN
/// where no sample has both genes, and 0 where a gene is constant. `result` has the shape of the piece.
void readInformation(const glycine::gl::RenderTexture& values, const pairs::PairTile& piece,
                     const pairs::gl::PairTexels& texels, const SamplePlaces& samples,
                     MatrixView<double> result);

}  // namespace glycine::mutualinfo::gl
