#include "engine/bounds/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/core/tiling.hpp"

namespace glycine::bounds {

template <class T>
std::optional<Place> findAsymmetry(MatrixView<const T> matrix) {
    // A matrix is compared with its transpose tile by tile: two of float64 fit a first-level cache.
    constexpr std::size_t kTile = 32;
    const std::size_t n = matrix.rows();
    const std::vector<Range> tiles = splitRange(n, kTile);
    std::size_t first = n * n;
#pragma omp parallel for schedule(dynamic) reduction(min : first) if (n >= 512)
    for (std::size_t a = 0; a < tiles.size(); ++a)
        for (std::size_t b = a; b < tiles.size(); ++b)
            for (std::size_t i = tiles[a].begin; i < tiles[a].end; ++i)
                for (std::size_t j = std::max(tiles[b].begin, i + 1); j < tiles[b].end; ++j)
                    if (!(matrix(i, j) == matrix(j, i))) first = std::min(first, i * n + j);
    if (first == n * n) return std::nullopt;
    return Place{first / n, first % n};
}

void requireSymmetry(const AnyBoundMatrices& found, Comparison& comparison) {
    const auto require = [&]<class T>(const BoundMatrices<T>& typed) {
        for (const MatrixView<T> matrix : {typed.upper, typed.lower})
            if (const auto place = findAsymmetry<T>(matrix))
                comparison.fail(
                    fmt::format("bounds that are not symmetric at ({}, {})", place->row, place->column));
    };
    std::visit(require, found);
}

template std::optional<Place> findAsymmetry(MatrixView<const float>);
template std::optional<Place> findAsymmetry(MatrixView<const double>);
template std::optional<Place> findAsymmetry(MatrixView<const std::int32_t>);

}  // namespace glycine::bounds
