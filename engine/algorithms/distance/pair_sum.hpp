#pragma once

#include <cmath>
#include <cstddef>

#include "engine/algorithms/distance/pair_engine.hpp"

namespace glycine::distance {

/// Sum over the attributes of |a − b| or (a − b)², in double.
inline double sumOfTerms(const float* a, const float* b, std::size_t attributes, SumTerm term) {
    double sum = 0;
    for (std::size_t k = 0; k < attributes; ++k) {
        const double difference = double{a[k]} - double{b[k]};
        sum += term == SumTerm::AbsoluteDifference ? std::abs(difference) : difference * difference;
    }
    return sum;
}

}  // namespace glycine::distance
