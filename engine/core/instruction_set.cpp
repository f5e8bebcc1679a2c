#include "engine/core/instruction_set.hpp"

#include <string>

namespace glycine {

InstructionSet detectInstructionSet() {
#if defined(__x86_64__)
    __builtin_cpu_init();
#if !defined(GLYCINE_WITHOUT_AVX512)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return InstructionSet::Avx512;
#endif
    if (__builtin_cpu_supports("avx2")) return InstructionSet::Avx2;
#endif
    return InstructionSet::Generic;
}

InstructionSet usableSet(InstructionSet set, const KernelNeeds& needs) {
#if defined(__x86_64__)
    __builtin_cpu_init();
#if !defined(GLYCINE_WITHOUT_AVX512)
    const bool hasBytesAndWords = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (set == InstructionSet::Avx512 && (!needs.bytesAndWords || hasBytesAndWords) &&
        (!needs.populationCount || __builtin_cpu_supports("avx512vpopcntdq")))
        return InstructionSet::Avx512;
#endif
    if (set != InstructionSet::Generic && (!needs.fusedProducts || __builtin_cpu_supports("fma")))
        return InstructionSet::Avx2;
#endif
    static_cast<void>(set);
    static_cast<void>(needs);
    return InstructionSet::Generic;
}

std::string_view toString(InstructionSet set) {
    switch (set) {
        case InstructionSet::Avx512:
            return "AVX-512";
        case InstructionSet::Avx2:
            return "AVX2";
        case InstructionSet::Generic:
            return "generic vectors";
    }
    constexpr auto kNames = namesOf(InstructionSet{});
    throwUnknownName(kNames.what, std::to_string(static_cast<int>(set)), listedNames(kNames.table));
}

}  // namespace glycine
