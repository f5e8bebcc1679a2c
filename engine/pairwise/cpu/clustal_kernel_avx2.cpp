#if defined(__x86_64__)

#include "engine/pairwise/cpu/clustal_lanes.hpp"
#include "engine/pairwise/cpu/clustal_rows.hpp"

namespace glycine::pairwise::cpu {

ClustalKernel clustalKernelAvx2() {
    ClustalKernel kernel = makeClustalKernel<32>();
    addLaneKernel<32, 4>(kernel);
    return kernel;
}

}  // namespace glycine::pairwise::cpu

#endif
