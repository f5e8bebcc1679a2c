#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "engine/bounds/bounds.hpp"

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

    /// The element (row, column) alone, with what the bounds next to it make of it: smoothed bounds are
    /// u_ij = min over k ≠ j of U_ik + u_kj and L_ij = max over k ≠ j of L_ik − U_kj, or what was given,
    /// and no others are. Finds an element that is wrong where its row is right, and a row that is wrong as a
    /// whole by its first elements; what is allowed for rounding grows with the number of atoms. O(n).
    void compareElement(std::size_t row, std::size_t column, const RowComparison& compare) const;

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
/// The same for an element.
double secondsForExactElement(std::size_t atoms);

}  // namespace glycine::bounds
