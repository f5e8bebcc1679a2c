#if defined(__x86_64__)

#include "engine/algorithms/align/cpu/posterior_rows.hpp"

namespace glycine::align::cpu {

PosteriorKernel posteriorKernelAvx2() {
    return makePosteriorKernel<32>();
}

}  // namespace glycine::align::cpu

#endif
