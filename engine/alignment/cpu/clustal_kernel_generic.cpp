#include "engine/alignment/cpu/clustal_lanes.hpp"
#include "engine/alignment/cpu/clustal_rows.hpp"

namespace glycine::align::cpu {

ClustalKernel clustalKernelGeneric() {
    ClustalKernel kernel = makeClustalKernel<16>();
    addLaneKernel<16, 4>(kernel);
    return kernel;
}

}  // namespace glycine::align::cpu
