#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/core/comparison.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/pair_squares.hpp"

/// Comparison of two smoothing results. Differences are in Å, and infinite where one result has a bound and
/// the other has none or a NaN. The place of the largest is named "upper bound of (3, 17)", indices from 0. A
/// result that is not symmetric to the bit agrees with nothing.
namespace glycine::bounds {

/// From this number of atoms, several threads are faster than one for a pass over all pairs.
inline constexpr std::size_t kManyAtoms = 512;

/// Compares all n × n elements of results of equal size, with the same kinds of bounds.
template <class T>
Comparison compareBounds(const BoundMatrices<T>& expected, const BoundMatrices<T>& found,
                         double allowedDifference);

/// An independent check at sizes where the reference would take too long: compares the given rows (below n)
/// of `smoothed` with values computed from the unsmoothed `input` alone, U_i· by Dijkstra's algorithm from
/// atom i, L_i· by a second search (see exact_row.hpp). Both are exact: sums in double precision for the
/// float formats, in 64-bit integers for fixed point, where a correct result deviates by 0; else by
/// nearTieRounding() of these rows. Uses no code of any backend. O(n²) time a row, rows in parallel.
template <class T>
Comparison verifyRows(const BoundMatrices<T>& input, const BoundMatrices<T>& smoothed,
                      const std::vector<std::size_t>& rows);

/// The first (i, j), i < j, in row-major order, with a_ij ≠ a_ji; a NaN differs from everything. Square
/// matrices of float, double or int32. O(n²), in parallel.
template <class T>
std::optional<Place> findAsymmetry(MatrixView<const T> matrix);

}  // namespace glycine::bounds
