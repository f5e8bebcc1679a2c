#pragma once

#include <cstdint>
#include <memory>

#include "engine/algorithms/distance/results/result_store.hpp"
#include "engine/algorithms/distance/study/pair_question.hpp"
#include "engine/core/matrix.hpp"
#include "engine/study/validation_report.hpp"

/// Whether an engine counts and sums what the reference does.
namespace glycine::distance {

/// The reference's answers to all questions about a data set: elements with column < row.
struct PairAnswers {
    Matrix<std::uint32_t> differing;
    Matrix<std::uint32_t> opposite;
    Matrix<std::uint32_t> valid;
    Matrix<double> absoluteDifferences;
    Matrix<double> squaredDifferences;
    double seconds = 0;  ///< that the reference took
};
PairAnswers askReference(const DataView& data, Progress& progress);

/// Puts the question to an engine that supports it: as one tile (where its size allows), then as tiles of at
/// most a third of the instances, on and off the diagonal. Each result is written into views with guards
/// around them. Counts must be equal to the bit, sums within summationTolerance(). Differences are relative
/// to the value. `seconds` grows by what the engine took.
Comparison compareWithReference(PairEngine& engine, const DataView& data, const PairQuestion& question,
                                Variant variant, const PairAnswers& answers, Progress& progress,
                                double& seconds);

/// The values of all pairs, in memory, as the whole of `distance` gives them.
std::unique_ptr<ResultStore> computeValues(Backend& backend, const DataView& data,
                                           const DistanceOptions& options, Progress& progress);

/// The values of two backends side by side; equal where both have none.
Comparison compareValues(const ResultStore& expected, const ResultStore& found, const DataView& data,
                         Measure measure);

}  // namespace glycine::distance
