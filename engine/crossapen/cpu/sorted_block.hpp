#pragma once

#include <cstdint>
#include <vector>

#include "engine/crossapen/cpu/partner_blocks.hpp"
#include "engine/crossapen/sorted_signal.hpp"

namespace glycine::crossapen::cpu {

/// The samples of one block of a partner in ascending order.
template <class T>
struct SortedBlock {
    /// Takes them from the whole partner.
    void select(const SortedSignal<T>& signal, const PartnerBlock& block);

    std::vector<T> values;             ///< followed by kPartnerPadding infinities
    std::vector<std::uint32_t> order;  ///< time of the k-th value, counted from the beginning of the block
};

}  // namespace glycine::crossapen::cpu
