#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/instruction_set.hpp"

/// Longest common subsequences, 64 cells of the dynamic program in a word (fast/subsequence_tree.hpp), of
/// several sequences with one, a sequence in each lane of a register.
namespace glycine::align::cpu {

/// What the sequences in the lanes have, and what they are compared with.
struct SubsequenceWork {
    /// Of each code, of each word, of each lane: bits for the places of the letter. On a 64-byte boundary.
    const std::uint64_t* masks = nullptr;
    std::size_t words = 0;  ///< of the longest one; bits beyond the end of one are 0
    std::span<const std::uint8_t> codes;
    std::uint64_t* rows = nullptr;    ///< words × lanes, for the kernel; on a 64-byte boundary
    std::uint32_t* common = nullptr;  ///< of each lane, what was found
};

struct SubsequenceKernel {
    std::size_t lanes = 1;
    void (*compute)(const SubsequenceWork& work) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static SubsequenceKernel compiled();
};

inline constexpr std::size_t kMostSubsequenceLanes = 8;

}  // namespace glycine::align::cpu
