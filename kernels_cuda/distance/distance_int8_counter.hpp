#pragma once

#include <vector>

#include "kernels_cuda/distance/device_counting.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"

namespace glycine::cuda {

/// How counts are composed of int8 products. Operands consist of slices with one value per attribute, and a
/// product sums left(a) · right(b) over the attributes of some consecutive slices.
struct Int8Form {
    SliceTables left, right;
    /// Slices of each product, in order.
    std::vector<unsigned> slicesOfProduct;
    Combination differing, opposite, valid;
    /// Whether the combinations need the number of attributes in which an instance's two planes are equal.
    bool needsMargins() const { return differing.margin != 0; }
};

/// The form with the fewest multiplications. shape.planes ≤ 2.
Int8Form int8Form(const distance::DiscreteShape& shape, distance::CountNeeds wanted);

}  // namespace glycine::cuda
