#pragma once

#include <cstddef>
#include <vector>

#include "engine/bounds/bounds.hpp"

namespace glycine::bounds {

/// Å; how far the smoothed bounds of row `i` may lie from the exact ones, and from one another, where every
/// sum and difference of floats was rounded to the nearest number, in any order: pathRoundingBound() of the
/// most sums that any backend may have taken. `upper` is what denseDijkstra() finds from i, `negatedLower`
/// the distances of searchLower(), empty without lower bounds. O(n²) time, O(n) memory. T: float or double.
///
/// An upper bound F of (i, j) is a walk from i to j, its edges added up in some order, each sum rounded by a
/// share of u = ε/2 at most. It is not above the exact path of s sums added up likewise, F ≤ D (1 + u)ˢ,
/// where D is the exact distance. But it may be another walk, with more sums: how far may it lie below D?
///
///  1. Call a step a rise when it ends at a larger exact distance from i than all atoms before it had. A
///     rounded sum grows with its operands, so F is at least the same sums with 0 in place of all edges
///     but those of the R rises. Sums with 0 are exact. So F ≥ Σe (1 − u)ᴿ⁻¹, Σ over the rises.
///  2. A rise over edge e from atom x to y, where the largest distance so far is that of r, has
///     e ≥ D_y − D_x ≥ D_y − D_r. So Σe ≥ D, and F ≥ D (1 − u)ᴿ⁻¹, whatever lies between the rises: steps
///     among atoms in one place, or so close that sums round them away, do not count.
///  3. With F ≤ D (1 + u)ˢ, Σe ≤ D + τ, where τ = (s + R − 1) u D, and every rise is nearly a tie:
///     D_r + e ≤ D_y + τ, hence D_r ≤ D_x + τ.
///
/// So the atoms are gone through by ascending distance, and each y gets the most rises with which a walk may
/// arrive: one more than the largest count among the atoms r with D_x ≤ D_r ≤ D_x + τ, D_r < D_y, of any x
/// with D_x < D_y and D_x + e ≤ D_y + τ.
///
/// A lower bound of (i, j) is a lower bound l_pq less the edges of two walks, i to p and q to j. The
/// distances of searchLower() are to the walk from q what D is to that from i, and D_p − l_pq ≥ −L_q is one
/// more place to lose up to τ. So it is too large by R u l at most, R the rises of both walks, each a
/// difference or sum.
///
/// τ grows with R. A first count assumes 2 (n − 1) rises, the most there can be; a second one what the first
/// has found, which is an upper bound, too. τ is taken twice, because distances of float64 bounds are rounded
/// like the results.
template <class T>
double nearTieRounding(const BoundMatrices<T>& input, std::size_t i, const std::vector<double>& upper,
                       const std::vector<double>& negatedLower);

}  // namespace glycine::bounds
