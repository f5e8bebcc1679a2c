#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/alignment/posterior/device_types.hpp"
#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/core/stage_recount.hpp"

namespace glycine::align {

/// The chain that steps tell, from the last of so many rows and columns back. `stepAt(row, column)`: of a
/// cell. Throws ImpossibleResultError for a step that does not exist.
template <class StepAt>
ColumnChain chainAlongSteps(std::size_t rows, std::size_t columns, StepAt&& stepAt) {
    ColumnChain chain;
    for (std::size_t i = rows, j = columns; i > 0 && j > 0;) {
        switch (static_cast<ChainStep>(stepAt(i - 1, j - 1))) {
            case ChainStep::Up:
                --i;
                break;
            case ChainStep::Left:
                --j;
                break;
            case ChainStep::Pair:
                chain.emplace_back(static_cast<std::uint32_t>(--i), static_cast<std::uint32_t>(--j));
                break;
            default:
                throw ImpossibleResultError(
                    fmt::format("the step of a join at columns {} and {} is {}; expected 0 to 2", i, j,
                                stepAt(i - 1, j - 1)));
        }
    }
    std::ranges::reverse(chain);
    return chain;
}

}  // namespace glycine::align
