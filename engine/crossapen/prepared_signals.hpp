#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/crossapen.hpp"

/// Preparation of single channels before pairs are compared: z-scores, samples in ascending order, templates
/// minus their means.
namespace glycine::crossapen {

/// Channels that cannot be normalised, in ascending order. Their entropies are meaningless.
struct UnusableChannels {
    std::vector<std::size_t> constant;   ///< all samples equal: the standard deviation is zero
    std::vector<std::size_t> notFinite;  ///< a sample is NaN or infinite
    bool empty() const { return constant.empty() && notFinite.empty(); }
};
/// `signals`: channels × samples, samples ≥ 1.
UnusableChannels findUnusable(MatrixView<const double> signals);

/// z-scores, equations 1 and 2 of the paper: u*(i) = (u(i) − mean) / SD for each row, computed in double
/// precision and rounded to T once. `signals` and `normalised`: channels × samples, samples ≥ 2. Scaling a
/// signal by a power of two does not change the result, and neither does its magnitude. Rows of returned
/// channels are filled with zeros. T: float or double.
template <class T>
UnusableChannels normalise(MatrixView<const double> signals, Deviation deviation, MatrixView<T> normalised);

/// Sorted values are padded to a multiple of this, for kernels that process so many at once.
inline constexpr std::size_t kTemplatePadding = 16;

/// One channel of one epoch, sorted. T: float or double.
template <class T>
struct SortedSignal {
    SortedSignal() = default;
    /// `samples`: finite, at least one.
    explicit SortedSignal(std::span<const T> samples);

    std::size_t size() const { return order.size(); }
    std::vector<T> values;             ///< ascending; padded to a multiple of kTemplatePadding with the
                                       ///< largest
    std::vector<std::uint32_t> order;  ///< time index of the k-th value
    std::vector<std::uint32_t> ranks;  ///< position in `values` of the sample at each time index
};

/// Subtracts from each template its own mean, for the templates first … first + templates.columns() − 1 of a
/// signal. templates(k, i) is sample k of template first + i, which is signal[first + i + k · delay]
/// (FuzzyRule::delay). Templates have templates.rows() = m + 1 samples. Computed in double precision and
/// rounded once.
///
/// Templates of length m follow from the result. The differences f(0) … f(m) of two such templates add up to
/// zero, so the mean of the first m is −f(m) / m. With the mean over length m subtracted instead, the
/// differences are f(k) + f(m) / m.
template <class T>
void subtractBaselines(const T* signal, std::size_t first, std::size_t delay, MatrixView<T> templates);

}  // namespace glycine::crossapen
