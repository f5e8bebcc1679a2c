#include "engine/pairwise/cpu/clustal_kernel.hpp"

namespace glycine::pairwise::cpu {

ClustalKernel clustalKernel(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return clustalKernelAvx512();
        case InstructionSet::Avx2:
            return clustalKernelAvx2();
#endif
        default:
            return clustalKernelGeneric();
    }
}

}  // namespace glycine::pairwise::cpu
