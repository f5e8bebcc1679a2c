#include "engine/alignment/cpu/profile_kernel.hpp"

#include "engine/alignment/posterior/fused_instructions.hpp"

namespace glycine::align::cpu {

template <class Number>
ProfileKernel<Number> profileKernel(InstructionSet set) {
    switch (withFusedProducts(set)) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return profileKernelAvx512<Number>();
        case InstructionSet::Avx2:
            return profileKernelAvx2<Number>();
#endif
        default:
            return profileKernelGeneric<Number>();
    }
}

template ProfileKernel<float> profileKernel(InstructionSet);
template ProfileKernel<double> profileKernel(InstructionSet);

}  // namespace glycine::align::cpu
