#include "engine/alignment/cpu/subsequence_kernel.hpp"

namespace glycine::align::cpu {

SubsequenceKernel subsequenceKernel(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return subsequenceKernelAvx512();
        case InstructionSet::Avx2:
            return subsequenceKernelAvx2();
#endif
        default:
            return subsequenceKernelGeneric();
    }
}

}  // namespace glycine::align::cpu
