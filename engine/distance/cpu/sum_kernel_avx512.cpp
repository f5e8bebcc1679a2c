#if defined(__x86_64__)

#include "engine/distance/cpu/sum_strips.hpp"

namespace glycine::distance::cpu {
namespace {

/// Of 64 bytes. As many rows at once as give eight registers of sums.
constexpr std::size_t kBytes = 64;

}  // namespace

template <class Number>
SumFunction<Number> sumFunctionAvx512(SumTerm term) {
    return chooseSummer<Number, kBytes>(term);
}

template SumFunction<float> sumFunctionAvx512(SumTerm);
template SumFunction<double> sumFunctionAvx512(SumTerm);

}  // namespace glycine::distance::cpu

#endif
