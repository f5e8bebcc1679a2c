#include "engine/crossapen/cpu/membership_kernels.hpp"

namespace glycine::crossapen::cpu {

template <class T>
SumMemberships<T> membershipKernel(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return membershipKernelAvx512<T>();
        case InstructionSet::Avx2:
            // Fused multiply-adds came with AVX2 to all but a few processors.
            __builtin_cpu_init();
            return __builtin_cpu_supports("fma") ? membershipKernelAvx2<T>() : membershipKernelGeneric<T>();
#endif
        default:
            return membershipKernelGeneric<T>();
    }
}

template SumMemberships<float> membershipKernel(InstructionSet);
template SumMemberships<double> membershipKernel(InstructionSet);

}  // namespace glycine::crossapen::cpu
