#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"

namespace glycine::crossapen {

/// Mean and deviation over epochs, element by element, from one epoch's values after another.
///
/// NaN is left out. An infinite value makes the mean infinite (NaN where both signs meet) and the deviation
/// NaN. Means and squared deviations are updated as by Welford, so that nothing cancels where the deviation
/// is small beside the mean; a result depends on the order of the epochs in its last bits only.
/// Source: B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
/// Technometrics 4 (1962), 419–420.
class EpochSummary {
  public:
    /// For matrices of rows × columns; `keepEpochs`: their values are part of the result.
    EpochSummary(std::size_t rows, std::size_t columns, bool keepEpochs);

    /// Takes the values of the next epoch, rows × columns.
    void add(MatrixView<const double> values);

    /// The summary of what was added, under the names that EntropyMatrix has for it. Call once, at the end.
    EntropyMatrix finish(std::string name, std::string label);

  private:
    bool keepEpochs_;
    Matrix<double> mean_;             ///< of the finite values
    Matrix<double> squares_;          ///< Σ (value − mean)² of the finite values
    Matrix<double> infinite_;         ///< sum of the infinite values, 0 without any
    Matrix<std::int32_t> finite_;     ///< number of finite values
    Matrix<std::int32_t> unbounded_;  ///< number of infinite values
    std::vector<Matrix<double>> epochs_;
};

}  // namespace glycine::crossapen
