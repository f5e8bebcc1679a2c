#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/distance/cpu/count_kernel.hpp"
#include "engine/distance/cpu/plane_panels.hpp"
#include "engine/distance/cpu/sum_kernel.hpp"
#include "engine/distance/distance_engine.hpp"

namespace glycine::distance::cpu {

namespace {

constexpr std::size_t kReadBytes = std::size_t{8} << 20;     ///< planes that are read and packed at once
constexpr std::size_t kPanelBytes = std::size_t{512} << 20;  ///< packed planes kept in memory
/// Side of the blocks of pairs that a thread takes. The strips of one side fit into the second-level cache.
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

/// `cpu bitplane`: counts differences of discrete data with XOR, OR and population counts over bit planes.
class BitplaneRun final : public CountingRun {
  public:
    BitplaneRun(const DiscreteSource& source, CountNeeds needs, InstructionSet instructions, int threads);
    Variant variant() const override { return Variant::Bitplane; }
    PairTimes times() const override { return times_; }
    void beginShared(ProcessTeam& team, std::size_t side) override;
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;
    /// DistanceEngine::hostBytes.
    static double hostBytes(const DiscreteShape& shape, CountNeeds needs, std::size_t tile);

  private:
    void countBlock(const PairTile& tile, const std::vector<PairTile>& parts, int threads,
                    const PanelPart& rows, const PanelPart& columns, Range attributes,
                    const PairCounts& counts, Progress& progress);
    void chooseBlock(std::size_t side, bool isOnlyTile);
    PanelPart panel(Range instances, Range attributes, int threads);

    const DiscreteSource& source_;
    const DiscreteShape shape_;
    const CountNeeds needs_;
    const CountKind kind_;
    const CountKernel kernel_;
    const int threads_;
    std::optional<PlanePanelCache> panels_;
    std::unique_ptr<SharedPanels> sharedPanels_;  ///< with other processes; null without any
    std::size_t block_ = 0;                       ///< attributes read at once
    std::size_t longestSide_ = 0;                 ///< of the tiles so far
    PairTimes times_;
};

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
    // If one tile holds all pairs, each block is packed once and not kept.
    return read + (tile >= shape.instances ? read : std::min(packed, static_cast<double>(kPanelBytes)));
}

/// Blocks of equal length, the same for all tiles, so that panels can be reused.
void BitplaneRun::chooseBlock(std::size_t side, bool isOnlyTile) {
    if (side <= longestSide_) return;
    longestSide_ = side;
    sharedPanels_.reset();
    // If one tile holds all pairs, no panel is needed again.
    panels_.emplace(source_, kind_, isOnlyTile ? 0 : kPanelBytes);
    const std::size_t unitBytes = side * kind_.storedPlanes() * kUnitWords * sizeof(std::uint64_t);
    const std::size_t units = (shape_.attributes + kUnitAttributes - 1) / kUnitAttributes;
    const std::size_t longest = std::max(PlanePanel::longestChunk(kind_), kReadBytes / unitBytes);
    const std::size_t blocks = (units + longest - 1) / longest;
    block_ = (units + blocks - 1) / blocks * kUnitAttributes;
}

void BitplaneRun::beginShared(ProcessTeam& team, std::size_t side) {
    chooseBlock(side, side >= shape_.instances);
    // All processes together take no more memory than each with panels of its own.
    sharedPanels_ =
        SharedPanels::make(source_, kind_, side, block_, kPanelBytes * team.processesOnHost(), team);
}

PanelPart BitplaneRun::panel(Range instances, Range attributes, int threads) {
    if (sharedPanels_)
        if (std::optional<PanelPart> part = sharedPanels_->panel(instances, attributes, threads))
            return *std::move(part);
    return panels_->panel(instances, attributes, threads);
}

void BitplaneRun::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    const int threads = threadsFor(tile, shape_.attributes, kFewComparisons, threads_);
    const DefaultThreads forSource(threads);
    chooseBlock(std::max(tile.rows.size(), tile.columns.size()),
                tile.isDiagonal() && tile.rows.size() == shape_.instances);
    const std::vector<PairTile> parts = subTiles(tile, kSubTile, kStripInstances, threads);
    for (const Range attributes : splitRange(shape_.attributes, block_)) {
        Stopwatch watch;
        const PanelPart rows = panel(tile.rows, attributes, threads);
        const PanelPart columns = tile.isDiagonal() ? rows : panel(tile.columns, attributes, threads);
        times_.pack += watch.restart();
        countBlock(tile, parts, threads, rows, columns, attributes, counts, progress);
        times_.compute += watch.seconds();
    }
}

void BitplaneRun::countBlock(const PairTile& tile, const std::vector<PairTile>& parts, int threads,
                             const PanelPart& rows, const PanelPart& columns, Range attributes,
                             const PairCounts& counts, Progress& progress) {
    // The second-level cache holds one chunk of the strips of kSubTile instances, several of fewer instances.
    const std::size_t chunksAtOnce = std::max<std::size_t>(1, kSubTile / parts.front().rows.size());
    for (const Range chunks : splitRange(rows.chunks(), chunksAtOnce))
        parallelFor(threads, parts.size(), [&](std::size_t index, std::size_t) {
            const PairTile& part = parts[index];
            const PairCounts target = within(counts, tile, part);
            if (attributes.begin == 0 && chunks.begin == 0) {
                fill(target.differing, 0);
                if (needs_.opposite) fill(target.opposite, 0);
                if (needs_.valid)
                    fill(target.valid, shape_.hasMissing ? 0 : static_cast<std::uint32_t>(shape_.attributes));
            }
            for (std::size_t chunk = chunks.begin; chunk < chunks.end; ++chunk)
                kernel_.count({.kind = kind_,
                               .rowStrips = rows.strip(chunk, part.rows.begin - tile.rows.begin),
                               .columnStrips = columns.strip(chunk, part.columns.begin - tile.columns.begin),
                               .units = rows.units(chunk),
                               .isDiagonal = part.isDiagonal(),
                               .counts = target});
            progress.advance(static_cast<double>(part.pairs() * attributes.size() * chunks.size()) /
                             static_cast<double>(rows.chunks()));
        });
}

constexpr std::size_t kPackBytes = std::size_t{16}
                                   << 20;  ///< coordinates of one side that are packed at once
/// Side of the blocks of pairs that a thread takes. The strips of one side fit into the second-level cache.
constexpr std::size_t kPackedSubTile = 128;
constexpr double kFewSums = 1e6;

std::size_t stripCount(std::size_t instances) {
    return (instances + kSumStrip - 1) / kSumStrip;
}

/// Packs strips run by run: all strips of the first kRun attributes, then all strips of the next.
template <class Number>
void pack(const CoordinateRows<Number>& coordinates, Range instances, Range attributes,
          Matrix<Number>& strips, int threads) {
    const std::size_t count = stripCount(instances.size());
    const std::size_t size = count * kSumStrip * attributes.size();
    if (strips.size() < size) strips = Matrix<Number>(1, size);
    parallelFor(threads, count, [&](std::size_t s, std::size_t) {
        for (std::size_t first = 0; first < attributes.size(); first += kRun) {
            const std::size_t length = std::min(kRun, attributes.size() - first);
            Number* strip = strips.data() + (first * count + s * length) * kSumStrip;
            for (std::size_t i = 0; i < kSumStrip; ++i) {
                const std::size_t instance = instances.begin + s * kSumStrip + i;
                if (instance < instances.end) {
                    const Number* row = coordinates.row(instance) + attributes.begin + first;
                    for (std::size_t k = 0; k < length; ++k) strip[k * kSumStrip + i] = row[k];
                } else {
                    for (std::size_t k = 0; k < length; ++k) strip[k * kSumStrip + i] = 0;
                }
            }
        }
    });
}

/// `cpu direct`: sums differences of coordinates tile by tile. float32 sums use float32 over short runs of
/// attributes, then double. Number: float or double.
template <class Number>
class DirectRun final : public SummingRun {
  public:
    DirectRun(CoordinateRows<Number> coordinates, SumTerm term, InstructionSet instructions, int threads);
    Variant variant() const override { return Variant::Direct; }
    PairTimes times() const override { return times_; }
    void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override;
    /// DistanceEngine::hostBytes.
    static double hostBytes(const DiscreteShape& shape, std::size_t tile);

  private:
    void sumPart(const PairTile& tile, const PairTile& part, Range attributes, const Number* rows,
                 const Number* columns, MatrixView<double> sums) const;

    const CoordinateRows<Number> coordinates_;
    const SumTerm term_;
    const SumKernel<Number> kernel_;
    const int threads_;
    Matrix<Number> rowStrips_, columnStrips_;
    PairTimes times_;
};

template <class Number>
DirectRun<Number>::DirectRun(CoordinateRows<Number> coordinates, SumTerm term, InstructionSet instructions,
                             int threads)
    : coordinates_(coordinates),
      term_(term),
      kernel_(kernelFor<SumKernel<Number>>(instructions, term)),
      threads_(threads) {}

template <class Number>
double DirectRun<Number>::hostBytes(const DiscreteShape& shape, std::size_t tile) {
    const double packed = static_cast<double>(roundUp(std::min(tile, shape.instances), kSumStrip)) *
                          static_cast<double>(shape.attributes) * sizeof(Number);
    return std::min(packed, static_cast<double>(kPackBytes)) * (tile < shape.instances ? 2 : 1);
}

template <class Number>
void DirectRun<Number>::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    const std::size_t attributeCount = coordinates_.columns();
    const std::size_t runBytes = std::max(tile.rows.size(), tile.columns.size()) * kRun * sizeof(Number);
    const std::size_t block = std::max<std::size_t>(1, kPackBytes / runBytes) * kRun;
    const int threads = threadsFor(tile, attributeCount, kFewSums, threads_);
    const std::vector<PairTile> parts = subTiles(tile, kPackedSubTile, kSumStrip, threads);
    for (const Range attributes : splitRange(attributeCount, block)) {
        Stopwatch watch;
        pack(coordinates_, tile.rows, attributes, rowStrips_, threads);
        if (!tile.isDiagonal()) pack(coordinates_, tile.columns, attributes, columnStrips_, threads);
        const Number* columns = tile.isDiagonal() ? rowStrips_.data() : columnStrips_.data();
        times_.pack += watch.restart();
        parallelFor(threads, parts.size(), [&](std::size_t index, std::size_t) {
            const PairTile& part = parts[index];
            const MatrixView<double> target = pairs::partOf(sums, tile, part);
            sumPart(tile, part, attributes, rowStrips_.data(), columns, target);
            if constexpr (std::is_same_v<Number, float>)
                if (attributes.end == attributeCount) repairSums(coordinates_, term_, part, target);
            progress.advance(static_cast<double>(part.pairs()) * static_cast<double>(attributes.size()));
        });
        times_.compute += watch.seconds();
    }
}

template <class Number>
void DirectRun<Number>::sumPart(const PairTile& tile, const PairTile& part, Range attributes,
                                const Number* rows, const Number* columns, MatrixView<double> sums) const {
    if (attributes.begin == 0)
        for (std::size_t r = 0; r < sums.rows(); ++r) std::fill_n(sums.row(r), sums.columns(), 0.0);
    for (std::size_t first = 0; first < attributes.size(); first += kRun) {
        const std::size_t length = std::min(kRun, attributes.size() - first);
        const auto strip = [&](const Number* strips, Range instances, std::size_t begin) {
            return strips + first * kSumStrip * stripCount(instances.size()) +
                   (begin - instances.begin) * length;
        };
        kernel_.sum({.rowStrips = strip(rows, tile.rows, part.rows.begin),
                     .columnStrips = strip(columns, tile.columns, part.columns.begin),
                     .attributes = length,
                     .isDiagonal = part.isDiagonal(),
                     .sums = sums});
    }
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {},
        {{Variant::Bitplane,
          "XOR, OR and population counts of bit planes, a block of pairs in registers",
          "",
          {},
          true,
          {"counts"}},
         {Variant::Direct,
          "differences of coordinates, tile by tile; of float32 in float32 over short runs, then double",
          "",
          {},
          true,
          {"float32", "float64"}}});
    return table;
}

class CpuEngine : public DistanceEngine {
  public:
    explicit CpuEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const PairRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (request.variant == Variant::Bitplane && request.isCoordinates)
            return Support::misuse("the variant 'bitplane' counts symbols; for coordinates: direct");
        if (request.variant == Variant::Direct && !request.isCoordinates)
            return Support::misuse("the variant 'direct' sums coordinates; for symbols: bitplane");
        return supportsCounts(request);
    }

    /// Equal tiles. The longer their sides, the less often an instance is read. Results of the largest tile
    /// take 64 MiB per count and 128 MiB for sums.
    std::size_t preferredTile(const PairRequest& request) const override {
        constexpr std::size_t kLongest = 4096;
        const std::size_t instances = request.shape.instances;
        const std::size_t tiles = std::max<std::size_t>(1, (instances + kLongest - 1) / kLongest);
        return instances == 0 ? kLongest : (instances + tiles - 1) / tiles;
    }

    double hostBytes(const PairRequest& request, std::size_t tile) const override {
        if (!request.isCoordinates) return BitplaneRun::hostBytes(request.shape, request.needs, tile);
        return request.precision == Precision::Float32 ? DirectRun<float>::hostBytes(request.shape, tile)
                                                       : DirectRun<double>::hostBytes(request.shape, tile);
    }

    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant) override {
        return std::make_unique<BitplaneRun>(source, needs, instructions_, threads_);
    }
    std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term, Variant) override {
        return coordinates.visit([&]<class Number>(CoordinateRows<Number> numbers) {
            return std::unique_ptr<SummingRun>(
                std::make_unique<DirectRun<Number>>(numbers, term, instructions_, threads_));
        });
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

Implementation<DistanceEngine> engine() {
    return implementWith<DistanceEngine, CpuEngine, HostBackend>(variants());
}

}  // namespace glycine::distance::cpu
