#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/distance/pair_engine.hpp"

/// The arithmetic core of `cpu bitplane`: pairs of instances counted through bit planes, a block of pairs in
/// registers.
namespace glycine::distance::cpu {

/// Planes are packed in strips of four instances. A strip holds, for each unit of 512 attributes, the planes
/// of its instances one after the other: word w of plane p of instance i of unit u is
///
///     strip[((u · 4 + i) · planes + p) · 8 + w]
///
/// so that the block of pairs of two strips is counted from two streams of memory.
inline constexpr std::size_t kStripInstances = 4;
inline constexpr std::size_t kUnitWords = 8;
inline constexpr std::size_t kUnitAttributes = 64 * kUnitWords;

/// Which of the kernels fits some data.
struct CountKind {
    unsigned planes = 2;  ///< that code a symbol; one more, `valid`, is stored where entries may be missing
    bool hasMissing = false;  ///< see DiscreteShape
    CountNeeds needs{};       ///< `valid` only with hasMissing, `opposite` only with two planes
    unsigned storedPlanes() const { return planes + (hasMissing ? 1U : 0U); }
    std::size_t stripWords(std::size_t units) const {
        return units * kStripInstances * storedPlanes() * kUnitWords;
    }
};

/// Some instances against others, over some attributes.
struct CountBlock {
    CountKind kind{};
    const std::uint64_t* rowStrips = nullptr;     ///< on 64-byte boundaries, one strip behind the other
    const std::uint64_t* columnStrips = nullptr;  ///< likewise
    std::size_t units = 0;
    bool isDiagonal =
        false;            ///< rows and columns are the same instances: columns beyond the row are left out
    PairCounts counts{};  ///< counts are added to these
};

/// The kernel for data of one kind.
struct CountKernel {
    void (*count)(const CountBlock& block) = nullptr;

    /// Without VPOPCNTDQ, AVX2 takes the place of AVX-512.
    static constexpr KernelNeeds kNeeds{.populationCount = true};
    template <InstructionSet set>
    static CountKernel compiled(const CountKind& kind);
};

}  // namespace glycine::distance::cpu
