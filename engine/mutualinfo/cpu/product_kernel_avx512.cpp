#if defined(__x86_64__)

#include "engine/mutualinfo/cpu/product_strips.hpp"

namespace glycine::mutualinfo::cpu {

ProductFunction productFunctionAvx512() {
    return &addProducts<64, 16>;
}

}  // namespace glycine::mutualinfo::cpu

#endif
