#if defined(__x86_64__)

#include "engine/alignment/cpu/subsequence_words.hpp"

namespace glycine::align::cpu {

SubsequenceKernel subsequenceKernelAvx2() {
    return makeSubsequenceKernel<32>();
}

}  // namespace glycine::align::cpu

#endif
