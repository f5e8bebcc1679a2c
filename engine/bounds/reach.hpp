#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/bounds/bounds.hpp"

/// How far paths over known upper bounds lead, found without smoothing: what decides whether a number format
/// holds all sums.
namespace glycine::bounds {

/// Shortest paths from one atom of every group to all others of it. A group is what known upper bounds
/// connect.
struct Reach {
    std::vector<std::size_t> root;     ///< of each atom's group
    std::vector<double> distance;      ///< Å; sums in double precision, each rounded once
    std::vector<std::uint32_t> steps;  ///< upper bounds on that path
    bool hasUnknown = false;           ///< whether some pair has no upper bound
};

/// Dijkstra's algorithm; where a group is used up, the search goes on from the next atom. O(n²) time, O(n)
/// memory. Throws CancelledError.
template <class T>
Reach measureReach(MatrixView<const T> upper, const Progress& progress);

/// Guards smoothing in fixed point: a path of 1,024 Å or more would read as "unknown".
class FixedRange {
  public:
    /// Throws InputError when a path from a group's root is too long already.
    FixedRange(const BoundMatrices<std::int32_t>& input, const Progress& progress);
    /// Throws InputError for a pair that a path connects and that has no bound in the smoothed matrices.
    void check(const BoundMatrices<std::int32_t>& smoothed) const;

  private:
    std::optional<Reach> reach_;  ///< absent where no path can be too long
};

}  // namespace glycine::bounds
