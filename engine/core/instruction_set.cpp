#include "engine/core/instruction_set.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"

namespace glycine {

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
    if (name == "generic") return InstructionSet::Generic;
    if (name == "avx2") return InstructionSet::Avx2;
    if (name == "avx512") return InstructionSet::Avx512;
    throw UsageError(fmt::format("unknown instruction set '{}'; known: generic, avx2, avx512", name));
}

}  // namespace glycine
