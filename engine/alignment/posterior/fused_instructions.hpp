#pragma once

#include "engine/core/instruction_set.hpp"

namespace glycine::align {

/// The widest set, at most `set`, for which this processor has what kernels of probabilities take besides:
/// fused multiply-adds, which came with AVX2 on all but a few processors, and of AVX-512 the instructions for
/// bytes and for narrower registers.
inline InstructionSet withFusedProducts(InstructionSet set) {
#if defined(__x86_64__)
    const bool hasFma = __builtin_cpu_supports("fma");
    const bool hasAll = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (set == InstructionSet::Avx512 && hasAll) return InstructionSet::Avx512;
    if (set != InstructionSet::Generic && hasFma) return InstructionSet::Avx2;
#endif
    static_cast<void>(set);
    return InstructionSet::Generic;
}

}  // namespace glycine::align
