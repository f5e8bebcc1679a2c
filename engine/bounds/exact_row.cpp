#include "engine/bounds/exact_row.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/bounds/dense_dijkstra.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::bounds {

namespace {

/// Å, where float formats have sums in double and fixed point in 64 bits.
template <class T>
double angstromOfSum(SumOf<T> sum) {
    if (sum >= static_cast<SumOf<T>>(kUnknownUpper<T>)) return std::numeric_limits<double>::infinity();
    return static_cast<double>(sum) * toAngstrom(T(1));
}

}  // namespace

ExactRows::ExactRows(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, double step)
    : input_(input), smoothed_(smoothed), step_(step) {}

void ExactRows::compare(std::size_t row, const RowComparison& compare) const {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& given) {
            const auto& found = std::get<BoundMatrices<T>>(smoothed_);
            const bool isOutward = step_ > 0;
            const ExactRow<T> exact =
                smoothRow(given, row, isOutward ? Rounding::Outward : Rounding::Nearest);
            const bool isFixed = std::is_same_v<T, std::int32_t>;
            const double allowed = isFixed     ? 0
                                   : isOutward ? static_cast<double>(exact.steps + 1) * step_
                                               : exact.rounding;
            for (std::size_t j = 0; j < given.atoms(); ++j) {
                if (j == row) continue;
                compare("upper", j, angstromOrInfinity(found.upper(row, j)), angstromOfSum<T>(exact.upper[j]),
                        allowed);
                if (given.hasLower())
                    compare("lower", j, angstromOrInfinity(found.lower(row, j)),
                            angstromOfSum<T>(exact.lower[j]), allowed);
            }
        },
        input_);
}

void ExactRows::compareElement(std::size_t row, std::size_t column, const RowComparison& compare) const {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& given) {
            using Sum = SumOf<T>;
            const auto& found = std::get<BoundMatrices<T>>(smoothed_);
            const std::size_t n = given.atoms();
            const MatrixView<T> knownUpper = given.upper;
            const MatrixView<T> foundUpper = found.upper;
            Sum upper = static_cast<Sum>(knownUpper(row, column));
            for (std::size_t k = 0; k < n; ++k) {
                if (k == row || k == column) continue;
                upper = std::min(upper, static_cast<Sum>(foundUpper(row, k)) + knownUpper(column, k));
            }
            // A path has at most n − 1 bounds; each sum may be off by half a unit in the last place.
            double allowed = step_;
            if constexpr (std::is_floating_point_v<T>)
                if (step_ == 0)
                    allowed = static_cast<double>(n) * std::numeric_limits<T>::epsilon() *
                              static_cast<double>(upper);
            compare("upper", column, angstromOrInfinity(foundUpper(row, column)), angstromOfSum<T>(upper),
                    allowed);
            if (!given.hasLower()) return;
            Sum lower = static_cast<Sum>(given.lower(row, column));
            Sum largest = upper;  // of what is subtracted
            for (std::size_t k = 0; k < n; ++k) {
                if (k == row || k == column) continue;
                const auto path = static_cast<Sum>(foundUpper(row, k));
                largest = std::max(largest, path);
                lower = std::max({lower, static_cast<Sum>(found.lower(row, k)) - foundUpper(column, k),
                                  static_cast<Sum>(given.lower(column, k)) - path});
            }
            if constexpr (std::is_floating_point_v<T>)
                if (step_ == 0)
                    allowed = 2 * static_cast<double>(n) * std::numeric_limits<T>::epsilon() *
                              static_cast<double>(largest);
            compare("lower", column, angstromOrInfinity(found.lower(row, column)), angstromOfSum<T>(lower),
                    allowed);
        },
        input_);
}

double roundingOfAllRows(const AnyBoundMatrices& input, Progress& progress) {
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            const std::size_t n = typed.atoms();
            std::vector<double> rounding(n, 0);
            if (std::is_same_v<T, std::int32_t>) return 0.0;
            progress.begin("rounding of the reference", static_cast<double>(n));
            parallelFor(omp_get_max_threads(), n, [&](std::size_t row, std::size_t) {
                rounding[row] = smoothRow(typed, row, Rounding::Nearest).rounding;
                progress.advance(1);
            });
            return *std::max_element(rounding.begin(), rounding.end());
        },
        input);
}

double secondsForExactRow(std::size_t atoms, double step) {
    // Two searches of n² steps, and their starts; and where sums are rounded to nearest, two counts of ties.
    return (step > 0 ? 6e-9 : 12e-9) * static_cast<double>(atoms) * static_cast<double>(atoms);
}

double secondsForExactElement(std::size_t atoms) {
    return 6e-9 * static_cast<double>(atoms);
}

}  // namespace glycine::bounds
