#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/core/tiling.hpp"

namespace glycine::bounds {

/// Side of the squares in which pairs are visited: two of float64 fit a first-level cache, one on either side
/// of the diagonal.
inline constexpr std::size_t kPairSquare = 32;

/// Calls visit(i, j) for all pairs i < j < n with i in `rows`, a square after another. `rows`: one of
/// splitRange(n, kPairSquare).
template <class Visit>
void visitPairs(const Range& rows, std::size_t n, const Visit& visit) {
    for (std::size_t begin = rows.begin; begin < n; begin += kPairSquare)
        for (std::size_t i = rows.begin; i < rows.end; ++i)
            for (std::size_t j = std::max(i + 1, begin); j < std::min(begin + kPairSquare, n); ++j)
                visit(i, j);
}

}  // namespace glycine::bounds
