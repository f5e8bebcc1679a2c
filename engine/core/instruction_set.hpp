#pragma once

#include <string_view>

namespace glycine {

/// Vector instructions that Glycine has kernels for, in ascending order.
enum class InstructionSet { Generic, Avx2, Avx512 };

/// The widest set that this processor has.
InstructionSet detectInstructionSet();
/// "generic vectors", "AVX2", "AVX-512".
std::string_view toString(InstructionSet set);
/// Takes "generic", "avx2" or "avx512"; throws UsageError that lists them.
InstructionSet parseInstructionSet(std::string_view name);

}  // namespace glycine
