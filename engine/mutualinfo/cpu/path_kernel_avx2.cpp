#if defined(__x86_64__)

#include "engine/mutualinfo/cpu/path_panels.hpp"

namespace glycine::mutualinfo::cpu {

PathKernel pathKernelAvx2() {
    return makePathKernel<32, 4, 2>();
}

}  // namespace glycine::mutualinfo::cpu

#endif
