#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"
#include "engine/distance/terms.hpp"

/// Inner kernel of `cpu direct`: sums differences of coordinates, with a block of pairs in registers.
namespace glycine::distance::cpu {

/// Coordinates are packed in strips of 16 instances: value of attribute k of instance i is strip[k · 16 + i].
inline constexpr std::size_t kSumStrip = 16;
/// Terms that are added in the numbers' own precision before the sum continues in double.
inline constexpr std::size_t kRun = 256;

/// Sums some instances against others, over at most kRun attributes. Number: float or double.
template <class Number>
struct SumBlock {
    const Number* rowStrips = nullptr;     ///< on 64-byte boundaries, one strip after another
    const Number* columnStrips = nullptr;  ///< the same
    std::size_t attributes = 0;
    bool isDiagonal = false;    ///< rows and columns are the same instances: skips columns beyond the row
    MatrixView<double> sums{};  ///< results are added to these
};

/// The kernel for one term. On all instruction sets it adds the terms in the same order, with one rounding
/// each, so the results are equal to the bit.
template <class Number>
struct SumKernel {
    void (*sum)(const SumBlock<Number>& block) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static SumKernel compiled(SumTerm term);
};

}  // namespace glycine::distance::cpu
