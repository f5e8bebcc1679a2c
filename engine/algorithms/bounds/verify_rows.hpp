#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/algorithms/bounds/bounds.hpp"

/// An independent check of smoothed bounds at sizes where the reference backend would take too long.
namespace glycine::bounds {

/// How far a smoothed result is from the truth on the rows that were looked at, in Å.
struct RowDeviations {
    std::size_t rows = 0;      ///< number of rows checked
    double upper = 0;          ///< largest |difference| of an upper bound
    double lower = 0;          ///< largest |difference| of a lower bound; 0 when there are none
    std::size_t upperRow = 0;  ///< where these were found; columns likewise
    std::size_t upperColumn = 0;
    std::size_t lowerRow = 0;
    std::size_t lowerColumn = 0;
    double largest() const { return upper > lower ? upper : lower; }
    /// Of the largest: "upper bound of (3, 17)".
    std::string place() const;
};

/// `count` different rows of 0 … atoms − 1 (all of them when count ≥ atoms), ascending: the first, the last
/// and others drawn by a generator seeded with `seed`.
std::vector<std::size_t> sampleRows(std::size_t atoms, std::size_t count, std::uint64_t seed);

/// Compares the given rows of `smoothed` with values computed from the unsmoothed `input` alone: U_i· by
/// Dijkstra's algorithm from atom i, L_i· as the longest of l_pq − U_ip − U_qj by a second search whose
/// starts are U_ip − l_pq. Both are exact: sums in double precision for the float formats, in 64-bit integers
/// for fixed point (where a correct result deviates by 0). Uses no code of any backend. O(n²) time a row,
/// rows in parallel. A NaN in `smoothed` counts as an infinite deviation. Throws InputError when the two
/// differ in format, size, or in having lower bounds, or a row is out of range.
RowDeviations verifyRows(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed,
                         const std::vector<std::size_t>& rows);

}  // namespace glycine::bounds
