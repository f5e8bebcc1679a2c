#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "engine/algorithms/bounds/bounds.hpp"

/// Rows of a result beside what they must be, for one that was computed elsewhere.
namespace glycine::bounds {

/// Called for each element (row, column), column ≠ row: "upper" or "lower", the number found and the exact
/// one in Å, infinite where there is no bound, and how far they may lie apart.
using RowComparison = std::function<void(std::string_view kind, std::size_t column, double found,
                                         double expected, double allowed)>;

/// Compares rows of `smoothed` with what dense_dijkstra.hpp finds from the unsmoothed `input` alone.
class ExactRows {
  public:
    /// `step`: SmoothingReport::step of the run.
    ExactRows(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, double step);

    /// Where the input was rounded outward to multiples of the step, a bound may be off by one of them for
    /// each bound on its exact path (outward.hpp). Else by nearTieRounding(). Fixed point is exact. O(n²).
    void compare(std::size_t row, const RowComparison& compare) const;

  private:
    AnyBoundMatrices input_;
    AnyBoundMatrices smoothed_;
    double step_;
};

/// Å; the largest ExactRow::rounding of all rows of what smoothing makes of `input`. O(n³), rows in parallel.
/// Throws CancelledError.
double roundingOfAllRows(const AnyBoundMatrices& input, Progress& progress);

/// What comparing a row takes, about; `step` as above.
double secondsForExactRow(std::size_t atoms, double step);

}  // namespace glycine::bounds
