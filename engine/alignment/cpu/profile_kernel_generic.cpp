#include "engine/alignment/cpu/profile_diagonals.hpp"

namespace glycine::align::cpu {

template <class Number>
ProfileKernel<Number> profileKernelGeneric() {
    return &computeProfilePair<Number, 16>;
}

template ProfileKernel<float> profileKernelGeneric();
template ProfileKernel<double> profileKernelGeneric();

}  // namespace glycine::align::cpu
