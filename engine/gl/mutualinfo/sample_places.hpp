#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::gl {

/// Where the samples of genes lie between the knots, as shaders/mutualinfo/spline_weights.glsl takes it: the
/// number of the interval, and the place within it as a multiple of 1 / (2^23 − 1), both found in double.
class SamplePlaces {
  public:
    /// A sample without a value.
    static constexpr std::int32_t kMissing = -1;

    SamplePlaces(ExpressionView expression, const SplineOptions& splines);

    /// Codes of all samples of gene `g`.
    std::vector<std::int32_t> find(std::size_t g);
    /// Of genes that were asked about: whether all values are equal.
    bool isConstant(std::size_t g) const { return isConstant_[g] != 0; }
    /// Number of the interval of a sample that has a value: its first bin.
    static std::size_t intervalOf(std::int32_t code) { return static_cast<std::size_t>(code) >> kPlaceBits; }
    /// Its place within the interval, which float32 holds exactly.
    static std::int32_t placeOf(std::int32_t code) { return code & ((1 << kPlaceBits) - 1); }

    const SplineOptions& splines() const { return splines_; }
    const SplineBasis& basis() const { return basis_; }
    std::size_t samples() const { return expression_.columns(); }
    /// Of a pass that finds weights: what the shader needs beside the codes.
    void describe(glycine::gl::FragmentPass& pass) const;

  private:
    static constexpr unsigned kPlaceBits = 23;

    ExpressionView expression_;
    SplineOptions splines_;
    SplineBasis basis_;
    std::vector<std::uint8_t> isConstant_;
};

/// Reads what shaders/mutualinfo/entropy.glsl left in `values` of a piece: not negative, NaN where no sample
/// has both genes, 0 where one is constant. `result`: of the piece.
void readInformation(const glycine::gl::RenderTexture& values, const pairs::PairTile& piece,
                     const pairs::gl::PairTexels& texels, const SamplePlaces& samples,
                     MatrixView<double> result);

}  // namespace glycine::mutualinfo::gl
