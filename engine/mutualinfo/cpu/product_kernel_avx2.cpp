#if defined(__x86_64__)

#include "engine/mutualinfo/cpu/product_strips.hpp"

namespace glycine::mutualinfo::cpu {

ProductFunction productFunctionAvx2() {
    return &addProducts<32, 8>;
}

}  // namespace glycine::mutualinfo::cpu

#endif
