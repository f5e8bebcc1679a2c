#include "engine/pairs/pair_tile.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <string>

#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
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

std::size_t tileSets(const Backend& backend, std::size_t instances, std::size_t side) {
    return side < instances && dynamic_cast<const HostBackend*>(&backend) == nullptr ? 2 : 1;
}

TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress, const TileSteps& steps) {
    std::vector<PairTile> open = tilesBelowDiagonal(loop.instances, loop.side);
    TileCount count{.tiles = open.size()};
    count.tilesResumed = std::erase_if(open, [&](const PairTile& tile) { return sink.has(tile); });
    double work = 0;
    for (const PairTile& tile : open) work += static_cast<double>(tile.pairs()) * loop.workPerPair;
    progress.begin(std::string(loop.stage), work);

    const std::optional<DigestWish> wish = steps.digest ? sink.digestWish() : std::nullopt;
    std::vector<Matrix<double>> values(loop.sets);
    double storing = 0;  // read and written while nobody else does: one tile is stored at a time
    const auto timed = [](double& seconds, const auto& act) {
        const Stopwatch watch;
        act();
        seconds += watch.seconds();
    };
    std::future<void> stored;  // last: it works with all of these
    for (std::size_t k = 0; k < open.size(); ++k) {
        progress.throwIfCancelled();
        const PairTile& tile = open[k];
        if (wish) {
            if (const std::optional<TileDigest> digest = steps.digest(tile, *wish)) {
                timed(count.storeSeconds, [&] {
                    if (stored.valid()) stored.get();
                    sink.store(tile, *digest);
                });
                continue;
            }
        }
        const std::size_t set = k % loop.sets;
        const std::size_t rows = tile.rows.size();
        const std::size_t columns = tile.columns.size();
        if (values[set].size() < rows * columns)
            timed(count.storeSeconds, [&] { values[set] = Matrix<double>(rows, columns); });
        const TileWork atWork{tile, set, {values[set].data(), rows, columns}};
        steps.compute(atWork);
        const auto store = [&, atWork] {
            timed(storing, [&] {
                if (steps.finish) steps.finish(atWork);
                sink.store(atWork.tile, atWork.values);
            });
        };
        timed(count.storeSeconds, [&] {
            if (stored.valid()) stored.get();
            if (loop.sets == 1 || !startBeside(stored, store)) store();
        });
    }
    timed(count.storeSeconds, [&] {
        if (stored.valid()) stored.get();
        values.clear();
    });
    count.besideSeconds = std::max(0.0, storing - count.storeSeconds);
    return count;
}

}  // namespace glycine::pairs
