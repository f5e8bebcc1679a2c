#include "engine/algorithms/distance/cpu/sum_strips.hpp"

namespace glycine::distance::cpu {
namespace {

struct GenericVector {
    using Register [[gnu::vector_size(16)]] = float;
    using Bits [[gnu::vector_size(16)]] = std::uint32_t;
};

}  // namespace

SumFunction sumFunctionGeneric(SumTerm term) {
    return chooseSummer<GenericVector, 2>(term);
}

}  // namespace glycine::distance::cpu
