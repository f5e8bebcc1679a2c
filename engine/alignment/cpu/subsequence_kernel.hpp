#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/instruction_set.hpp"

/// Longest common subsequences of several sequences with one other, one sequence per register lane. A word
/// holds 64 cells of the dynamic program (fast/subsequence_tree.hpp).
namespace glycine::align::cpu {

/// The sequences in the lanes, and the sequence that they are compared with.
struct SubsequenceWork {
    /// [code][word][lane]: bits of the letter's positions. Aligned to 64 bytes.
    const std::uint64_t* masks = nullptr;
    std::size_t words = 0;  ///< of the longest sequence; bits past the end of a sequence are 0
    std::span<const std::uint8_t> codes;
    std::uint64_t* rows = nullptr;    ///< words × lanes, scratch of the kernel; aligned to 64 bytes
    std::uint32_t* common = nullptr;  ///< result of each lane
};

struct SubsequenceKernel {
    std::size_t lanes = 1;
    void (*compute)(const SubsequenceWork& work) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static SubsequenceKernel compiled();
};

inline constexpr std::size_t kMaxSubsequenceLanes = 8;

}  // namespace glycine::align::cpu
