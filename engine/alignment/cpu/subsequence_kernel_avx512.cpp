#if defined(__x86_64__)

#include "engine/alignment/cpu/subsequence_words.hpp"

namespace glycine::align::cpu {

SubsequenceKernel subsequenceKernelAvx512() {
    return makeSubsequenceKernel<64>();
}

}  // namespace glycine::align::cpu

#endif
