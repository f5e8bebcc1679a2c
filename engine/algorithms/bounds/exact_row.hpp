#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "engine/algorithms/bounds/bounds.hpp"

/// A row of a result beside what it must be, for one that was computed elsewhere.
namespace glycine::bounds {

/// Called for each element (row, column), column ≠ row: "upper" or "lower", the number found and the exact
/// one in Å, infinite where there is no bound, and how far they may lie apart.
using RowComparison = std::function<void(std::string_view kind, std::size_t column, double found,
                                         double expected, double allowed)>;

/// Compares a row of `smoothed` with what dense_dijkstra.hpp finds from the unsmoothed `input` alone.
void compareExactRow(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, std::size_t row,
                     const RowComparison& compare);

/// What that takes, about.
double secondsForExactRow(std::size_t atoms);

}  // namespace glycine::bounds
