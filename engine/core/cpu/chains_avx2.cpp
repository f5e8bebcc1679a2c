#if defined(__x86_64__)

#include "engine/core/cpu/chains_of_width.hpp"

namespace glycine::cpu {

const ChainKernels& avx2Chains() {
    static constexpr ChainKernels kernels = kernelsOfWidth<32>();
    return kernels;
}

}  // namespace glycine::cpu

#endif
