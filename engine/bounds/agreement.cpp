#include "engine/bounds/agreement.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "engine/bounds/exact_row.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/pair_squares.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::bounds {

namespace {

/// Fails the comparison unless results are symmetric to the bit.
void requireSymmetry(const AnyBoundMatrices& found, Comparison& comparison) {
    const auto require = [&]<class T>(const BoundMatrices<T>& typed) {
        for (const MatrixView<T> matrix : {typed.upper, typed.lower})
            if (const auto place = findAsymmetry<T>(matrix))
                comparison.fail(
                    fmt::format("bounds that are not symmetric at ({}, {})", place->row, place->column));
    };
    std::visit(require, found);
}

/// Includes the difference of element (i, j).
void takeIn(Comparison& comparison, double difference, std::string_view kind, std::size_t i, std::size_t j) {
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    if (difference <= comparison.largestDifference) return;
    comparison.largestDifference = difference;
    comparison.place = fmt::format("{} bound of ({}, {})", kind, i, j);
}

template <class T>
void compareMatrices(MatrixView<T> expected, MatrixView<T> found, std::string_view kind,
                     Comparison& comparison) {
    const std::size_t n = expected.rows();
    for (std::size_t i = 0; i < n; ++i) {
        if (std::memcmp(expected.row(i), found.row(i), n * sizeof(T)) == 0) continue;
        comparison.isEqual = false;
        for (std::size_t j = 0; j < n; ++j)
            if (const T a = expected(i, j), b = found(i, j); !isUnknownUpper(a) || !isUnknownUpper(b))
                takeIn(comparison, std::abs(angstromOrInfinity(a) - angstromOrInfinity(b)), kind, i, j);
    }
}

}  // namespace

template <class T>
std::optional<Place> findAsymmetry(MatrixView<const T> matrix) {
    const int threads = matrix.rows() >= kManyAtoms ? omp_get_max_threads() : 1;
    return glycine::findAsymmetry(matrix, threads, [](T a, T b) { return !(a == b); });
}

template std::optional<Place> findAsymmetry(MatrixView<const float>);
template std::optional<Place> findAsymmetry(MatrixView<const double>);
template std::optional<Place> findAsymmetry(MatrixView<const std::int32_t>);

template <class T>
Comparison compareBounds(const BoundMatrices<T>& expected, const BoundMatrices<T>& found,
                         double allowedDifference) {
    Comparison comparison = equalSoFar(allowedDifference);
    compareMatrices(expected.upper, found.upper, "upper", comparison);
    compareMatrices(expected.lower, found.lower, "lower", comparison);
    requireSymmetry(found, comparison);
    return comparison;
}

template <class T>
Comparison verifyRows(const BoundMatrices<T>& input, const BoundMatrices<T>& smoothed,
                      const std::vector<std::size_t>& rows) {
    Comparison comparison = equalSoFar(0);
    parallelFor(omp_get_max_threads(), rows.size(), [&](std::size_t index, std::size_t) {
        const std::size_t i = rows[index];
        const ExactRow<T> exact = smoothRow(input, i, Rounding::Nearest);
        const auto compare = [&](const auto& expected, MatrixView<T> found, std::string_view kind) {
            for (std::size_t j = 0; j < expected.size(); ++j)
                takeIn(comparison, std::abs(double(SumOf<T>(found(i, j)) - expected[j])) * toAngstrom(T(1)),
                       kind, i, j);
        };
#pragma omp critical(glycine_bounds_verify_rows)
        {
            compare(exact.upper, smoothed.upper, "upper");
            compare(exact.lower, smoothed.lower, "lower");
            comparison.allowedDifference = std::max(comparison.allowedDifference, exact.rounding);
        }
    });
    comparison.isEqual = comparison.largestDifference == 0;
    requireSymmetry(smoothed, comparison);
    if (comparison.agrees())
        comparison.verdict =
            formatCount(rows.size(), "row") +
            (comparison.isEqual ? " exact" : fmt::format(" within {:.1g} Å", comparison.largestDifference));
    return comparison;
}

#define GLYCINE_INSTANTIATE(T)                                                                      \
    template Comparison compareBounds<T>(const BoundMatrices<T>&, const BoundMatrices<T>&, double); \
    template Comparison verifyRows<T>(const BoundMatrices<T>&, const BoundMatrices<T>&,             \
                                      const std::vector<std::size_t>&);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::bounds
