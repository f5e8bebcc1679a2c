#pragma once

#include <cstddef>
#include <vector>

namespace glycine::pairwise::cuda {

/// Whether pairs are so long and so few that a block for each of them is done before a lane for each: by what
/// both take on an H200, in cycles. Lengths of the rows and columns of a tile ascend; `isDiagonal`: only
/// columns before a row count.
bool areForStripes(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
                   bool isDiagonal, std::size_t multiprocessors);

}  // namespace glycine::pairwise::cuda
