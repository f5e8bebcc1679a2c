#include "engine/pairs/pair_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.hpp"

namespace glycine::pairs {

std::size_t bytesOf(ValueType type) {
    return type == ValueType::Float64 ? 8 : 4;
}

void PairLayout::forPieces(const PairTile& tile, const std::function<void(Range)>& visit) const {
    const auto piece = [&](std::size_t row, std::size_t begin, std::size_t end) {
        if (begin >= end) return;
        const std::size_t first = index(row, begin);
        visit({first, first + (end - begin)});
    };
    if (layout == StoreLayout::Square && tile.isDiagonal()) {
        for (std::size_t r = tile.rows.begin; r < tile.rows.end; ++r)
            piece(r, tile.columns.begin, tile.columns.end);
        return;
    }
    if (holdsBelow())
        for (std::size_t r = tile.rows.begin; r < tile.rows.end; ++r)
            piece(r, tile.columns.begin, std::min(tile.columns.end, r));
    if (holdsAbove())
        for (std::size_t c = tile.columns.begin; c < tile.columns.end; ++c)
            piece(c, std::max(tile.rows.begin, c + 1), tile.rows.end);
}

std::size_t storedBytes(const PairLayout& layout, ValueType type) {
    if (layout.instances > std::size_t{1} << 30)
        throw UsageError(fmt::format("{} instances have more pairs than can be held; expected at most 2^30",
                                     layout.instances));
    return layout.elements() * bytesOf(type);
}

}  // namespace glycine::pairs
