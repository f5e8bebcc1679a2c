#include "engine/distance/coordinates.hpp"

namespace glycine::distance {

CoordinateView viewOf(const CoordinateMatrix& coordinates) {
    return std::visit([](const auto& matrix) -> CoordinateView { return matrix.view(); }, coordinates);
}

}  // namespace glycine::distance
