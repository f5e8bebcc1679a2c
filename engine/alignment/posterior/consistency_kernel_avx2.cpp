#if defined(__x86_64__)

#include "engine/alignment/posterior/consistency_blocks.hpp"

namespace glycine::align {

ConsistencyKernel consistencyKernelAvx2() {
    return makeConsistencyKernel<32>();
}

}  // namespace glycine::align

#endif
