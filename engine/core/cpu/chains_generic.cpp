#include "engine/core/cpu/chains_of_width.hpp"

namespace glycine::cpu {

const ChainKernels& genericChains() {
    static constexpr ChainKernels kernels = kernelsOfWidth<16>();
    return kernels;
}

}  // namespace glycine::cpu
