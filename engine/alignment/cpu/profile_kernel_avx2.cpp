#if defined(__x86_64__)

#include "engine/alignment/cpu/profile_diagonals.hpp"

namespace glycine::align::cpu {

template <class Number>
ProfileKernel<Number> profileKernelAvx2() {
    return &computeProfilePair<Number, 32>;
}

template ProfileKernel<float> profileKernelAvx2();
template ProfileKernel<double> profileKernelAvx2();

}  // namespace glycine::align::cpu

#endif
