#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/input/signals.hpp"

/// What a run finds out about one file.
namespace glycine::crossapen {

/// One quantity of all channel pairs over the epochs of a file. Row: channel of the templates, column:
/// partner, so that element (a, b) is the entropy of (b‖a); one column only for measures of single channels.
/// Undefined values (NaN) are left out of mean and deviation.
struct EntropyMatrix {
    std::string name;          ///< in files: "crossapen_max"; of the measure asked for, it comes first
    std::string label;         ///< for people: "Cross-ApEn, bias max"
    Matrix<double> mean;       ///< NaN where no epoch has a value; infinite where one is
    Matrix<double> deviation;  ///< standard deviation over epochs, divisor n − 1; NaN below two epochs
    Matrix<std::int32_t> epochsUsed;  ///< epochs that have a value
    /// One an epoch, kept on request; empty otherwise.
    std::vector<Matrix<double>> epochs;
    /// Elements (a, b) and (b, a) are one value: group comparisons count it once.
    bool isSymmetric = false;

    /// Channels × channels; else channels × 1. (Of a single channel they are the same.)
    bool isPairwise() const { return mean.rows() == mean.columns(); }
};

struct SubjectEntropies : SignalSetShape {
    std::string name;                       ///< of the file: "S001R01.edf"
    std::vector<UnusableChannel> unusable;  ///< indices into `epochs` and `channels`
    std::vector<EntropyMatrix> quantities;  ///< the measure asked for first
};

/// How everything was computed: "m" → "1", "r" → "0.2 SD", "bias" → "max" …, in the order to be shown.
using Parameters = std::vector<std::pair<std::string, std::string>>;

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
