#include "engine/mutualinfo/cpu/product_strips.hpp"

namespace glycine::mutualinfo::cpu {

ProductFunction productFunctionGeneric() {
    return &addProducts<16, 8>;
}

}  // namespace glycine::mutualinfo::cpu
