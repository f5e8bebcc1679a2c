#pragma once

#include <optional>
#include <string_view>

namespace glycine {

/// What gaps cost, in the unit of the substitution matrix: one of k letters open + k · extend (as NCBI BLAST
/// counts; EMBOSS and ClustalW call open + extend the opening). Linear gaps have open = 0.
struct GapPenalties {
    int open = 0;    ///< 0 … kLargestPenalty
    int extend = 1;  ///< 0 … kLargestPenalty
    bool operator==(const GapPenalties&) const = default;
};
inline constexpr int kLargestPenalty = 32000;

/// What is customary for a named matrix, as far as it is in whole numbers (resources/matrices/names.txt);
/// nothing for others.
std::optional<GapPenalties> usualPenalties(std::string_view matrix);

}  // namespace glycine
