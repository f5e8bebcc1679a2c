#include "engine/pairwise/cpu/clustal_lanes.hpp"
#include "engine/pairwise/cpu/clustal_rows.hpp"

namespace glycine::pairwise::cpu {

ClustalKernel clustalKernelGeneric() {
    ClustalKernel kernel = makeClustalKernel<16>();
    addLaneKernel<16, 4>(kernel);
    return kernel;
}

}  // namespace glycine::pairwise::cpu
