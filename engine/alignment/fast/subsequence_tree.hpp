#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/trees/tree.hpp"

/// Guide trees from longest common subsequences, without an alignment.
namespace glycine::align {

// Lengths of longest common subsequences, 64 cells of the dynamic program in a machine word.

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

/// Splits the rows of a matrix into groups of at most `most` rows that lie near each other: each group is
/// split in two by 2-means, which begins with the row that is farthest from the group's centre, and the one
/// farthest from that; where a part would be smaller than a sixteenth, at the middle of the way between both
/// instead. Rows of a group ascend, and all rows are in one of them. The order of groups follows from the
/// splits.
std::vector<std::vector<std::size_t>> groupsOfRows(const Matrix<float>& rows, std::size_t most,
                                                   Progress& progress);

/// The mean of some rows.
std::vector<float> centreOf(const Matrix<float>& rows, const std::vector<std::size_t>& members);

/// The sum of the squares of differences.
float squaredDistance(const float* first, const float* second, std::size_t count);

/// 0 for equal sequences: (letters of both − 2 common) / common², for `common` letters of their longest
/// common subsequence; where there is none, as of one.
///
/// Source: S. Deorowicz, A. Debudaj-Grabysz, A. Gudyś, "FAMSA: Fast and accurate multiple sequence alignment
/// of huge protein families", Scientific Reports 6 (2016), 33964.
float subsequenceDistance(std::size_t letters, std::size_t otherLetters, std::size_t common);

/// Up to so many sequences all are compared with all, and above it with seeds.
inline constexpr std::size_t kMostForAllPairs = 2000;
/// Sequences of a group that are compared with each other where not all are.
inline constexpr std::size_t kMostOfAGroup = 200;

/// A tree with a root and two children a node, whose leaves are the sequences, at least two. Average linkage
/// of the distances of all pairs; of more sequences than `mostForAllPairs`, each is described by its
/// distances from log₂² N seeds, which lie at equal steps among the sequences by length. By these, groups are
/// split in two (2-means) until they have at most `mostOfAGroup` members; inside a group the tree is that of
/// all its pairs, and above the groups that of their centres. N log² N distances; no random numbers.
///
/// Source: G. Blackshields, F. Sievers, W. Shi, A. Wilm, D. G. Higgins, "Sequence embedding for fast
/// construction of guide trees for multiple sequence alignment", Algorithms for Molecular Biology 5
/// (2010), 21. `instructions`: which this processor must have; all find the same.
trees::Tree subsequenceTree(const Sequences& sequences, InstructionSet instructions, Progress& progress,
                            std::size_t mostForAllPairs = kMostForAllPairs,
                            std::size_t mostOfAGroup = kMostOfAGroup);

}  // namespace glycine::align
