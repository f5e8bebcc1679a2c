#pragma once

#include <cstdint>

#include "engine/algorithms/distance/pair_engine.hpp"

namespace glycine::distance {

/// The reference's answers to all questions about a data set, N × N each: elements with column < row.
struct PairAnswers {
    // Of discrete data.
    Matrix<std::uint32_t> differing, opposite, valid;
    // Of coordinates.
    Matrix<double> absoluteDifferences, squaredDifferences;
    double seconds = 0;  ///< that the reference took
};
PairAnswers askReference(const DataView& data, Progress& progress);

}  // namespace glycine::distance
