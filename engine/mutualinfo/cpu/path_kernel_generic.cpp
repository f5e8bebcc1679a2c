#include "engine/mutualinfo/cpu/path_panels.hpp"

namespace glycine::mutualinfo::cpu {

PathKernel pathKernelGeneric() {
    return makePathKernel<16, 4, 2>();
}

}  // namespace glycine::mutualinfo::cpu
