#include "engine/crossapen/cpu/match_kernels.hpp"

namespace glycine::crossapen::cpu {

namespace {

#if defined(__x86_64__)
/// AVX-512 came in parts: the kernels compare 16-bit numbers and count bits, too, which the first processors
/// that have it cannot.
bool hasAllOfAvx512() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

}  // namespace

template <class T>
MatchKernels<T> matchKernels(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return hasAllOfAvx512() ? matchKernelsAvx512<T>() : matchKernelsAvx2<T>();
        case InstructionSet::Avx2:
            return matchKernelsAvx2<T>();
#endif
        default:
            return matchKernelsGeneric<T>();
    }
}

template MatchKernels<float> matchKernels(InstructionSet);
template MatchKernels<double> matchKernels(InstructionSet);

}  // namespace glycine::crossapen::cpu
