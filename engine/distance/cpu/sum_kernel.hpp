#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"
#include "engine/distance/pair_engine.hpp"

/// The arithmetic core of `cpu direct`: differences of coordinates summed, a block of pairs in registers.
namespace glycine::distance::cpu {

/// Coordinates are packed in strips of 16 instances: value of attribute k of instance i is strip[k · 16 + i].
inline constexpr std::size_t kSumStrip = 16;
/// Terms that are added in the numbers' own precision before the sum goes on in double.
inline constexpr std::size_t kRun = 256;

/// Some instances against others, over at most kRun attributes. Number: float or double.
template <class Number>
struct SumBlock {
    const Number* rowStrips = nullptr;     ///< on 64-byte boundaries, one strip behind the other
    const Number* columnStrips = nullptr;  ///< likewise
    std::size_t attributes = 0;
    bool isDiagonal =
        false;  ///< rows and columns are the same instances: columns beyond the row are left out
    MatrixView<double> sums{};  ///< sums are added to these
};

/// The kernel for one instruction set, which this processor must have. All of them take the terms in the same
/// order, one rounding each: their results are equal to the bit.
template <class Number>
using SumFunction = void (*)(const SumBlock<Number>& block);
template <class Number>
SumFunction<Number> sumFunction(InstructionSet set, SumTerm term);

// One a translation unit, each compiled for its instruction set, for float and double.
template <class Number>
SumFunction<Number> sumFunctionGeneric(SumTerm term);
template <class Number>
SumFunction<Number> sumFunctionAvx2(SumTerm term);
template <class Number>
SumFunction<Number> sumFunctionAvx512(SumTerm term);

}  // namespace glycine::distance::cpu
