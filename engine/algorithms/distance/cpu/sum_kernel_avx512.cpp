#if defined(__x86_64__)

#include "engine/algorithms/distance/cpu/sum_strips.hpp"

namespace glycine::distance::cpu {
namespace {

struct Avx512Vector {
    using Register [[gnu::vector_size(64)]] = float;
    using Bits [[gnu::vector_size(64)]] = std::uint32_t;
};

}  // namespace

SumFunction sumFunctionAvx512(SumTerm term) {
    return chooseSummer<Avx512Vector, 8>(term);
}

}  // namespace glycine::distance::cpu

#endif
