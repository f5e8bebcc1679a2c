#include "kernels_cuda/pairs/tile_runner.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <future>
#include <utility>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::pairs::cuda {

namespace {

/// Sides of pieces. Beyond the largest, nothing gets faster; one kind of result takes 256 MiB there.
constexpr std::size_t kMaxSide = 8192;
constexpr std::size_t kLeastSide = 252;  ///< padded, exactly one tile of every kernel
/// Below this, operands are streamed instead of kept: small pieces leave a large device idle.
constexpr std::size_t kUsefulSide = 1024;

constexpr std::size_t kMaxStaging = std::size_t(128) << 20;
/// Both buffers of a streamed piece.
constexpr std::size_t kMaxBlocks = std::size_t(1) << 30;

constexpr std::size_t kWordBytes = 4;

/// The largest of kLeastSide, 256, 512 … up to `most`, a power of two, with bytes(side) ≤ available; 0 if
/// there is none.
template <class Bytes>
std::size_t largestSide(std::size_t most, std::size_t available, const Bytes& bytes) {
    const auto sideOf = [](std::size_t place) { return place == 1 ? kLeastSide : std::size_t{64} << place; };
    const auto places = static_cast<std::size_t>(std::bit_width(most)) - 7;
    const std::size_t place =
        largestFitting(places, [&](std::size_t one) { return bytes(sideOf(one)) <= available; });
    return place == 0 ? 0 : sideOf(place);
}

}  // namespace

std::size_t paddedSide(std::size_t count) {
    constexpr std::size_t mostShift = 3;
    return roundUp(count + mostShift, glycine::cuda::kPairPadding);
}

std::size_t residentStride(std::size_t instances) {
    return paddedSide(instances) + glycine::cuda::kPairPadding;
}

TilePlan planTiles(const TileDemand& demand, std::size_t available) {
    std::size_t most = 256;
    while (most < kMaxSide && most < demand.instances) most *= 2;
    const std::size_t wordOfInstance = demand.planes * kWordBytes;
    const std::size_t leastStaging = wordOfInstance * OperandSource::kWordStep;

    TilePlan plan;
    // A load needs at least one instance and one step of its words.
    plan.stagingBytes = std::max(leastStaging, std::min(kMaxStaging, available / 8));
    const std::size_t taken =
        residentStride(demand.instances) * demand.words * wordOfInstance + plan.stagingBytes;
    if (taken < available) {
        plan.available = available - taken;
        plan.side = largestSide(most, plan.available, [&](std::size_t side) {
            return demand.bytes(paddedSide(side), plan.available);
        });
        plan.isResident = plan.side >= std::min(demand.instances, kUsefulSide);
        if (plan.isResident) return plan;
    }

    // Two buffers of blocks, each with the rows and the columns of a piece.
    const std::size_t words = std::min(demand.words, OperandSource::kWordStep);
    const auto blockBytes = [&](std::size_t side, std::size_t count) {
        return 4 * paddedSide(side) * count * wordOfInstance;
    };
    const auto leftFor = [&](std::size_t side) {
        const std::size_t operands = plan.stagingBytes + blockBytes(side, words);
        return operands < available ? available - operands : 0;
    };
    const std::size_t forResults = available / 2;
    plan.side = largestSide(most, forResults, [&](std::size_t side) {
        return leftFor(side) < forResults ? forResults + 1 : demand.bytes(paddedSide(side), forResults);
    });
    if (plan.side == 0) {
        plan.needed = plan.stagingBytes + blockBytes(kLeastSide, words) +
                      2 * demand.bytes(paddedSide(kLeastSide), forResults);
        return plan;
    }
    plan.available = forResults;
    const std::size_t room =
        std::min(kMaxBlocks, available - plan.stagingBytes - demand.bytes(paddedSide(plan.side), forResults));
    plan.blockWords =
        std::min(demand.words, std::max(words, room / blockBytes(plan.side, 1) / words * words));
    return plan;
}

std::size_t suitableTile(const TilePlan& plan, std::size_t instances) {
    const std::size_t side = std::max(plan.side, kLeastSide);
    if (instances == 0 || instances <= side) return side;
    const std::size_t tiles = (instances + side - 1) / side;
    return std::min(side, roundUp((instances + tiles - 1) / tiles, glycine::cuda::kPairPadding));
}

namespace {

using glycine::cuda::Accumulate;
using glycine::cuda::Event;
using glycine::cuda::MatrixOnDevice;
using glycine::cuda::PacedReport;
using glycine::cuda::PairWindow;

/// Bytes read on the host at once: one block is packed while another of the same size is on its way to the
/// device. Larger blocks would exceed the processor's caches and need fresh pages from the system each time.
constexpr std::size_t kReadBytes = std::size_t(16) << 20;
/// Portions of work that are queued beyond the one that is waited for.
constexpr std::size_t kPortionsAhead = 2;

/// Windows start on 16-byte boundaries: at an instance that is a multiple of this.
constexpr std::size_t kInstanceStep = 4;
std::size_t alignedBegin(Range instances) {
    return instances.begin / kInstanceStep * kInstanceStep;
}

unsigned paddedCount(Range instances) {
    return static_cast<unsigned>(
        roundUp(instances.end - alignedBegin(instances), glycine::cuda::kPairPadding));
}

/// Pieces of about equal size, at most `side`.
std::vector<Range> pieces(std::size_t count, std::size_t side) {
    const std::size_t number = (count + side - 1) / side;
    return splitRange(count, std::min(side, roundUp((count + number - 1) / number, kInstanceStep)));
}

}  // namespace

TileRunner::TileRunner(glycine::cuda::CudaBackend& backend, std::unique_ptr<OperandSource> source,
                       const TilePlan& plan)
    : backend_(backend), source_(std::move(source)), plan_(plan), loader_(backend, plan.stagingBytes) {
    const std::size_t buffers = plan.isResident ? 1 : 2;
    for (std::size_t b = 0; b < buffers; ++b) {
        Operands& operands = operands_[b];
        operands.stride = plan.isResident ? residentStride(source_->instances()) : 2 * paddedSide(plan.side);
        const std::size_t words = plan.isResident ? source_->words() : plan.blockWords;
        operands.memory = glycine::cuda::DeviceBuffer<std::uint32_t>(
            backend.memory(), operands.stride * words * source_->planes());
    }
}

std::string TileRunner::note() const {
    if (plan_.isResident) return {};
    return fmt::format(
        "larger than the device memory: streamed in blocks of {} attributes, pieces of {} × {}",
        plan_.blockWords * source_->attributesAWord() / source_->wordsAnAttribute(), plan_.side, plan_.side);
}

/// The previous block travels while the next is packed; `upload` counts only the time that packing does not
/// hide.
void TileRunner::load(Range instances, Range words, MatrixOnDevice<std::uint32_t> target,
                      Progress& progress) {
    const std::size_t wordBytes = source_->planes() * sizeof(std::uint32_t);
    const auto wordsOf = [&](std::size_t bytes, std::size_t count) {
        return std::max<std::size_t>(1, bytes / (count * wordBytes) / OperandSource::kWordStep) *
               OperandSource::kWordStep;
    };
    // The words of one instance that fit into staging. If not all do, prefer many words of few instances to
    // few words of many, because sources read whole words of the file.
    const std::size_t wordsAtOnce =
        std::min(wordsOf(plan_.stagingBytes, 1),
                 wordsOf(kReadBytes, source_->readsWholeInstances() ? 1 : instances.size()));
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    std::size_t instancesAtOnce =
        std::max<std::size_t>(1, kReadBytes / (std::min(wordsAtOnce, words.size()) * wordBytes));
    // Sources may use one thread per instance.
    if (instancesAtOnce > threads) instancesAtOnce = instancesAtOnce / threads * threads;
    Stopwatch watch;
    std::future<void> travelling;
    for (const Range part : splitRange(words.size(), wordsAtOnce)) {
        for (const Range band : splitRange(instances.size(), instancesAtOnce)) {
            progress.throwIfCancelled();
            watch.restart();
            const OperandSource::Block block =
                source_->read({instances.begin + band.begin, instances.begin + band.end},
                              {words.begin + part.begin, words.begin + part.end});
            times_.pack += watch.restart();
            if (travelling.valid()) travelling.get();
            const MatrixOnDevice<std::uint32_t> place{target.at(part.begin * source_->planes(), band.begin),
                                                      target.stride};
            travelling =
                std::async(std::launch::async, [this, block, place] { loader_.load(block.words, place); });
            times_.upload += watch.restart();
        }
    }
    watch.restart();
    if (travelling.valid()) travelling.get();
    times_.upload += watch.restart();
}

void TileRunner::loadAll(Progress& progress) {
    if (isLoaded_) return;
    const Operands& all = operands_[0];
    load({0, source_->instances()}, {0, source_->words()}, {all.memory.data(), all.stride}, progress);
    isLoaded_ = true;
}

void TileRunner::run(const PairTile& tile, Progress& progress, const Queue& queue, const Deliver& deliver) {
    backend_.makeCurrent();
    if (plan_.isResident) loadAll(progress);
    for (const Range rows : pieces(tile.rows.size(), plan_.side)) {
        for (const Range columns : pieces(tile.columns.size(), plan_.side)) {
            if (tile.isDiagonal() && columns.begin > rows.begin) break;
            Piece piece{{{tile.rows.begin + rows.begin, tile.rows.begin + rows.end},
                         {tile.columns.begin + columns.begin, tile.columns.begin + columns.end}},
                        rows.begin,
                        columns.begin,
                        0,
                        0};
            if (plan_.isResident) {
                piece.deviceRow = piece.piece.rows.begin - alignedBegin(piece.piece.rows);
                piece.deviceColumn = piece.piece.columns.begin - alignedBegin(piece.piece.columns);
                runResident(piece, progress, queue);
            } else {
                runStreamed(piece, progress, queue);
            }
            const Stopwatch watch;
            deliver(piece);
            times_.download += watch.seconds();
        }
    }
}

void TileRunner::runResident(const Piece& piece, Progress& progress, const Queue& queue) {
    const Operands& all = operands_[0];
    const auto from = [&](Range instances) {
        return MatrixOnDevice<const std::uint32_t>{all.memory.data() + alignedBegin(instances), all.stride};
    };
    const PairWindow window{
        from(piece.piece.rows),
        from(piece.piece.columns),
        static_cast<unsigned>(source_->words() * source_->planes()),
        paddedCount(piece.piece.rows),
        paddedCount(piece.piece.columns),
        piece.piece.isDiagonal(),
        static_cast<unsigned>(piece.piece.rows.end - alignedBegin(piece.piece.rows)),
        static_cast<unsigned>(piece.piece.columns.end - alignedBegin(piece.piece.columns))};
    const double work = static_cast<double>(piece.piece.pairs()) * static_cast<double>(source_->attributes());
    const glycine::cuda::WorkListener worked = [&](double done) { progress.advance(done); };
    // Short kernels take less time than starting them and waiting for them, so the device's clock is used.
    const Event begin(Event::Kind::Timing);
    const Event end(Event::Kind::Timing);
    PacedReport report(worked, kPortionsAhead);
    begin.record(stream_);
    queue(window, Accumulate::No, work, stream_, report);
    end.record(stream_);
    report.settleAll();
    end.synchronize();
    times_.compute += Event::secondsBetween(begin, end);
}

/// While one block is counted, the next is packed and copied; `compute` counts only the time that this does
/// not hide.
void TileRunner::runStreamed(const Piece& piece, Progress& progress, const Queue& queue) {
    const PairTile& tile = piece.piece;
    const std::vector<Range> blocks = splitRange(source_->words(), plan_.blockWords);
    const std::size_t columnsAt = paddedSide(plan_.side);
    const auto loadBlock = [&](std::size_t b) {
        const Operands& buffer = operands_[b % 2];
        load(tile.rows, blocks[b], {buffer.memory.data(), buffer.stride}, progress);
        if (!tile.isDiagonal())
            load(tile.columns, blocks[b], {buffer.memory.data() + columnsAt, buffer.stride}, progress);
    };
    const glycine::cuda::WorkListener worked = [&](double done) { progress.advance(done); };
    PacedReport report(worked, kPortionsAhead);
    const Event done[2];
    Stopwatch watch;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (b >= 2) {
            watch.restart();
            done[b % 2].synchronize();
            times_.compute += watch.restart();
        }
        loadBlock(b);
        const Operands& buffer = operands_[b % 2];
        const MatrixOnDevice<const std::uint32_t> rows{buffer.memory.data(), buffer.stride};
        const MatrixOnDevice<const std::uint32_t> columns{
            buffer.memory.data() + (tile.isDiagonal() ? 0 : columnsAt), buffer.stride};
        const PairWindow window{
            rows,
            columns,
            static_cast<unsigned>(blocks[b].size() * source_->planes()),
            static_cast<unsigned>(roundUp(tile.rows.size(), glycine::cuda::kPairPadding)),
            static_cast<unsigned>(roundUp(tile.columns.size(), glycine::cuda::kPairPadding)),
            tile.isDiagonal(),
            static_cast<unsigned>(tile.rows.size()),
            static_cast<unsigned>(tile.columns.size())};
        const double work =
            static_cast<double>(tile.pairs()) * static_cast<double>(source_->attributesIn(blocks[b]));
        watch.restart();
        queue(window, b == 0 ? Accumulate::No : Accumulate::Yes, work, stream_, report);
        done[b % 2].record(stream_);
        times_.compute += watch.restart();
    }
    watch.restart();
    report.settleAll();
    stream_.synchronize();
    times_.compute += watch.restart();
}

}  // namespace glycine::pairs::cuda
