#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/algorithms/align/sequences.hpp"

/// Lengths of longest common subsequences, 64 cells of the dynamic program in a machine word.
namespace glycine::align {

/// One sequence, made ready to be compared with many others.
///
/// Sources: L. Allison, T. I. Dix, "A bit-string longest-common-subsequence algorithm", Information
/// Processing Letters 23 (1986), 305–310; H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA
/// 2004, 16–27.
class SubsequenceQuery {
  public:
    /// `codes` below kMostCodes.
    explicit SubsequenceQuery(std::span<const std::uint8_t> codes);

    /// Letters of the longest subsequence of both: letters that both have in the same order, with any others
    /// between them. `memory` is kept from call to call.
    std::size_t commonWith(std::span<const std::uint8_t> codes, std::vector<std::uint64_t>& memory) const;

  private:
    template <std::size_t kWords>
    std::size_t commonInWords(std::span<const std::uint8_t> codes) const;

    std::size_t words_;
    std::vector<std::uint64_t> masks_;  ///< of each code its places, words_ each; bits beyond the end are 0
};

}  // namespace glycine::align
