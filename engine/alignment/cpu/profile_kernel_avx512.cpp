#if defined(__x86_64__)

#include "engine/alignment/cpu/profile_diagonals.hpp"

namespace glycine::align::cpu {

template <class Number>
ProfileKernel<Number> profileKernelAvx512() {
    return &computeProfilePair<Number, 64>;
}

template ProfileKernel<float> profileKernelAvx512();
template ProfileKernel<double> profileKernelAvx512();

}  // namespace glycine::align::cpu

#endif
