#if defined(__x86_64__)

#include "engine/alignment/cpu/clustal_lanes.hpp"
#include "engine/alignment/cpu/clustal_rows.hpp"

namespace glycine::align::cpu {

ClustalKernel clustalKernelAvx2() {
    ClustalKernel kernel = makeClustalKernel<32>();
    addLaneKernel<32, 4>(kernel);
    return kernel;
}

}  // namespace glycine::align::cpu

#endif
