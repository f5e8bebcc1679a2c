#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/crossapen.hpp"

namespace glycine::crossapen {

/// Channels that cannot be normalised, in ascending order. No entropy of theirs means anything.
struct UnusableChannels {
    std::vector<std::size_t> constant;   ///< all samples equal: the standard deviation is zero
    std::vector<std::size_t> notFinite;  ///< a sample is NaN or infinite
    bool empty() const { return constant.empty() && notFinite.empty(); }
};
/// `signals`: channels × samples, samples ≥ 1.
UnusableChannels findUnusable(MatrixView<const double> signals);

/// z-scores, equations 1 and 2 of the paper: u*(i) = (u(i) − mean) / SD, each row for itself, computed in
/// double precision and rounded once to T. `signals` and `normalised`: channels × samples, samples ≥ 2. The
/// result does not depend on the unit of the signal by a power of two, nor on its size. Rows of the channels
/// that are returned are filled with zeros. T: float or double.
template <class T>
UnusableChannels normalise(MatrixView<const double> signals, Deviation deviation, MatrixView<T> normalised);

}  // namespace glycine::crossapen
