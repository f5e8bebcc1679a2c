#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"
#include "engine/sequences/sequences.hpp"

/// Lengths of longest common subsequences, 64 cells of the dynamic program in a machine word.
namespace glycine::align {

/// Some sequences, made ready to be compared with many others: side by side in the lanes of registers.
///
/// Sources: L. Allison, T. I. Dix, "A bit-string longest-common-subsequence algorithm", Information
/// Processing Letters 23 (1986), 305–310; H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA
/// 2004, 16–27.
class SubsequenceQueries {
  public:
    /// As many as are compared at once.
    static std::size_t lanes(InstructionSet instructions);
    static constexpr std::size_t kMostLanes = 8;

    /// At most as many of the sequences as there are lanes. `instructions`: which this processor must have.
    SubsequenceQueries(const Sequences& sequences, std::span<const std::size_t> queried,
                       InstructionSet instructions);

    /// Memory that is kept from call to call.
    using Memory = Matrix<std::uint64_t>;
    /// Letters of the longest subsequence that each of them and these codes have in common: letters that both
    /// have in the same order, with any others between them. Of lanes without a query 0.
    void commonWith(std::span<const std::uint8_t> codes, Memory& memory,
                    std::span<std::uint32_t, kMostLanes> common) const;

  private:
    InstructionSet instructions_;
    std::size_t words_;
    Matrix<std::uint64_t> masks_;  ///< of each code, of each word, of each query the places of the code
};

}  // namespace glycine::align
