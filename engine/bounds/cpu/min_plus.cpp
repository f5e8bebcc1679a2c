#include "engine/bounds/cpu/min_plus.hpp"

namespace glycine::bounds::cpu {

template <class T>
MinPlusKernel<T> minPlusKernel(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return minPlusKernelAvx512<T>();
        case InstructionSet::Avx2:
            return minPlusKernelAvx2<T>();
#endif
        default:
            return minPlusKernelGeneric<T>();
    }
}

template MinPlusKernel<float> minPlusKernel(InstructionSet);
template MinPlusKernel<double> minPlusKernel(InstructionSet);
template MinPlusKernel<std::int32_t> minPlusKernel(InstructionSet);

}  // namespace glycine::bounds::cpu
