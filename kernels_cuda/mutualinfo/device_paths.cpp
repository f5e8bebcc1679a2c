#include <omp.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"
#include "kernels_cuda/mutualinfo/path_kernels.hpp"
#include "kernels_cuda/pairs/tile_runner.hpp"

namespace glycine::mutualinfo::cuda {

namespace {

using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::kMediatorStep;
using glycine::cuda::kPathPadding;
using glycine::cuda::kPathStep;

/// Longest side of tiles. Longer sides are no faster.
constexpr std::size_t kMaxSide = 4096;
/// Sorting fewer mediators at a time would cost more time than using them.
constexpr std::size_t kUsefulMediators = 512;
/// Pairs times mediators per launch: some hundredths of a second on a large GPU.
constexpr double kWorkAtOnce = 3e11;
/// Bytes of values that the host reads at a time.
constexpr std::size_t kReadBytes = std::size_t(64) << 20;

/// Size of the window of some genes. It begins at a multiple of kPathStep and consists of whole tiles for
/// every kernel.
std::size_t windowSide(Range genes) {
    return roundUp(genes.size() + genes.begin % kPathStep, kPathPadding);
}

/// Contents of device memory at a time.
struct PathPlan {
    std::size_t side = 0;       ///< of pieces of tiles; 0: memory is too small
    std::size_t mediators = 0;  ///< a multiple of kMediatorStep
    std::size_t stride = 0;     ///< of the values, with one row per mediator
    bool isResident = false;    ///< whether all genes are there, or only those of a piece
    std::size_t needed = 0;     ///< if side = 0: bytes that would suffice
    std::size_t values() const { return mediators * stride; }
    std::size_t resultStride() const { return roundUp(side + kPathStep - 1, kPathPadding); }
    std::size_t bytes() const {
        return resultStride() * resultStride() * sizeof(double) +
               values() * 2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) +
               glycine::cuda::scratchBytesForRanks(values());
    }
};

/// A window may extend up to kPathPadding beyond the last gene.
std::size_t strideOf(std::size_t genes) {
    return roundUp(genes, kPathPadding) + kPathPadding;
}

PathPlan planPaths(std::size_t genes, std::size_t mediators, std::size_t available) {
    const std::size_t all = std::max(roundUp(mediators, kMediatorStep), kMediatorStep);
    const auto fits = [&](const PathPlan& plan) {
        return plan.values() <= glycine::cuda::kMaxRankedValues && plan.bytes() <= available;
    };
    const std::size_t whole = std::min(kMaxSide, std::max<std::size_t>(genes, 1));
    const PathPlan resident{whole, all, strideOf(genes), true};
    if (fits(resident)) return resident;
    const auto streamed = [](std::size_t side, std::size_t ofPiece) {
        return PathPlan{side, ofPiece, strideOf(2 * (side + kPathStep)), false};
    };
    // The largest piece with enough mediators, then as many of them as fit.
    const std::size_t useful = std::min(all, kUsefulMediators);
    const std::size_t side =
        std::max(std::min(whole, kPathPadding / 2),
                 largestFitting(whole, [&](std::size_t length) { return fits(streamed(length, useful)); }));
    const std::size_t steps = largestFitting(
        all / kMediatorStep, [&](std::size_t count) { return fits(streamed(side, count * kMediatorStep)); });
    PathPlan plan = streamed(side, std::max<std::size_t>(1, steps) * kMediatorStep);
    if (steps == 0) {
        plan.needed = plan.bytes();
        plan.side = 0;
    }
    return plan;
}

/// Ranks of the values of some genes at some mediators, and tiles of their (max, min) products.
class DevicePaths final : public PathRun {
  public:
    DevicePaths(CudaBackend& backend, const PathRequest& request, std::vector<std::size_t> mediators,
                const PathPlan& plan)
        : backend_(backend),
          request_(request),
          mediators_(std::move(mediators)),
          plan_(plan),
          results_(backend.memory(), plan.resultStride() * plan.resultStride()),
          scratch_(backend.memory(), glycine::cuda::scratchBytesForRanks(plan.values())) {
        for (auto& values : values_) values = DeviceBuffer<std::uint64_t>(backend.memory(), plan.values());
        for (auto& places : places_) places = DeviceBuffer<std::uint32_t>(backend.memory(), plan.values());
    }
    std::string_view variantName() const override { return "ranked"; }
    pairs::PairTimes times() const override { return times_; }
    std::string note() const override {
        return plan_.isResident ? std::string() : "information is streamed through the device";
    }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        backend_.makeCurrent();
        for (const pairs::PairTile& piece : pairs::cutTile(tile, plan_.side)) {
            computePiece(piece, progress);
            const Stopwatch watch;
            const std::size_t row = piece.rows.begin - tile.rows.begin;
            const std::size_t column = piece.columns.begin - tile.columns.begin;
            pairs::cuda::downloadPiece<double>(
                backend_.transfer(), results_.data(), plan_.resultStride(),
                {piece, row, column, piece.rows.begin % kPathStep, piece.columns.begin % kPathStep},
                results.front());
            times_.download += watch.seconds();
        }
    }

  private:
    /// Genes that are contiguous on the device, from `place` on.
    struct Group {
        Range genes;
        std::size_t place;
        bool operator==(const Group&) const = default;
    };
    std::vector<Group> groupsFor(const pairs::PairTile& piece) const {
        if (plan_.isResident) return {{{0, request_.information->instances()}, 0}};
        // Leaves room for the genes by which a window begins early.
        const Group rows{piece.rows, piece.rows.begin % kPathStep};
        if (piece.isDiagonal()) return {rows};
        const std::size_t columns = roundUp(rows.place + rows.genes.size(), kPathStep);
        return {rows, {piece.columns, columns + piece.columns.begin % kPathStep}};
    }

    void computePiece(const pairs::PairTile& piece, Progress& progress) {
        const std::vector<Group> groups = groupsFor(piece);
        glycine::cuda::WorkSplit split(
            static_cast<double>(piece.pairs()) * static_cast<double>(request_.information->instances()),
            static_cast<double>(std::max<std::size_t>(mediators_.size(), 1)));
        bool isFirst = true;
        for (const Range& block : splitRange(std::max<std::size_t>(mediators_.size(), 1), plan_.mediators)) {
            if (groups != groups_ || block != block_) load(groups, block, progress);
            const Stopwatch watch;
            multiply(piece, !isFirst, split.next(static_cast<double>(block.size())), progress);
            isFirst = false;
            times_.compute += watch.seconds();
        }
    }

    void load(const std::vector<Group>& groups, const Range& block, Progress& progress) {
        groups_.clear();  // invalid until loading has finished
        const std::size_t depth = roundUp(block.size(), kMediatorStep);
        Matrix<double> band(
            std::min(depth, std::max<std::size_t>(kReadBytes / sizeof(double) / plan_.stride, 1)),
            plan_.stride, 0.0);
        for (const Range& rows : splitRange(depth, band.rows())) {
            progress.throwIfCancelled();
            Stopwatch watch;
            parallelFor(omp_get_max_threads(), rows.size(), [&](std::size_t row, std::size_t) {
                readMediator(groups, block.begin + rows.begin + row, band.row(row));
            });
            times_.pack += watch.restart();
            backend_.transfer().upload(
                band.data(), plan_.stride,
                reinterpret_cast<double*>(values_[0].data()) + rows.begin * plan_.stride, plan_.stride,
                rows.size(), plan_.stride, glycine::cuda::StagedTransfer::Part::Whole);
            times_.upload += watch.seconds();
        }
        const Stopwatch watch;
        const glycine::cuda::RankBuffers buffers{{values_[0].data(), values_[1].data()},
                                                 {places_[0].data(), places_[1].data()},
                                                 scratch_.data(),
                                                 scratch_.size()};
        ranked_ = glycine::cuda::launchRanks({stream_.handle(), backend_.multiprocessors()}, buffers,
                                             depth * plan_.stride);
        stream_.synchronize();
        times_.compute += watch.seconds();
        groups_ = groups;
        block_ = block;
    }

    /// Mediators after the last one carry nothing.
    void readMediator(const std::vector<Group>& groups, std::size_t index, double* row) const {
        std::fill_n(row, plan_.stride, 0.0);
        if (index >= mediators_.size()) return;
        const std::size_t mediator = mediators_[index];
        for (const Group& group : groups) {
            double* const values = row + group.place;
            request_.information->readRow(mediator, group.genes.begin, group.genes.size(), values);
            for (std::size_t g = 0; g < group.genes.size(); ++g)
                values[g] = request_.pathWeight(group.genes.begin + g, mediator, values[g]);
        }
    }

    /// The windows of a piece begin at multiples of kPathStep. Rows and columns before its first one are not
    /// copied.
    glycine::cuda::MatrixOnDevice<const std::int32_t> window(std::size_t groupIndex, Range genes) const {
        const Group& group = groups_[groupIndex];
        const std::size_t place = group.place + genes.begin - group.genes.begin;
        return {ranked_.ranks + (place - genes.begin % kPathStep), plan_.stride};
    }

    void multiply(const pairs::PairTile& piece, bool raises, double work, Progress& progress) {
        const glycine::cuda::WorkListener worked = [&](double done) { progress.advance(done); };
        glycine::cuda::PacedReport report(worked, 2);
        const std::size_t rowCount = windowSide(piece.rows);
        glycine::cuda::PathWindow task{};
        task.rows = window(0, piece.rows);
        task.columns = window(groups_.size() - 1, piece.columns);
        task.mediators = static_cast<unsigned>(roundUp(block_.size(), kMediatorStep));
        task.columnCount = static_cast<unsigned>(windowSide(piece.columns));
        task.isDiagonal = piece.isDiagonal();
        task.sorted = ranked_.sorted;
        task.raises = raises;
        task.results = {results_.data(), plan_.resultStride()};
        const double ofRow = static_cast<double>(task.mediators) * task.columnCount;
        const std::size_t rowsAtOnce =
            static_cast<std::size_t>(std::max(kWorkAtOnce / ofRow / kPathPadding, 1.0)) * kPathPadding;
        glycine::cuda::WorkSplit split(work, static_cast<double>(rowCount));
        for (const Range& rows : splitRange(rowCount, rowsAtOnce)) {
            task.firstRow = static_cast<unsigned>(rows.begin);
            task.rowCount = static_cast<unsigned>(rows.size());
            glycine::cuda::launchStrongestPaths({stream_.handle(), backend_.multiprocessors()}, task);
            report.queued(stream_, split.next(static_cast<double>(rows.size())));
        }
        report.settleAll();
    }

    CudaBackend& backend_;
    PathRequest request_;
    std::vector<std::size_t> mediators_;
    PathPlan plan_;
    DeviceBuffer<double> results_;
    DeviceBuffer<std::byte> scratch_;
    DeviceBuffer<std::uint64_t> values_[2];
    DeviceBuffer<std::uint32_t> places_[2];
    glycine::cuda::Stream stream_;
    std::vector<Group> groups_;  ///< on the device, at the mediators of block_
    Range block_;
    glycine::cuda::RankedValues ranked_;
    pairs::PairTimes times_;
};

class CudaPaths final : public PathEngine {
  public:
    explicit CudaPaths(CudaBackend& backend) : backend_(backend) {}

    Support supports(const PathShape& shape) const override {
        backend_.makeCurrent();
        const std::size_t available = backend_.memory().available();
        const PathPlan plan = planPaths(shape.genes, shape.genes, available);
        if (plan.side > 0) return Support::yes();
        return Support::no(lackOfDeviceMemory("ranking information of a few genes",
                                              static_cast<double>(plan.needed), available));
    }
    std::size_t preferredTile(std::size_t genes) const override {
        backend_.makeCurrent();
        const PathPlan plan = planPaths(genes, genes, backend_.memory().available());
        return std::max<std::size_t>(plan.side, 1);
    }
    std::unique_ptr<PathRun> start(const PathRequest& request) override {
        backend_.makeCurrent();
        const std::size_t genes = request.information->instances();
        if (const Support support = supports({genes, request.information->valueType()}); !support)
            throw UnavailableError(support.reason());
        std::vector<std::size_t> mediators;
        for (std::size_t g = 0; g < genes; ++g)
            if (request.mediators.empty() || request.mediators[g] != 0) mediators.push_back(g);
        const PathPlan plan = planPaths(genes, mediators.size(), backend_.memory().available());
        return std::make_unique<DevicePaths>(backend_, request, std::move(mediators), plan);
    }

  private:
    CudaBackend& backend_;
};

}  // namespace

Implementation<PathEngine> pathEngine() {
    return {"cuda", {}, [](Backend& backend) -> std::unique_ptr<PathEngine> {
                return std::make_unique<CudaPaths>(backendAs<CudaBackend>(backend));
            }};
}

}  // namespace glycine::mutualinfo::cuda
