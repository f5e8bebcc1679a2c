#pragma once

#include <cstdint>

/// Types shared by the host and CUDA kernels. C++17 only.
namespace glycine::align {

/// The share of all alignments in which a residue of one sequence is paired with one of the other.
struct alignas(8) PosteriorEntry {
    std::uint32_t column;  ///< of the second sequence, from 0
    float value;           ///< 0 … 1

    friend constexpr bool operator==(const PosteriorEntry& a, const PosteriorEntry& b) {
        return a.column == b.column && a.value == b.value;
    }
};

/// How the heaviest chain that ends at or before a cell reached it; devices store it in two bits. Among equal
/// sums the first of these wins.
enum class ChainStep : std::uint32_t {
    Up = 0,    ///< the chain of the row above
    Left = 1,  ///< the chain of the previous column
    Pair = 2   ///< pairs row and column, after the chain that ends before both
};

}  // namespace glycine::align
