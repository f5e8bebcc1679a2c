#include "engine/distance/cpu/sum_strips.hpp"

namespace glycine::distance::cpu {
namespace {

/// Of 16 bytes. As many rows at once as give eight registers of sums.
constexpr std::size_t kBytes = 16;

}  // namespace

template <class Number>
SumFunction<Number> sumFunctionGeneric(SumTerm term) {
    return chooseSummer<Number, kBytes>(term);
}

template SumFunction<float> sumFunctionGeneric(SumTerm);
template SumFunction<double> sumFunctionGeneric(SumTerm);

}  // namespace glycine::distance::cpu
