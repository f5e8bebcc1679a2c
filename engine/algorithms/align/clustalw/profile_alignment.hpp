#pragma once

#include <cstddef>
#include <vector>

#include "engine/algorithms/align/clustalw/profile.hpp"

namespace glycine::align::clustalw {

/// One step of a path: columns of both profiles, or of one beside a gap in the other.
enum class Step : char { Both, First, Second };

struct ProfileAlignment {
    std::vector<Step> steps;  ///< from left to right
    int score = 0;
};

/// The best path through two profiles by Myers and Miller's division, in memory of one row. Two columns score
/// a tenth of the sum of products of their values, rounded towards 0. A gap over columns of one profile,
/// beside column i of the first and j of the second where it opens, costs both columns' openings and the
/// extensions of those that it runs over; beside the ends of the other profile nothing. Which of equally good
/// paths is taken follows from the division, as the paper has it. Where a division cuts a gap over columns of
/// the first profile, both halves choose on without knowing what opening it has cost, which depends on its
/// place, as ClustalW's do: the steps may come to less than `score`, which is that of the best path.
///
/// Source: E. W. Myers, W. Miller, "Optimal alignments in linear space", CABIOS 4 (1988), 11–17.
ProfileAlignment alignProfiles(const Profile& first, const Profile& second);

}  // namespace glycine::align::clustalw
