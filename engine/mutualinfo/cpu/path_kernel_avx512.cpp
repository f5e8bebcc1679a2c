#if defined(__x86_64__)

#include "engine/mutualinfo/cpu/path_panels.hpp"

namespace glycine::mutualinfo::cpu {

PathKernel pathKernelAvx512() {
    return makePathKernel<64, 8, 3>();
}

}  // namespace glycine::mutualinfo::cpu

#endif
