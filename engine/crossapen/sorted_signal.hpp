#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glycine::crossapen {

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

}  // namespace glycine::crossapen
