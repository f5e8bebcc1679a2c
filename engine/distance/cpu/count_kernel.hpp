#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/distance/pair_counts.hpp"

/// Inner kernel of `cpu bitplane`: counts pairs of instances from bit planes, with a block of pairs in
/// registers.
namespace glycine::distance::cpu {

/// Planes are packed in strips of four instances. For each unit of 512 attributes, a strip holds the planes
/// of its instances one after another: word w of plane p of instance i of unit u is
///
///     strip[((u · 4 + i) · planes + p) · 8 + w]
///
/// so that a block of pairs of two strips reads two memory streams.
inline constexpr std::size_t kStripInstances = 4;
inline constexpr std::size_t kUnitWords = 8;
inline constexpr std::size_t kUnitAttributes = 64 * kUnitWords;

/// The properties of the data that select a kernel.
struct CountKind {
    unsigned planes = 2;      ///< planes of a symbol; a further plane, `valid`, is stored if entries may be
                              ///< missing
    bool hasMissing = false;  ///< see DiscreteShape
    CountNeeds needs{};       ///< `valid` only with hasMissing, `opposite` only with two planes
    unsigned storedPlanes() const { return planes + (hasMissing ? 1U : 0U); }
    std::size_t stripWords(std::size_t units) const {
        return units * kStripInstances * storedPlanes() * kUnitWords;
    }
};

/// Counts some instances against others, over some attributes.
struct CountBlock {
    CountKind kind{};
    const std::uint64_t* rowStrips = nullptr;     ///< on 64-byte boundaries, one strip after another
    const std::uint64_t* columnStrips = nullptr;  ///< the same
    std::size_t units = 0;
    bool isDiagonal = false;  ///< rows and columns are the same instances: skips columns beyond the row
    PairCounts counts{};      ///< results are added to these
};

/// The kernel for one kind of data.
struct CountKernel {
    void (*count)(const CountBlock& block) = nullptr;

    /// Without VPOPCNTDQ, AVX2 is used instead of AVX-512.
    static constexpr KernelNeeds kNeeds{.populationCount = true};
    template <InstructionSet set>
    static CountKernel compiled(const CountKind& kind);
};

}  // namespace glycine::distance::cpu
