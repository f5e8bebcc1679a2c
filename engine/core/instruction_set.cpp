#include "engine/core/instruction_set.hpp"

#include "engine/core/names.hpp"

namespace glycine {

namespace {
constexpr NameTable<InstructionSet, 3> kNames{{{InstructionSet::Generic, "generic"},
                                               {InstructionSet::Avx2, "avx2"},
                                               {InstructionSet::Avx512, "avx512"}}};
}  // namespace

InstructionSet detectInstructionSet() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return InstructionSet::Avx512;
    if (__builtin_cpu_supports("avx2")) return InstructionSet::Avx2;
#endif
    return InstructionSet::Generic;
}

std::string_view toString(InstructionSet set) {
    switch (set) {
        case InstructionSet::Avx512:
            return "AVX-512";
        case InstructionSet::Avx2:
            return "AVX2";
        case InstructionSet::Generic:
            break;
    }
    return "generic vectors";
}

InstructionSet parseInstructionSet(std::string_view name) {
    return valueOf("instruction set", name, kNames);
}

}  // namespace glycine
