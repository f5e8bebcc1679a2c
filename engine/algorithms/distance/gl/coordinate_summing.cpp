#include "engine/algorithms/distance/gl/coordinate_summing.hpp"

#include <algorithm>

#include "engine/algorithms/distance/pair_sum.hpp"

namespace glycine::distance::gl {

namespace {
/// Terms that are added in float32; the sums of blocks of this size are added in double on the host.
constexpr std::size_t kTermsInFloat = std::size_t{1} << 16;
}  // namespace

pairs::gl::FloatLayout CoordinateSumming::layout(const glycine::gl::GlCapabilities& capabilities,
                                                 Variant variant) {
    const bool isScalar = variant == Variant::Scalar;
    const bool hasTargets = !isScalar && capabilities.features.multipleTargets;
    return {isScalar, 4, hasTargets ? static_cast<std::size_t>(capabilities.limits.targetsAtOnce()) : 1};
}

CoordinateSumming::CoordinateSumming(glycine::gl::GlBackend& backend, MatrixView<const float> coordinates,
                                     SumTerm term, const pairs::gl::PanelPlan& plan,
                                     const pairs::gl::FloatLayout& layout)
    : coordinates_(coordinates),
      term_(term),
      attributes_(coordinates.columns()),
      isScalar_(layout.isScalar),
      passes_(
          backend, layout, plan, "distance/sum_differences.frag",
          term == SumTerm::SquaredDifference ? glycine::gl::ShaderDefines{{"SQUARED", ""}}
                                             : glycine::gl::ShaderDefines{},
          [coordinates](const Range& instances, const Range& attributes, MatrixView<float> target) {
              for (std::size_t i = 0; i < instances.size(); ++i)
                  std::copy_n(coordinates.row(instances.begin + i) + attributes.begin, attributes.size(),
                              target.row(i));
          },
          0.0F) {}

void CoordinateSumming::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    passes_.begin();
    for (const PairTile& piece : pairs::cutTile(tile, passes_.plan().side)) {
        if (piece.pairs() == 0) continue;
        for (const Range& attributes : splitRange(attributes_, kTermsInFloat)) {
            passes_.sum(piece, attributes,
                        static_cast<double>(piece.pairs()) * static_cast<double>(attributes.size()),
                        progress);
            const bool isFirst = attributes.begin == 0;
            const MatrixView<double> part = pairs::partOf(sums, tile, piece);
            passes_.read(piece, [&](std::size_t row, std::size_t columns, const float* texels) {
                double* const numbers = part.row(row);
                for (std::size_t c = 0; c < columns; ++c)
                    numbers[c] = (isFirst ? 0.0 : numbers[c]) + static_cast<double>(texels[c]);
            });
        }
    }
    passes_.end();
    repairSums(coordinates_, term_, tile, sums);
}

}  // namespace glycine::distance::gl
