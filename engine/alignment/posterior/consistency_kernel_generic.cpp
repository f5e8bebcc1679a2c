#include "engine/alignment/posterior/consistency_blocks.hpp"

namespace glycine::align {

ConsistencyKernel consistencyKernelGeneric() {
    return makeConsistencyKernel<16>();
}

}  // namespace glycine::align
