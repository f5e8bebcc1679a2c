#if defined(__x86_64__)

#include "engine/alignment/cpu/posterior_rows.hpp"

namespace glycine::align::cpu {

template <class Number>
PosteriorKernel<Number> posteriorKernelAvx512() {
    return makePosteriorKernel<Number, 64>();
}

template PosteriorKernel<float> posteriorKernelAvx512();
template PosteriorKernel<double> posteriorKernelAvx512();

}  // namespace glycine::align::cpu

#endif
