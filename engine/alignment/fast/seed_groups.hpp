#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"

namespace glycine::align {

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

}  // namespace glycine::align
