#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/bounds/bounds.hpp"

/// Outward rounding, on every backend and variant: no smoothed upper bound is below, and no lower bound
/// above, the result of exact arithmetic on the same input.
///
/// Floats with p bits (24, or 53) hold every whole multiple of a step s up to 2ᵖ·s. With s a power of two:
///
///  1. Input upper bounds are rounded up, lower bounds down, to multiples of s; upper bounds above 2ᵖ·s stay.
///     Smoothing is monotone: looser input gives bounds that are no tighter.
///  2. s is such that no smoothed upper bound and no lower bound exceeds 2ᵖ·s (outwardStep). A sum of
///  multiples
///     of s up to 2ᵖ·s is exact. A larger one may be rounded, but rounding is monotone, so it stays at or
///     above 2ᵖ·s and loses against, or equals, the shortest path. A difference of a lower and an upper bound
///     is exact likewise, or negative, and loses.
///
/// So every variant, whatever the order of its sums, leaves the exact bounds of the rounded input: the same
/// bits everywhere. An upper bound that is a path of h input bounds lies less than h·s above its exact value,
/// a lower bound behind paths of h in all less than (h + 1)·s below. Needed of a backend: sums that a float
/// holds are exact. IEEE 754 requires it; GL drivers are measured.
///
/// Fixed point rounds outward, too, and its sums are exact as long as they stay within its range
/// (FixedRange).
namespace glycine::bounds {

/// The least power of two s ≥ 2⁻¹⁰⁰, in Å, that meets 2. Every smoothed upper bound is at most the largest
/// input one where all are known, and at most twice the longest of the shortest paths from one atom, in its
/// group: s follows from the lesser. O(n²). Throws CancelledError.
double outwardStep(const AnyBoundMatrices& matrices, const Progress& progress);

/// Step 1, in place; `step` as outwardStep() found it. Fixed-point bounds are multiples of theirs already.
void roundOutward(const AnyBoundMatrices& matrices, double step);

// ---- The range of fixed point

/// How far paths over known upper bounds lead, found without smoothing: shortest paths from one atom of every
/// group to all others of it. A group is what known upper bounds connect.
struct Reach {
    std::vector<std::size_t> root;     ///< of each atom's group
    std::vector<double> distance;      ///< Å; sums in double precision, each rounded once
    std::vector<std::uint32_t> steps;  ///< upper bounds on that path
    bool hasUnknown = false;           ///< whether some pair has no upper bound
};

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
