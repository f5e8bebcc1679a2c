#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// Launches of profile alignments: the scores of all pairs of columns of two profiles, and passes over parts
/// of their matrix, from one of its corners to a row in its middle. Whole numbers throughout.
namespace glycine::cuda {

/// Values of a column.
inline constexpr int kProfileCodes = 32;

/// One profile.
struct ProfileTable {
    const int* values;    ///< kProfileCodes of each column, from the first on
    const int* open;      ///< of columns 0 … size
    const int* extend;    ///< of columns 0 … size
    const int* extendTo;  ///< 0 … size: sums of `extend` up to each column, from column 1 on
    int size;
};
/// Two of them.
struct ProfilePairTable {
    ProfileTable first, second;
    int* scores;  ///< rows are columns of the first profile, columns those of the second
    int unit;     ///< that sums of products are divided by
};

/// From the corner behind `row` and `column` on over the cells of so many rows and columns; backwards they
/// lie before it.
struct ProfilePass {
    std::uint32_t pair;
    int row, column, rows, columns;
    bool isBackward;
    bool opens;     ///< whether a gap over rows at the corner is a new one
    int* lines;     ///< kProfileLines × (columns + 1), anything; where they do not fit shared memory
    int* best;      ///< found: of the last row, in the order of the profile's columns
    int* inRowGap;  ///< found: the same
};
inline constexpr int kProfileLines = 6;
/// Scores are copied into shared memory so many anti-diagonals before they are added.
inline constexpr int kDiagonalsAhead = 6;
inline constexpr int kScoreLines = kDiagonalsAhead + 1;

/// Over all cells of a pair: gaps cost the extensions that they run over, at the ends as elsewhere.
struct LinearPass {
    std::uint32_t pair;
    int* lines;  ///< kLinearLines × (columns + 1), the same
    /// Found, two bits a cell: 0 both columns, 1 the first profile's, 2 the second's. Cells of 16
    /// anti-diagonals in a number, from the lowest bits on; numbers of a column beside each other.
    std::uint32_t* moves;
};
inline constexpr int kLinearLines = 3;
inline constexpr int kMovesOfNumber = 16;
/// Numbers of `moves` for profiles of so many columns.
inline std::size_t linearMoves(std::size_t first, std::size_t second) {
    return ((first + second) / kMovesOfNumber + 1) * (second + 1);
}

/// `scores` of all pairs, of which none has more columns than these.
void launchProfileScores(const Launch& launch, const ProfilePairTable* pairs, std::uint32_t pairCount,
                         std::uint32_t mostFirst, std::uint32_t mostSecond);
/// Of passes that are launched together the most.
struct PassSizes {
    std::uint32_t columns = 0;
    std::uint32_t diagonal = 0;  ///< cells of the longest anti-diagonal
};
/// All passes, a block each.
void launchProfilePasses(const Launch& launch, const ProfilePairTable* pairs, const ProfilePass* passes,
                         std::uint32_t passCount, const PassSizes& most);
void launchLinearPasses(const Launch& launch, const ProfilePairTable* pairs, const LinearPass* passes,
                        std::uint32_t passCount, const PassSizes& most);

}  // namespace glycine::cuda
