#include "engine/gl/mutualinfo/sample_places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glycine::mutualinfo::gl {

SamplePlaces::SamplePlaces(ExpressionView expression, const SplineOptions& splines)
    : expression_(expression), splines_(splines), basis_(splines), isConstant_(expression.rows()) {}

std::vector<std::int32_t> SamplePlaces::find(std::size_t g) {
    constexpr auto kLargest = static_cast<double>((1U << kPlaceBits) - 1);
    const GenePositions gene =
        positionsOf({expression_.row(g), expression_.columns()}, basis_.intervals(), splines_.transform);
    isConstant_[g] = gene.isConstant ? 1 : 0;
    std::vector<std::int32_t> codes(gene.z.size(), kMissing);
    for (std::size_t s = 0; s < codes.size(); ++s) {
        if (std::isnan(gene.z[s])) continue;
        // The last interval is closed on the right.
        const auto interval = std::min(static_cast<std::size_t>(gene.z[s]), basis_.intervals() - 1);
        const double place = gene.z[s] - static_cast<double>(interval);
        codes[s] = static_cast<std::int32_t>((interval << kPlaceBits) +
                                             static_cast<std::size_t>(std::lround(place * kLargest)));
    }
    return codes;
}

void SamplePlaces::describe(glycine::gl::FragmentPass& pass) const {
    // The knots next to an interval are never moved, and programs of low order use no others.
    if (splines_.order < 3) return;
    // Larger than all knot numbers, so that no knot is moved.
    constexpr float kFar = 1024;
    pass.uniform("knotRange", splines_.knots == Knots::Clamped
                                  ? glm::vec2(0, static_cast<float>(basis_.intervals()))
                                  : glm::vec2(-kFar, kFar));
}

void readInformation(const glycine::gl::RenderTexture& values, const pairs::PairTile& piece,
                     const pairs::gl::PairTexels& texels, const SamplePlaces& samples,
                     MatrixView<double> result) {
    const auto finished = [](float found, bool hasConstantGene) {
        if (found < -0.5F) return std::numeric_limits<double>::quiet_NaN();
        return hasConstantGene ? 0 : std::max(0.0, static_cast<double>(found));
    };
    pairs::gl::readPairs<float>(
        values, piece, texels, [&](std::size_t row, std::size_t columns, const float* found) {
            const bool isConstant = samples.isConstant(piece.rows.begin + row);
            for (std::size_t c = 0; c < columns; ++c)
                result(row, c) =
                    finished(found[c], isConstant || samples.isConstant(piece.columns.begin + c));
        });
}

}  // namespace glycine::mutualinfo::gl
