#include "engine/algorithms/align/cpu/clustal_rows.hpp"

namespace glycine::align::cpu {

ClustalKernel clustalKernelGeneric() {
    return makeClustalKernel<16>();
}

}  // namespace glycine::align::cpu
