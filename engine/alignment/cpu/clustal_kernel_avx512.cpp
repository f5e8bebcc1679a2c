#if defined(__x86_64__)

#include "engine/alignment/cpu/clustal_lanes.hpp"
#include "engine/alignment/cpu/clustal_rows.hpp"

namespace glycine::align::cpu {

ClustalKernel clustalKernelAvx512() {
    ClustalKernel kernel = makeClustalKernel<64>();
    addLaneKernel<64, 8>(kernel);
    return kernel;
}

}  // namespace glycine::align::cpu

#endif
