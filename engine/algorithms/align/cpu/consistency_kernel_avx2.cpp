#if defined(__x86_64__)

#include "engine/algorithms/align/cpu/consistency_blocks.hpp"

namespace glycine::align::cpu {

ConsistencyKernel consistencyKernelAvx2() {
    return makeConsistencyKernel<32>();
}

}  // namespace glycine::align::cpu

#endif
