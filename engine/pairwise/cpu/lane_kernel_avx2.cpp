#if defined(__x86_64__)

#include "engine/pairwise/cpu/lane_columns.hpp"

namespace glycine::pairwise::cpu {

template <class Number>
LaneKernel<Number> laneKernelAvx2() {
    return makeLaneKernel<Number, 32, 4>();
}

template LaneKernel<std::int16_t> laneKernelAvx2();
template LaneKernel<std::int32_t> laneKernelAvx2();
template LaneKernel<std::int64_t> laneKernelAvx2();

}  // namespace glycine::pairwise::cpu

#endif
