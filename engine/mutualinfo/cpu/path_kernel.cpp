#include "engine/mutualinfo/cpu/path_kernel.hpp"

namespace glycine::mutualinfo::cpu {

PathKernel pathKernel(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return pathKernelAvx512();
        case InstructionSet::Avx2:
            return pathKernelAvx2();
#endif
        default:
            return pathKernelGeneric();
    }
}

}  // namespace glycine::mutualinfo::cpu
