#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

/// Pairs (i, j) and (j, i) of a square matrix, visited in squares on either side of the diagonal.
namespace glycine {

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

/// Calls visit(i, j) for all pairs i < j < n, on all threads.
template <class Visit>
void visitAllPairs(std::size_t n, const Visit& visit) {
    const std::vector<Range> squares = splitRange(n, kPairSquare);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t row = 0; row < squares.size(); ++row) visitPairs(squares[row], n, visit);
}

/// A place in a matrix.
struct Place {
    std::size_t row;
    std::size_t column;
};

/// The first (i, j), i < j, in row-major order, with differ(a_ij, a_ji). Requires a square matrix. O(n²), on
/// `threads` threads.
template <class T, class Differ>
std::optional<Place> findAsymmetry(MatrixView<const T> matrix, int threads, const Differ& differ) {
    const std::size_t n = matrix.rows();
    const std::vector<Range> squares = splitRange(n, kPairSquare);
    std::size_t first = n * n;
    std::mutex mutex;
    parallelFor(threads, squares.size(), [&](std::size_t row, std::size_t) {
        std::size_t own = n * n;
        visitPairs(squares[row], n, [&](std::size_t i, std::size_t j) {
            if (differ(matrix(i, j), matrix(j, i))) own = std::min(own, i * n + j);
        });
        const std::lock_guard lock(mutex);
        first = std::min(first, own);
    });
    if (first == n * n) return std::nullopt;
    return Place{first / n, first % n};
}

}  // namespace glycine
