#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/algorithms/crossapen/cpu/partner_blocks.hpp"

namespace glycine::crossapen {

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

/// The samples of one block of a partner in ascending order.
template <class T>
struct SortedBlock {
    /// Takes them from the whole partner.
    void select(const SortedSignal<T>& signal, const PartnerBlock& block);

    std::vector<T> values;             ///< followed by kPartnerPadding infinities
    std::vector<std::uint32_t> order;  ///< time of the k-th value, counted from the beginning of the block
};

}  // namespace glycine::crossapen
