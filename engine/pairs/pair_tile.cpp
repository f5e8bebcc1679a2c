#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

std::vector<PairTile> tilesBelowDiagonal(std::size_t instances, std::size_t side) {
    const std::vector<Range> ranges = splitRange(instances, side);
    std::vector<PairTile> tiles;
    for (std::size_t r = 0; r < ranges.size(); ++r)
        for (std::size_t c = 0; c <= r; ++c) tiles.push_back({ranges[r], ranges[c]});
    return tiles;
}

std::vector<PairTile> cutTile(const PairTile& tile, std::size_t side) {
    const auto pieces = [&](const Range& range) {
        std::vector<Range> result = splitRange(range.size(), side);
        for (Range& piece : result) piece = {range.begin + piece.begin, range.begin + piece.end};
        return result;
    };
    std::vector<PairTile> tiles;
    for (const Range& rows : pieces(tile.rows))
        for (const Range& columns : pieces(tile.columns))
            if (!tile.isDiagonal() || columns.begin <= rows.begin) tiles.push_back({rows, columns});
    return tiles;
}

}  // namespace glycine::pairs
