#include "engine/core/cpu/chains.hpp"

namespace glycine::cpu {

#if defined(__x86_64__)
bool hasVectorPopulationCount() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

const ChainKernels& chainKernels(InstructionSet instructions) {
    switch (instructions) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return avx512Chains();
        case InstructionSet::Avx2:
            return avx2Chains();
#endif
        default:
            return genericChains();
    }
}

}  // namespace glycine::cpu
