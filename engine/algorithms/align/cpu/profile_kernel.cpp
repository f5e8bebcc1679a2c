#include "engine/algorithms/align/cpu/profile_kernel.hpp"

namespace glycine::align::cpu {

template <class Number>
ProfileKernel<Number> profileKernel(InstructionSet set) {
#if defined(__x86_64__)
    // Fused multiply-adds came with AVX2 on all but a few processors.
    const bool hasFma = __builtin_cpu_supports("fma");
    const bool hasAll = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (set == InstructionSet::Avx512 && hasAll) return profileKernelAvx512<Number>();
    if (set != InstructionSet::Generic && hasFma) return profileKernelAvx2<Number>();
#endif
    static_cast<void>(set);
    return profileKernelGeneric<Number>();
}

template ProfileKernel<float> profileKernel(InstructionSet);
template ProfileKernel<double> profileKernel(InstructionSet);

}  // namespace glycine::align::cpu
