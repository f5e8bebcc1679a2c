#include "engine/pairs/pair_tile.hpp"

#include <cmath>
#include <string>

#include "engine/core/stopwatch.hpp"

namespace glycine::pairs {

PairTile pairNumber(std::size_t number) {
    // The root is off by rounding where the number has more digits than a double.
    auto row = static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(number))) / 2);
    while (row * (row - 1) / 2 > number) --row;
    while ((row + 1) * row / 2 <= number) ++row;
    const std::size_t column = number - row * (row - 1) / 2;
    return {{row, row + 1}, {column, column + 1}};
}

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

TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress,
                       const std::function<void(const PairTile& tile, MatrixView<double> values)>& compute) {
    std::vector<PairTile> open = tilesBelowDiagonal(loop.instances, loop.side);
    TileCount count{.tiles = open.size()};
    count.tilesResumed = std::erase_if(open, [&](const PairTile& tile) { return sink.has(tile); });
    double work = 0;
    for (const PairTile& tile : open) work += static_cast<double>(tile.pairs()) * loop.workPerPair;
    progress.begin(std::string(loop.stage), work);
    Matrix<double> values;
    for (const PairTile& tile : open) {
        progress.throwIfCancelled();
        const std::size_t rows = tile.rows.size();
        const std::size_t columns = tile.columns.size();
        if (values.size() < rows * columns) values = Matrix<double>(rows, columns);
        const MatrixView<double> view(values.data(), rows, columns);
        compute(tile, view);
        const Stopwatch watch;
        sink.store(tile, view);
        count.storeSeconds += watch.seconds();
    }
    return count;
}

}  // namespace glycine::pairs
