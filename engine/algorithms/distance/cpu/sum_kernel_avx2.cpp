#if defined(__x86_64__)

#include "engine/algorithms/distance/cpu/sum_strips.hpp"

namespace glycine::distance::cpu {
namespace {

struct Avx2Vector {
    using Register [[gnu::vector_size(32)]] = float;
    using Bits [[gnu::vector_size(32)]] = std::uint32_t;
};

}  // namespace

SumFunction sumFunctionAvx2(SumTerm term) {
    return chooseSummer<Avx2Vector, 4>(term);
}

}  // namespace glycine::distance::cpu

#endif
