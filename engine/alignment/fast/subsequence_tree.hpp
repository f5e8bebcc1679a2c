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

// Lengths of longest common subsequences, 64 cells of the dynamic program per machine word.

/// Sequences prepared for comparison with many others, one per register lane.
///
/// Sources: L. Allison, T. I. Dix, "A bit-string longest-common-subsequence algorithm", Information
/// Processing Letters 23 (1986), 305–310; H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA
/// 2004, 16–27.
class SubsequenceQueries {
  public:
    /// The number of sequences compared at once.
    static std::size_t lanes(InstructionSet instructions);
    static constexpr std::size_t kMaxLanes = 8;

    /// Takes at most lanes() sequences. `instructions` must be available on this processor.
    SubsequenceQueries(const Sequences& sequences, std::span<const std::size_t> queried,
                       InstructionSet instructions);

    /// Memory reused from call to call.
    using Memory = Matrix<std::uint64_t>;
    /// The length of the longest common subsequence of each query and `codes`: letters that both have in the
    /// same order, with any others between them. Lanes without a query get 0.
    void commonWith(std::span<const std::uint8_t> codes, Memory& memory,
                    std::span<std::uint32_t, kMaxLanes> common) const;

  private:
    InstructionSet instructions_;
    std::size_t words_;
    Matrix<std::uint64_t> masks_;  ///< [code][word][query]: positions of the code
};

/// Splits the rows of a matrix into groups of at most `most` neighbouring rows. Each group is split in two by
/// 2-means. The starting centres are the row farthest from the group's centre and the row farthest from that
/// row. If a part would be smaller than a sixteenth, the group is split halfway between the two centres
/// instead. Rows within a group ascend, and every row is in one group. The order of groups follows from the
/// splits.
std::vector<std::vector<std::size_t>> groupsOfRows(const Matrix<float>& rows, std::size_t most,
                                                   Progress& progress);

/// The mean of the rows `members`.
std::vector<float> centreOf(const Matrix<float>& rows, const std::vector<std::size_t>& members);

/// The sum of the squares of differences.
float squaredDistance(const float* first, const float* second, std::size_t count);

/// (letters of both − 2 common) / common², 0 for equal sequences. `common` is the length of the longest
/// common subsequence; a length of 0 counts as 1.
///
/// Source: S. Deorowicz, A. Debudaj-Grabysz, A. Gudyś, "FAMSA: Fast and accurate multiple sequence alignment
/// of huge protein families", Scientific Reports 6 (2016), 33964.
float subsequenceDistance(std::size_t letters, std::size_t otherLetters, std::size_t common);

/// Up to this many sequences, all pairs are compared; above it, sequences are compared with seeds.
inline constexpr std::size_t kMaxForAllPairs = 2000;
/// The most sequences of a group whose pairs are compared, if not all pairs are.
inline constexpr std::size_t kMaxOfAGroup = 200;

/// A rooted binary tree whose leaves are the sequences, at least two. It comes from average linkage of the
/// distances of all pairs. If there are more than `mostForAllPairs` sequences, each is described by its
/// distances to log₂² N seeds, taken at equal steps from the sequences sorted by length. Groups are then
/// split in two (2-means) until they have at most `mostOfAGroup` members. Within a group, the tree is that of
/// all its pairs; above the groups, that of their centres. This takes N log² N distances and no random
/// numbers.
///
/// Source: G. Blackshields, F. Sievers, W. Shi, A. Wilm, D. G. Higgins, "Sequence embedding for fast
/// construction of guide trees for multiple sequence alignment", Algorithms for Molecular Biology 5 (2010),
/// 21. `instructions` must be available on this processor; the result does not depend on them.
trees::Tree subsequenceTree(const Sequences& sequences, InstructionSet instructions, Progress& progress,
                            std::size_t mostForAllPairs = kMaxForAllPairs,
                            std::size_t mostOfAGroup = kMaxOfAGroup);

}  // namespace glycine::align
