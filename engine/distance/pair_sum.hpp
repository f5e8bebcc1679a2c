#pragma once

#include <cmath>
#include <cstddef>

#include "engine/distance/pair_engine.hpp"

namespace glycine::distance {

/// Sum over the attributes of |a − b| or (a − b)², in double.
template <class Number>
double sumOfTerms(const Number* a, const Number* b, std::size_t attributes, SumTerm term) {
    double sum = 0;
    for (std::size_t k = 0; k < attributes; ++k) {
        const double difference = double{a[k]} - double{b[k]};
        sum += term == SumTerm::AbsoluteDifference ? std::abs(difference) : difference * difference;
    }
    return sum;
}

/// Sums again in double where float32 terms may have left their range: sums that are not finite, or so small
/// that terms below 2⁻¹²⁶, which lose up to 2⁻¹⁵⁰ each, make up more of them than a rounding does. `sums`:
/// elements with column < row of the tile.
void repairSums(MatrixView<const float> coordinates, SumTerm term, const PairTile& tile,
                MatrixView<double> sums);

}  // namespace glycine::distance
