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

/// The kernel for one term. Those of all instruction sets take the terms in the same order, one rounding
/// each: their results are equal to the bit.
template <class Number>
struct SumKernel {
    void (*sum)(const SumBlock<Number>& block) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static SumKernel compiled(SumTerm term);
};

}  // namespace glycine::distance::cpu
