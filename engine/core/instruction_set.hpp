#pragma once

#include <cstddef>
#include <string_view>

#include "engine/core/names.hpp"

namespace glycine {

/// Instruction sets that Glycine has kernels for, in ascending order.
enum class InstructionSet { Generic, Avx2, Avx512 };
/// Names on the command line.
constexpr auto namesOf(InstructionSet) {
    return namesAre<InstructionSet>("instruction set", {{InstructionSet::Generic, "generic"},
                                                        {InstructionSet::Avx2, "avx2"},
                                                        {InstructionSet::Avx512, "avx512"}});
}

/// The widest set that this processor has, of those that this build has kernels for (cmake/Kernels.cmake).
InstructionSet detectInstructionSet();
/// Names in reports: "generic vectors", "AVX2", "AVX-512".
std::string_view toString(InstructionSet set);

/// A kernel's requirement on the processor in addition to an instruction set. Not every processor with the
/// set has it.
struct KernelNeeds {
    bool fusedProducts = false;    ///< FMA: came with AVX2 to all but a few processors
    bool bytesAndWords = false;    ///< AVX512BW, AVX512VL: missing on the first processors with AVX-512
    bool populationCount = false;  ///< AVX512VPOPCNTDQ; only applies to AVX-512
};

/// The widest set, at most `set`, for which this processor meets the needs of a kernel.
InstructionSet usableSet(InstructionSet set, const KernelNeeds& needs);

/// A kernel is a struct of functions whose source file CMake's glycine_kernel() compiles once for each
/// instruction set. The struct declares, and the file defines for its kCompiledSet:
///
///     static constexpr KernelNeeds kNeeds{…};
///     template <InstructionSet set> static Kernel compiled(arguments…);
///
/// Returns the kernel for the widest usable set, at most `set`.
template <class Kernel, class... Arguments>
Kernel kernelFor(InstructionSet set, const Arguments&... arguments) {
    switch (usableSet(set, Kernel::kNeeds)) {
#if defined(__x86_64__)
#if !defined(GLYCINE_WITHOUT_AVX512)
        case InstructionSet::Avx512:
            return Kernel::template compiled<InstructionSet::Avx512>(arguments...);
#endif
        case InstructionSet::Avx2:
            return Kernel::template compiled<InstructionSet::Avx2>(arguments...);
#endif
        default:
            return Kernel::template compiled<InstructionSet::Generic>(arguments...);
    }
}

// In a kernel's file: the instruction set that it is compiled for, and the bytes of a register. A kernel must
// define everything else in an anonymous namespace, so that the linker cannot share AVX-512 code with other
// files.
#if defined(GLYCINE_FOR_AVX512)
constexpr InstructionSet kCompiledSet = InstructionSet::Avx512;
constexpr std::size_t kRegisterBytes = 64;
#elif defined(GLYCINE_FOR_AVX2)
constexpr InstructionSet kCompiledSet = InstructionSet::Avx2;
constexpr std::size_t kRegisterBytes = 32;
#elif defined(GLYCINE_FOR_GENERIC)
/// The compiler's vectors: SSE2 on x86-64, NEON on AArch64, scalar code on other processors.
constexpr InstructionSet kCompiledSet = InstructionSet::Generic;
constexpr std::size_t kRegisterBytes = 16;
#endif

}  // namespace glycine
