#include "engine/algorithms/distance/cpu/sum_kernel.hpp"

namespace glycine::distance::cpu {

SumFunction sumFunction(InstructionSet set, SumTerm term) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return sumFunctionAvx512(term);
        case InstructionSet::Avx2:
            return sumFunctionAvx2(term);
#endif
        default:
            return sumFunctionGeneric(term);
    }
}

}  // namespace glycine::distance::cpu
