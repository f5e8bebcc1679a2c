#include "engine/distance/cpu/bitplane_run.hpp"

#include <algorithm>

#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/distance/cpu/sub_tiles.hpp"

namespace glycine::distance::cpu {

namespace {

constexpr std::size_t kReadBytes = std::size_t{8} << 20;     ///< planes that are read at once, and packed
constexpr std::size_t kPanelBytes = std::size_t{512} << 20;  ///< packed planes that stay in memory
/// Side of the blocks of pairs that a thread takes. The strips of one side stay in the second-level cache.
constexpr std::size_t kSubTile = 64;
constexpr double kFewComparisons = 2e7;

CountKind kindOf(const DiscreteShape& shape, CountNeeds needs) {
    return {shape.planes, shape.hasMissing, {needs.opposite, needs.valid && shape.hasMissing}};
}

PairCounts within(const PairCounts& counts, const PairTile& tile, const PairTile& part) {
    return {pairs::partOf(counts.differing, tile, part), pairs::partOf(counts.opposite, tile, part),
            pairs::partOf(counts.valid, tile, part)};
}

void fill(MatrixView<std::uint32_t> view, std::uint32_t value) {
    for (std::size_t row = 0; row < view.rows(); ++row) std::fill_n(view.row(row), view.columns(), value);
}

}  // namespace

BitplaneRun::BitplaneRun(const DiscreteSource& source, CountNeeds needs, InstructionSet instructions,
                         int threads)
    : source_(source),
      shape_(source.shape()),
      needs_(needs),
      kind_(kindOf(shape_, needs)),
      kernel_(kernelFor<CountKernel>(instructions, kind_)),
      threads_(threads) {}

double BitplaneRun::hostBytes(const DiscreteShape& shape, CountNeeds needs, std::size_t tile) {
    const auto packed = static_cast<double>(
        PlanePanel::words(shape.instances, shape.attributes, kindOf(shape, needs)) * sizeof(std::uint64_t));
    const double read = std::min(packed, static_cast<double>(kReadBytes));
    // Where one tile holds all pairs, a block is packed while it is there.
    return read + (tile >= shape.instances ? read : std::min(packed, static_cast<double>(kPanelBytes)));
}

/// Blocks of equal length; the same for all tiles, so that panels can be used again.
void BitplaneRun::chooseBlock(const PairTile& tile) {
    const std::size_t side = std::max(tile.rows.size(), tile.columns.size());
    if (side <= longestSide_) return;
    longestSide_ = side;
    // Nothing comes back where one tile holds all pairs.
    const bool isOnlyTile = tile.isDiagonal() && side == shape_.instances;
    panels_.emplace(source_, kind_, isOnlyTile ? 0 : kPanelBytes);
    const std::size_t unitBytes = side * kind_.storedPlanes() * kUnitWords * sizeof(std::uint64_t);
    const std::size_t units = (shape_.attributes + kUnitAttributes - 1) / kUnitAttributes;
    const std::size_t longest = std::max(PlanePanel::longestChunk(kind_), kReadBytes / unitBytes);
    const std::size_t blocks = (units + longest - 1) / longest;
    block_ = (units + blocks - 1) / blocks * kUnitAttributes;
}

void BitplaneRun::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    const int threads = threadsFor(tile, shape_.attributes, kFewComparisons, threads_);
    const DefaultThreads forSource(threads);
    chooseBlock(tile);
    const std::vector<PairTile> parts = subTiles(tile, kSubTile, kStripInstances, threads);
    for (const Range attributes : splitRange(shape_.attributes, block_)) {
        Stopwatch watch;
        const std::shared_ptr<const PlanePanel> rows = panels_->panel(tile.rows, attributes, threads);
        const std::shared_ptr<const PlanePanel> columns =
            tile.isDiagonal() ? rows : panels_->panel(tile.columns, attributes, threads);
        times_.pack += watch.restart();
        countBlock(tile, parts, threads, *rows, *columns, attributes, counts, progress);
        times_.compute += watch.seconds();
    }
}

void BitplaneRun::countBlock(const PairTile& tile, const std::vector<PairTile>& parts, int threads,
                             const PlanePanel& rows, const PlanePanel& columns, Range attributes,
                             const PairCounts& counts, Progress& progress) {
    parallelFor(threads, parts.size(), [&](std::size_t index, std::size_t) {
        const PairTile& part = parts[index];
        const PairCounts target = within(counts, tile, part);
        if (attributes.begin == 0) {
            fill(target.differing, 0);
            if (needs_.opposite) fill(target.opposite, 0);
            if (needs_.valid)
                fill(target.valid, shape_.hasMissing ? 0 : static_cast<std::uint32_t>(shape_.attributes));
        }
        for (std::size_t chunk = 0; chunk < rows.chunks(); ++chunk)
            kernel_.count({.kind = kind_,
                           .rowStrips = rows.strip(chunk, part.rows.begin - tile.rows.begin),
                           .columnStrips = columns.strip(chunk, part.columns.begin - tile.columns.begin),
                           .units = rows.units(chunk),
                           .isDiagonal = part.isDiagonal(),
                           .counts = target});
        progress.advance(static_cast<double>(part.pairs()) * static_cast<double>(attributes.size()));
    });
}

}  // namespace glycine::distance::cpu
