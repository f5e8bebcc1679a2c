#pragma once

#include <cstdint>

/// What hosts and CUDA kernels know alike: C++17, and nothing that needs more.
namespace glycine::align {

/// A residue of one sequence beside one of the other, in a share of all alignments.
struct alignas(8) PosteriorEntry {
    std::uint32_t column;  ///< of the second sequence, from 0
    float value;           ///< 0 … 1

    friend constexpr bool operator==(const PosteriorEntry& a, const PosteriorEntry& b) {
        return a.column == b.column && a.value == b.value;
    }
};

/// How the heaviest chain that ends in a cell or before it came there, as devices leave it in two bits. Of
/// equal sums the first of these counts.
enum class ChainStep : std::uint32_t {
    Up = 0,    ///< as that of the row above
    Left = 1,  ///< as that of the column before
    Pair = 2   ///< row and column beside each other, behind what ends before both
};

}  // namespace glycine::align
