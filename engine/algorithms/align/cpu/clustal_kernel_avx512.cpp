#if defined(__x86_64__)

#include "engine/algorithms/align/cpu/clustal_rows.hpp"

namespace glycine::align::cpu {

ClustalKernel clustalKernelAvx512() {
    return makeClustalKernel<64>();
}

}  // namespace glycine::align::cpu

#endif
