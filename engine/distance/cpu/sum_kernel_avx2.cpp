#if defined(__x86_64__)

#include "engine/distance/cpu/sum_strips.hpp"

namespace glycine::distance::cpu {
namespace {

/// Of 32 bytes. As many rows at once as give eight registers of sums.
constexpr std::size_t kBytes = 32;

}  // namespace

template <class Number>
SumFunction<Number> sumFunctionAvx2(SumTerm term) {
    return chooseSummer<Number, kBytes>(term);
}

template SumFunction<float> sumFunctionAvx2(SumTerm);
template SumFunction<double> sumFunctionAvx2(SumTerm);

}  // namespace glycine::distance::cpu

#endif
