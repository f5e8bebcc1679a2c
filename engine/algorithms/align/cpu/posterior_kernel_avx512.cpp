#if defined(__x86_64__)

#include "engine/algorithms/align/cpu/posterior_rows.hpp"

namespace glycine::align::cpu {

PosteriorKernel posteriorKernelAvx512() {
    return makePosteriorKernel<64>();
}

}  // namespace glycine::align::cpu

#endif
