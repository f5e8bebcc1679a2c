#pragma once

#include <cstddef>
#include <optional>

#include "engine/bounds/bounds.hpp"
#include "engine/core/comparison.hpp"
#include "engine/core/matrix.hpp"

namespace glycine::bounds {

/// A place in a matrix.
struct Place {
    std::size_t row;
    std::size_t column;
};

/// The first (i, j), i < j, in row-major order, with a_ij ≠ a_ji; a NaN differs from everything. Square
/// matrices of float, double or int32. O(n²), in parallel.
template <class T>
std::optional<Place> findAsymmetry(MatrixView<const T> matrix);

/// Results are symmetric to the bit: fails the comparison of those that are not.
void requireSymmetry(const AnyBoundMatrices& found, Comparison& comparison);

}  // namespace glycine::bounds
