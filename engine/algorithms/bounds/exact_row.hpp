#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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
    /// each bound on its exact path (outward.hpp). Else pathRoundingBound() of n sums: of paths that are
    /// equally long but for rounding, as between atoms on a line, the one that was taken may have many more
    /// steps than the exact one. Fixed point is exact. O(n²).
    void compare(std::size_t row, const RowComparison& compare);

  private:
    /// Å, where the exact paths of the row take so many sums.
    double allowed(std::size_t sums);

    AnyBoundMatrices input_;
    AnyBoundMatrices smoothed_;
    double step_;
    std::optional<double> rounding_;  ///< of n sums; found with the first row
};

/// What a row takes, about.
double secondsForExactRow(std::size_t atoms);

}  // namespace glycine::bounds
