#include "engine/mutualinfo/cpu/product_kernel.hpp"

namespace glycine::mutualinfo::cpu {

ProductFunction productFunction(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return productFunctionAvx512();
        case InstructionSet::Avx2:
            return productFunctionAvx2();
#endif
        default:
            return productFunctionGeneric();
    }
}

}  // namespace glycine::mutualinfo::cpu
