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

ExactRows::ExactRows(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, double step)
    : input_(input), smoothed_(smoothed), step_(step) {}

double ExactRows::allowed(std::size_t sums) {
    const NumberFormat format = numberFormat(input_);
    if (format == NumberFormat::Fixed) return 0;
    if (step_ > 0) return static_cast<double>(sums + 1) * step_;
    if (!rounding_)
        rounding_ = pathRoundingBound(format, atomCount(input_),
                                      std::max(largestFiniteBound(input_), largestFiniteBound(smoothed_)));
    return *rounding_;
}

void ExactRows::compare(std::size_t row, const RowComparison& compare) {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& given) {
            const auto& found = std::get<BoundMatrices<T>>(smoothed_);
            const ExactRow<T> exact = smoothRow(given, row);
            const double allowed = this->allowed(exact.sums);
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

double secondsForExactRow(std::size_t atoms) {
    // Two searches of n² steps, and their starts.
    return 6e-9 * static_cast<double>(atoms) * static_cast<double>(atoms);
}

}  // namespace glycine::bounds
