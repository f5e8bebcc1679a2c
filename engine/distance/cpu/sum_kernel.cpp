#include "engine/distance/cpu/sum_kernel.hpp"

namespace glycine::distance::cpu {

template <class Number>
SumFunction<Number> sumFunction(InstructionSet set, SumTerm term) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return sumFunctionAvx512<Number>(term);
        case InstructionSet::Avx2:
            return sumFunctionAvx2<Number>(term);
#endif
        default:
            return sumFunctionGeneric<Number>(term);
    }
}

template SumFunction<float> sumFunction(InstructionSet, SumTerm);
template SumFunction<double> sumFunction(InstructionSet, SumTerm);

}  // namespace glycine::distance::cpu
