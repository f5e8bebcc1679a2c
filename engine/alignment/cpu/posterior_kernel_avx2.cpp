#if defined(__x86_64__)

#include "engine/alignment/cpu/posterior_rows.hpp"

namespace glycine::align::cpu {

template <class Number>
PosteriorKernel<Number> posteriorKernelAvx2() {
    return makePosteriorKernel<Number, 32>();
}

template PosteriorKernel<float> posteriorKernelAvx2();
template PosteriorKernel<double> posteriorKernelAvx2();

}  // namespace glycine::align::cpu

#endif
