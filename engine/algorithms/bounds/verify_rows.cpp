#include "engine/algorithms/bounds/verify_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>

#include "engine/algorithms/bounds/dense_dijkstra.hpp"
#include "engine/algorithms/bounds/number_format.hpp"
#include "engine/core/error.hpp"

namespace glycine::bounds {

namespace {

/// Exact in it are all sums of bounds in fixed point; sums of floats err by far less than a float's rounding.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t, double>;

/// What is true of one row.
template <class Sum>
struct TrueRow {
    std::vector<Sum> upper;
    std::vector<Sum> lower;  ///< empty without lower bounds
};

template <class T>
TrueRow<SumOf<T>> computeRow(const BoundMatrices<T>& input, std::size_t i) {
    using Sum = SumOf<T>;
    const std::size_t n = input.atoms();
    TrueRow<Sum> row;
    row.upper = denseDijkstra<Sum, T>(input.upper, i).distance;
    if (!input.hasLower()) return row;
    // start_q = min over p of U_ip − l_pq
    std::vector<Sum> start(n, std::numeric_limits<Sum>::max() / 2);
    for (std::size_t p = 0; p < n; ++p) {
        const T* l = input.lower.row(p);
        for (std::size_t q = 0; q < n; ++q)
            start[q] = std::min(start[q], row.upper[p] - (p == q ? Sum(0) : static_cast<Sum>(l[q])));
    }
    row.lower = denseDijkstra<Sum, T>(input.upper, std::move(start)).distance;
    for (Sum& bound : row.lower) bound = -bound;
    row.lower[i] = 0;
    return row;
}

template <class T>
double deviation(T found, SumOf<T> expected) {
    const double difference = std::abs(static_cast<double>(static_cast<SumOf<T>>(found) - expected));
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference * toAngstrom(T(1));
}

template <class T>
RowDeviations verify(const BoundMatrices<T>& input, const BoundMatrices<T>& smoothed,
                     const std::vector<std::size_t>& rows) {
    RowDeviations worst;
    worst.rows = rows.size();
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const std::size_t i = rows[index];
        const TrueRow<SumOf<T>> truth = computeRow(input, i);
#pragma omp critical(glycine_bounds_verify_rows)
        for (std::size_t j = 0; j < input.atoms(); ++j) {
            if (const double d = deviation(smoothed.upper(i, j), truth.upper[j]); d > worst.upper) {
                worst.upper = d;
                worst.upperRow = i;
                worst.upperColumn = j;
            }
            if (!input.hasLower()) continue;
            if (const double d = deviation(smoothed.lower(i, j), truth.lower[j]); d > worst.lower) {
                worst.lower = d;
                worst.lowerRow = i;
                worst.lowerColumn = j;
            }
        }
    }
    return worst;
}

}  // namespace

std::string RowDeviations::place() const {
    return upper >= lower ? fmt::format("upper bound of ({}, {})", upperRow, upperColumn)
                          : fmt::format("lower bound of ({}, {})", lowerRow, lowerColumn);
}

std::vector<std::size_t> sampleRows(std::size_t atoms, std::size_t count, std::uint64_t seed) {
    std::vector<std::size_t> all(atoms);
    for (std::size_t i = 0; i < atoms; ++i) all[i] = i;
    if (count >= atoms) return all;
    if (count == 0) return {};
    // The first and the last come to the front, then the rest in random order (Fisher and Yates).
    if (atoms > 1) std::swap(all[1], all.back());
    std::mt19937_64 generator(seed);
    for (std::size_t i = 2; i < count; ++i) std::swap(all[i], all[i + generator() % (atoms - i)]);
    all.resize(count);
    std::sort(all.begin(), all.end());
    return all;
}

RowDeviations verifyRows(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed,
                         const std::vector<std::size_t>& rows) {
    if (input.index() != smoothed.index())
        throw InputError(fmt::format("the input is in {}, the smoothed bounds in {}; expected one format",
                                     toString(numberFormat(input)), toString(numberFormat(smoothed))));
    if (atomCount(input) != atomCount(smoothed))
        throw InputError(fmt::format("the input has {} atoms, the smoothed bounds {}; expected equal numbers",
                                     atomCount(input), atomCount(smoothed)));
    for (const std::size_t row : rows)
        if (row >= atomCount(input))
            throw InputError(
                fmt::format("row {} is out of range; expected one below {}", row, atomCount(input)));
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            const auto& result = std::get<BoundMatrices<T>>(smoothed);
            if (typed.hasLower() != result.hasLower())
                throw InputError(
                    "only one of the input and the smoothed bounds has lower bounds; expected both or none");
            return verify(typed, result, rows);
        },
        input);
}

}  // namespace glycine::bounds
