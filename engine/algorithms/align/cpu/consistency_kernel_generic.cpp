#include "engine/algorithms/align/cpu/consistency_blocks.hpp"

namespace glycine::align::cpu {

ConsistencyKernel consistencyKernelGeneric() {
    return makeConsistencyKernel<16>();
}

}  // namespace glycine::align::cpu
