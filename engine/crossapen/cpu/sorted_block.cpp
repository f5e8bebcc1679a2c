#include "engine/crossapen/cpu/sorted_block.hpp"

#include <algorithm>
#include <limits>

#include "engine/crossapen/cpu/match_kernels.hpp"

namespace glycine::crossapen::cpu {

template <class T>
void SortedBlock<T>::select(const SortedSignal<T>& signal, const PartnerBlock& block) {
    values.resize(block.samples + kPartnerPadding);
    order.resize(block.samples);
    std::size_t count = 0;
    for (std::size_t k = 0; k < signal.size(); ++k) {
        const std::size_t time = signal.order[k] - block.first;  // wraps around for earlier samples
        if (time >= block.samples) continue;
        values[count] = signal.values[k];
        order[count] = static_cast<std::uint32_t>(time);
        ++count;
    }
    std::fill_n(values.data() + count, kPartnerPadding, std::numeric_limits<T>::infinity());
}

template struct SortedBlock<float>;
template struct SortedBlock<double>;

}  // namespace glycine::crossapen::cpu
