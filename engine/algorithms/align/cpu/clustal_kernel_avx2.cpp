#if defined(__x86_64__)

#include "engine/algorithms/align/cpu/clustal_rows.hpp"

namespace glycine::align::cpu {

ClustalKernel clustalKernelAvx2() {
    return makeClustalKernel<32>();
}

}  // namespace glycine::align::cpu

#endif
