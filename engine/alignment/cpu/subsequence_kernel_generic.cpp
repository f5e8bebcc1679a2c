#include "engine/alignment/cpu/subsequence_words.hpp"

namespace glycine::align::cpu {

SubsequenceKernel subsequenceKernelGeneric() {
    return makeSubsequenceKernel<8>();
}

}  // namespace glycine::align::cpu
