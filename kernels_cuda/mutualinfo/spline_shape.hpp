#pragma once

#include "kernels_cuda/device/launch.hpp"

namespace glycine::cuda {

/// B-splines of `order` on `bins` bins over [0, bins − order + 1].
struct SplineShape {
    unsigned bins = 0;
    unsigned order = 0;      ///< below `bins`
    bool isUniform = false;  ///< the knots; else the first and the last `order` coincide with the ends
    GLYCINE_HOST_DEVICE unsigned intervals() const { return bins - order + 1; }
    /// Knot i < bins + order.
    GLYCINE_HOST_DEVICE double knot(unsigned i) const {
        const int knot = int(i) - int(order - 1);
        if (isUniform || (knot >= 0 && knot <= int(intervals()))) return knot;
        return knot < 0 ? 0 : int(intervals());
    }
};

}  // namespace glycine::cuda
