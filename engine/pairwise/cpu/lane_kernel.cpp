#include "engine/pairwise/cpu/lane_kernel.hpp"

namespace glycine::pairwise::cpu {

template <class Number>
LaneKernel<Number> laneKernel(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            // The first processors with AVX-512 lacked instructions for bytes and short words.
            if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
                return laneKernelAvx512<Number>();
            return laneKernelAvx2<Number>();
        case InstructionSet::Avx2:
            return laneKernelAvx2<Number>();
#endif
        default:
            return laneKernelGeneric<Number>();
    }
}

template LaneKernel<std::int16_t> laneKernel(InstructionSet);
template LaneKernel<std::int32_t> laneKernel(InstructionSet);
template LaneKernel<std::int64_t> laneKernel(InstructionSet);

}  // namespace glycine::pairwise::cpu
