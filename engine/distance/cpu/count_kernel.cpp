#include "engine/distance/cpu/count_kernel.hpp"

namespace glycine::distance::cpu {

bool hasVectorPopulationCount() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return detectInstructionSet() == InstructionSet::Avx512 && __builtin_cpu_supports("avx512vpopcntdq") != 0;
#else
    return false;
#endif
}

CountFunction countFunction(InstructionSet set, const CountKind& kind) {
#if defined(__x86_64__)
    if (set == InstructionSet::Avx512 && hasVectorPopulationCount()) return countFunctionAvx512(kind);
    if (set >= InstructionSet::Avx2) return countFunctionAvx2(kind);
#endif
    static_cast<void>(set);
    return countFunctionGeneric(kind);
}

}  // namespace glycine::distance::cpu
