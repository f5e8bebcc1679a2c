#include "engine/gl/distance/coordinate_summing.hpp"

#include <functional>

namespace glycine::distance::gl {

pairs::gl::FloatLayout CoordinateSumming::layout(const glycine::gl::GlCapabilities& capabilities,
                                                 Variant variant) {
    if (variant == Variant::Scalar) return {true, 4, 1};
    return pairs::gl::packedLayout(capabilities);
}

CoordinateSumming::CoordinateSumming(glycine::gl::GlBackend& backend, MatrixView<const float> coordinates,
                                     SumTerm term, const pairs::gl::PanelPlan& plan,
                                     const pairs::gl::FloatLayout& layout)
    : coordinates_(coordinates),
      term_(term),
      isScalar_(layout.isScalar),
      passes_(backend, layout, plan, "distance/sum_differences.frag",
              {{"TERM", withTerm(term, [](auto operation) { return operation.kShaderName; })}},
              pairs::gl::rowsOf(coordinates), 0.0F) {}

void CoordinateSumming::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    passes_.sumTile(tile, coordinates_.columns(), sums, progress, std::plus<>());
    repairSums(coordinates_, term_, tile, sums);
}

}  // namespace glycine::distance::gl
