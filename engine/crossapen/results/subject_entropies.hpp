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

}  // namespace glycine::crossapen
