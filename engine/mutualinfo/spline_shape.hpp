#pragma once

#include "engine/core/host_device.hpp"
#include "engine/core/names.hpp"

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine::mutualinfo {

/// Positions of the knots, for R bins and order k, with values scaled to [0, R − k + 1]:
enum class Knots {
    Clamped,  ///< the first k coincide with the start, the last k with the end (the paper, TINGe)
    Uniform,  ///< i − k + 1 for i = 0 … R + k − 1 (Daub's program for R)
};
constexpr auto namesOf(Knots) {
    return namesAre<Knots>("kind of knots", {{Knots::Clamped, "clamped"}, {Knots::Uniform, "uniform"}});
}

/// B-splines of `order` on `bins` bins over [0, bins − order + 1].
struct SplineShape {
    unsigned bins = 0;
    unsigned order = 0;  ///< below `bins`
    Knots knots = Knots::Clamped;
    GLYCINE_HOST_DEVICE unsigned intervals() const { return bins - order + 1; }
    /// Knot i < bins + order.
    GLYCINE_HOST_DEVICE double knot(unsigned i) const {
        const int knot = int(i) - int(order - 1);
        if (knots == Knots::Uniform || (knot >= 0 && knot <= int(intervals()))) return knot;
        return knot < 0 ? 0 : int(intervals());
    }
};

}  // namespace glycine::mutualinfo
