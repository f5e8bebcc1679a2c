#if defined(__x86_64__)

#include "engine/pairwise/cpu/lane_columns.hpp"

namespace glycine::pairwise::cpu {

template <class Number>
LaneKernel<Number> laneKernelAvx512() {
    return makeLaneKernel<Number, 64, 8>();
}

template LaneKernel<std::int16_t> laneKernelAvx512();
template LaneKernel<std::int32_t> laneKernelAvx512();
template LaneKernel<std::int64_t> laneKernelAvx512();

}  // namespace glycine::pairwise::cpu

#endif
