#include "engine/algorithms/align/cpu/posterior_rows.hpp"

namespace glycine::align::cpu {

PosteriorKernel posteriorKernelGeneric() {
    return makePosteriorKernel<16>();
}

}  // namespace glycine::align::cpu
