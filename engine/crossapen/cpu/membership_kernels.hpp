#pragma once

#include <cstddef>

#include "engine/core/instruction_set.hpp"
#include "engine/crossapen/pair_entropies.hpp"

/// The innermost loops of Cross-Fuzzy entropy on the processor, compiled once for each instruction set.
namespace glycine::crossapen::cpu {

/// Kernels read this many templates beyond the last column, and make nothing of them.
inline constexpr std::size_t kColumnPadding = 16;
/// Columns of a block, at most. The memberships of a row with them are added in T, in four or more sums; rows
/// are added in double precision.
inline constexpr std::size_t kMostColumns = 512;

/// Templates of two channels without their baselines (subtractBaselines), to be compared all with all.
template <class T>
struct MembershipBlock {
    const T* rows = nullptr;  ///< sample k of template i at [k · rowStride + i]
    std::size_t rowStride = 0;
    std::size_t rowCount = 0;
    const T* columns = nullptr;  ///< the same for j
    std::size_t columnStride = 0;
    std::size_t columnCount = 0;  ///< ≤ kMostColumns
    /// Row i is compared with the columns from firstColumn + i on; with all where that is negative.
    std::ptrdiff_t firstColumn = 0;
    FuzzyRule rule{};
};

/// Σ µ over the pairs of a block at length m + 1, and at length m unless that is 1: then all templates are
/// zero.
template <class T>
struct MembershipKernel {
    MembershipSums (*sum)(const MembershipBlock<T>& block) = nullptr;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true};
    template <InstructionSet set>
    static MembershipKernel compiled();
};

}  // namespace glycine::crossapen::cpu
