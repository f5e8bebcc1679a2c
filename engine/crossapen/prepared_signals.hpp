#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/crossapen.hpp"

/// What is made of single channels before pairs are compared: z-scores, samples in ascending order, templates
/// less their means.
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

/// Sorted values are padded to a multiple of this, for kernels that take so many at once.
inline constexpr std::size_t kTemplatePadding = 16;

/// One channel of one epoch in ascending order. T: float or double.
template <class T>
struct SortedSignal {
    SortedSignal() = default;
    /// `samples`: finite, at least one.
    explicit SortedSignal(std::span<const T> samples);

    std::size_t size() const { return order.size(); }
    std::vector<T> values;             ///< padded to a multiple of kTemplatePadding with the largest
    std::vector<std::uint32_t> order;  ///< time of the k-th value
    std::vector<std::uint32_t> ranks;  ///< place in `values` of the sample at a time
};

/// Templates first … first + templates.columns() − 1 of a signal, each less its own mean: templates(k, i) is
/// sample k of template first + i, which is signal[first + i + k · delay] (FuzzyRule::delay). Templates have
/// templates.rows() = m + 1 samples. Computed in double precision and rounded once.
///
/// Those of length m follow from them. The differences f(0) … f(m) of two templates without baselines sum up
/// to zero, so that the mean of the first m is −f(m) / m: without the baselines of length m they are
/// f(k) + f(m) / m.
template <class T>
void subtractBaselines(const T* signal, std::size_t first, std::size_t delay, MatrixView<T> templates);

}  // namespace glycine::crossapen
