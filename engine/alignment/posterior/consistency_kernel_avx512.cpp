#if defined(__x86_64__)

#include "engine/alignment/posterior/consistency_blocks.hpp"

namespace glycine::align {

ConsistencyKernel consistencyKernelAvx512() {
    return makeConsistencyKernel<64>();
}

}  // namespace glycine::align

#endif
