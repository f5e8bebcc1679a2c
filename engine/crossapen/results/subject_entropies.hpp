#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/input/signals.hpp"

/// Results of a run for one file.
namespace glycine::crossapen {

/// One quantity of all channel pairs over the epochs of a file. Rows are the channels of the templates,
/// columns the partners: element (a, b) is the entropy of (b‖a). Measures of single channels have one column.
/// Undefined values (NaN) are excluded from mean and deviation.
struct EntropyMatrix {
    std::string name;          ///< in files: "crossapen_max"
    std::string label;         ///< for display: "Cross-ApEn, bias max"
    Matrix<double> mean;       ///< NaN if no epoch has a value; infinite if any value is
    Matrix<double> deviation;  ///< standard deviation over epochs, divisor n − 1; NaN below two epochs
    Matrix<std::int32_t> epochsUsed;  ///< epochs with a value
    /// One per epoch, if kept; otherwise empty.
    std::vector<Matrix<double>> epochs;
    /// Whether (a, b) and (b, a) are the same value, which group comparisons count once.
    bool isSymmetric = false;

    /// Whether the shape is channels × channels, not channels × 1. True for a single channel.
    bool isPairwise() const { return mean.rows() == mean.columns(); }
};

struct SubjectEntropies : SignalSetShape {
    std::string name;                       ///< of the file: "S001R01.edf"
    std::vector<UnusableChannel> unusable;  ///< indices into `epochs` and `channels`
    std::vector<EntropyMatrix> quantities;  ///< the requested measure first
};

/// How everything was computed: "m" → "1", "r" → "0.2 SD", "bias" → "max" …, in display order.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Mean and deviation over epochs for each element, accumulated epoch by epoch.
///
/// NaN is excluded. An infinite value makes the mean infinite (NaN if both signs occur) and the deviation
/// NaN. Welford's update avoids cancellation if the deviation is small compared with the mean. The order of
/// the epochs affects only the last bits of a result.
/// Source: B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
/// Technometrics 4 (1962), 419–420.
class EpochSummary {
  public:
    /// For matrices of rows × columns. `keepEpochs`: the result includes the values of each epoch.
    EpochSummary(std::size_t rows, std::size_t columns, bool keepEpochs);

    /// Adds the values of the next epoch, rows × columns.
    void add(MatrixView<const double> values);

    /// The summary of the added epochs, with EntropyMatrix::name and label. Call once, at the end.
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
