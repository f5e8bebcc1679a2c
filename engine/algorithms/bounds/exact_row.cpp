#include "engine/algorithms/bounds/exact_row.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "engine/algorithms/bounds/dense_dijkstra.hpp"
#include "engine/algorithms/bounds/number_format.hpp"

namespace glycine::bounds {

namespace {

/// Å, where float formats have sums in double and fixed point in 64 bits.
template <class T>
double angstromOfSum(SumOf<T> sum) {
    if (sum >= static_cast<SumOf<T>>(kUnknownUpper<T>)) return std::numeric_limits<double>::infinity();
    return static_cast<double>(sum) * toAngstrom(T(1));
}

}  // namespace

void compareExactRow(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, std::size_t row,
                     const RowComparison& compare) {
    const double allowed =
        pathRoundingBound(numberFormat(input), atomCount(input),
                          std::max(largestFiniteBound(input), largestFiniteBound(smoothed)));
    std::visit(
        [&]<class T>(const BoundMatrices<T>& given) {
            const auto& found = std::get<BoundMatrices<T>>(smoothed);
            const ExactRow<T> exact = smoothRow(given, row);
            for (std::size_t j = 0; j < given.atoms(); ++j) {
                if (j == row) continue;
                compare("upper", j, angstromOrInfinity(found.upper(row, j)), angstromOfSum<T>(exact.upper[j]),
                        allowed);
                if (given.hasLower())
                    compare("lower", j, angstromOrInfinity(found.lower(row, j)),
                            angstromOfSum<T>(exact.lower[j]), allowed);
            }
        },
        input);
}

double secondsForExactRow(std::size_t atoms) {
    // Two searches of n² steps, and their starts.
    return 6e-9 * static_cast<double>(atoms) * static_cast<double>(atoms);
}

}  // namespace glycine::bounds
