#if defined(__x86_64__)

#include "engine/pairwise/cpu/clustal_lanes.hpp"
#include "engine/pairwise/cpu/clustal_rows.hpp"

namespace glycine::pairwise::cpu {

ClustalKernel clustalKernelAvx512() {
    ClustalKernel kernel = makeClustalKernel<64>();
    addLaneKernel<64, 8>(kernel);
    return kernel;
}

}  // namespace glycine::pairwise::cpu

#endif
