#pragma once

#include <cstdint>

/// Types of joined and merged clusters that the host and CUDA kernels share. C++17 only.
namespace glycine::trees {

/// A round of neighbour joining: the pair that was joined, and the numbers from which its branches are
/// computed.
struct JoinedPair {
    std::uint32_t low = 0, high = 0;  ///< places, low < high
    double distance = 0;
    double lowSum = 0, highSum = 0;  ///< before the round; ClustalW's if requested
};

inline constexpr std::uint32_t kNoRowChoice = 0xffffffffU;

/// The first pair of a row, in the order of joinNeighbours, whose criterion is the smallest but for rounding.
struct RowChoice {
    double rounded = 0;                   ///< the criterion by ClustalW's sums; 0 if those are not requested
    std::uint32_t column = kNoRowChoice;  ///< kNoRowChoice: the row has none
};

/// Sums that are equal in theory differ by rounding: with four clusters left, those of any pair and of the
/// other two. Criteria are equal if they differ by at most this share of the sum of all distances plus 1.
inline constexpr double kCriterionRounding = 1e-12;

/// Two clusters that average linkage merged, each named by its smallest instance.
struct MergedPair {
    std::uint32_t a = 0, b = 0;
    double height = 0;
};

}  // namespace glycine::trees
