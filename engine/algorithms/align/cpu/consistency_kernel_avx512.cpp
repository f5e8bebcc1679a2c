#if defined(__x86_64__)

#include "engine/algorithms/align/cpu/consistency_blocks.hpp"

namespace glycine::align::cpu {

ConsistencyKernel consistencyKernelAvx512() {
    return makeConsistencyKernel<64>();
}

}  // namespace glycine::align::cpu

#endif
