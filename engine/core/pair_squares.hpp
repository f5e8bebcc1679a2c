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

/// Side of the squares in which pairs are visited, one on either side of the diagonal.
inline constexpr std::size_t kPairSquare = 64;

/// Calls visit(i, j) for all pairs i < j < n with i in `rows`, a square after another. `rows`: one of
/// splitRange(n, kPairSquare).
template <class Visit>
void visitPairs(const Range& rows, std::size_t n, const Visit& visit) {
    for (std::size_t begin = rows.begin; begin < n; begin += kPairSquare)
        for (std::size_t i = rows.begin; i < rows.end; ++i)
            for (std::size_t j = std::max(i + 1, begin); j < std::min(begin + kPairSquare, n); ++j)
                visit(i, j);
}

/// Calls visit(i, j, a_ij, b_ji) for the same pairs of two square matrices, which may be one. Reads `b` along
/// its rows, in pieces that memory delivers at its rate: rows that lie a power of two apart evict one another
/// from caches when they are read across.
template <class T, class Visit>
void visitMirrored(const Range& rows, MatrixView<const T> a, MatrixView<const T> b, const Visit& visit) {
    constexpr std::size_t kColumns = 2 * kPairSquare;
    constexpr std::size_t kLine = 64 / sizeof(T);  // so that columns of `mirrored` spread over the cache
    T mirrored[kPairSquare][kColumns + kLine];
    const std::size_t n = a.rows();
    for (std::size_t begin = rows.begin; begin < n; begin += kColumns) {
        const std::size_t end = std::min(begin + kColumns, n);
        for (std::size_t j = begin; j < end; ++j)
            for (std::size_t i = 0; i < rows.size(); ++i) mirrored[i][j - begin] = b(j, rows.begin + i);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = std::max(rows.begin + i + 1, begin); j < end; ++j)
                visit(rows.begin + i, j, a(rows.begin + i, j), mirrored[i][j - begin]);
    }
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
        visitMirrored<T>(squares[row], matrix, matrix, [&](std::size_t i, std::size_t j, T above, T below) {
            if (differ(above, below)) own = std::min(own, i * n + j);
        });
        const std::lock_guard lock(mutex);
        first = std::min(first, own);
    });
    if (first == n * n) return std::nullopt;
    return Place{first / n, first % n};
}

}  // namespace glycine
