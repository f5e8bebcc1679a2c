#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"
#include "engine/crossapen/pair_entropies.hpp"

/// The inner loops of Cross-Fuzzy entropy on the CPU, compiled once per instruction set.
namespace glycine::crossapen::cpu {

/// Kernels read this many templates beyond the last column and ignore them.
inline constexpr std::size_t kColumnPadding = 16;
/// The most columns of a block. A row's memberships with them are added in T, in four or more partial sums;
/// the sums of rows are added in double precision.
inline constexpr std::size_t kMaxColumns = 512;

/// Templates of two channels with their baselines subtracted (subtractBaselines). All rows are compared with
/// all columns.
template <class T>
struct MembershipBlock {
    const T* rows = nullptr;  ///< sample k of template i at [k · rowStride + i]
    std::size_t rowStride = 0;
    std::size_t rowCount = 0;
    const T* columns = nullptr;  ///< sample k of template j at [k · columnStride + j]
    std::size_t columnStride = 0;
    std::size_t columnCount = 0;  ///< ≤ kMaxColumns
    /// Row i is compared with the columns from firstColumn + i on. If that is negative, with all columns.
    std::ptrdiff_t firstColumn = 0;
    FuzzyRule rule{};
};

/// Σ µ over the pairs of a block at length m + 1, and at length m unless m is 1, where all templates are
/// zero.
template <class T>
struct MembershipKernel {
    MembershipSums (*sum)(const MembershipBlock<T>& block) = nullptr;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true};
    template <InstructionSet set>
    static MembershipKernel compiled();
};

}  // namespace glycine::crossapen::cpu
