#pragma once

#include <string_view>

#include "engine/core/names.hpp"

namespace glycine {

/// Vector instructions that Glycine has kernels for, in ascending order.
enum class InstructionSet { Generic, Avx2, Avx512 };
/// On the command line.
constexpr auto namesOf(InstructionSet) {
    return namesAre<InstructionSet>("instruction set", {{InstructionSet::Generic, "generic"},
                                                        {InstructionSet::Avx2, "avx2"},
                                                        {InstructionSet::Avx512, "avx512"}});
}

/// The widest set that this processor has.
InstructionSet detectInstructionSet();
/// In reports: "generic vectors", "AVX2", "AVX-512".
std::string_view toString(InstructionSet set);

}  // namespace glycine
