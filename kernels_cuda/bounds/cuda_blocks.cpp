#include "kernels_cuda/bounds/cuda_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// Own blocks lie in one matrix, rows of blocks one below another, columns side by side, so that a launch
/// takes a row of them. Panels come as blocks, each in one piece, and are laid out as the operands of
/// products: a strip over the own rows, and one over the own columns. The panel's stream goes ahead of those
/// of the rest.
namespace glycine::bounds::cuda {

namespace {

using namespace glycine::cuda;

template <class T>
class CudaBlocks final : public BlockWorker {
  public:
    CudaBlocks(const WorkerPart& part, CudaBackend& backend)
        : BlockWorker(part.layout.side() * part.layout.side() * sizeof(T), copyThreads(part.workersOnHost)),
          layout_(part.layout),
          self_(part.self),
          backend_(backend),
          side_(layout_.side()),
          panelStream_(Stream::Priority::High) {
        const bool withLower = part.hasLower;
        for (std::size_t block = 0; block < layout_.count(); ++block) {
            if (layout_.hasRow(self_, block)) rows_.push_back(block);
            if (layout_.hasColumn(self_, block)) columns_.push_back(block);
            places_.push_back(members_);
            if (layout_.needs(self_, block)) ++members_;
        }
        // A worker without blocks has memory as for one.
        height_ = std::max<std::size_t>(rows_.size(), 1) * side_;
        width_ = std::max<std::size_t>(columns_.size(), 1) * side_;
        const std::size_t matrices = withLower ? 3 : 1;
        const std::size_t panels = withLower ? 2 : 1;
        const std::size_t wide = (rows_.size() + columns_.size() + 1) * side_;
        tileSide_ = prunedTileSide<T>(onPanels(), std::min(height_, width_));
        const std::size_t tables = pruningTableSize<T>(height_, width_, side_, tileSide_);
        const std::size_t elements =
            matrices * height_ * width_ + 2 * side_ * wide +
            2 * (panels * (members_ + 1) * side_ * side_ + side_ * (height_ + width_)) +
            (withLower ? 2 * tables : 0);
        const auto& memory = backend.memory();
        if (elements * sizeof(T) > memory.available())
            throw UnavailableError(lackOfDeviceMemory(
                fmt::format("a share of {} atoms among {} devices", layout_.atoms(), layout_.workers()),
                static_cast<double>(elements * sizeof(T)), memory.available()));
        for (std::size_t matrix = 0; matrix < matrices; ++matrix)
            matrices_[matrix] = DeviceBuffer<T>(backend.memory(), height_ * width_);
        gathered_ = DeviceBuffer<T>(backend.memory(), side_ * wide);
        finished_ = DeviceBuffer<T>(backend.memory(), side_ * wide);
        wideStride_ = wide;
        for (Panels& slot : slots_) {
            for (std::size_t panel = 0; panel < panels; ++panel)
                slot.blocks[panel] = DeviceBuffer<T>(backend.memory(), (members_ + 1) * side_ * side_);
            slot.ofRows = DeviceBuffer<T>(backend.memory(), side_ * height_);
            slot.ofColumns = DeviceBuffer<T>(backend.memory(), side_ * width_);
            if (withLower) slot.tables = DeviceBuffer<T>(backend.memory(), tables);
        }
    }

    /// Threads cut blocks into page-locked buffers, of which the device copies others meanwhile.
    void load(const std::vector<BlockPlace>& places,
              const std::function<void(std::size_t, std::byte*)>& cut) override {
        makeLanes(places.size());
        parallelFor(static_cast<int>(lanes_.size()), places.size(),
                    [&](std::size_t index, std::size_t thread) {
                        backend_.makeCurrent();
                        Lane& lane = lanes_[thread];
                        const std::size_t turn = lane.turn++ % 2;
                        lane.copied[turn].synchronize();
                        cut(index, lane.buffer[turn].data());
                        copyBlock(lane, turn, places[index], true);
                    });
        for (const Lane& lane : lanes_) lane.stream.synchronize();
    }
    void store(const std::vector<BlockPlace>& places,
               const std::function<void(std::size_t, const std::byte*)>& paste) override {
        constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
        makeLanes(places.size());
        std::vector<std::size_t> underWay(lanes_.size(), none);  // the block that came last, of each lane
        const auto settle = [&](std::size_t thread) {
            Lane& lane = lanes_[thread];
            const std::size_t index = std::exchange(underWay[thread], none);
            if (index == none) return;
            const std::size_t turn = (lane.turn - 1) % 2;
            lane.copied[turn].synchronize();
            paste(index, lane.buffer[turn].data());
        };
        const auto threads = static_cast<int>(lanes_.size());
        parallelFor(threads, places.size(), [&](std::size_t index, std::size_t thread) {
            backend_.makeCurrent();
            Lane& lane = lanes_[thread];
            copyBlock(lane, lane.turn % 2, places[index], false);
            settle(thread);
            ++lane.turn;
            underWay[thread] = index;
        });
        parallelFor(threads, lanes_.size(), [&](std::size_t lane, std::size_t) {
            backend_.makeCurrent();
            settle(lane);
        });
    }
    bool copiesBeside() const override { return true; }

    void gather(SharedMatrix matrix, std::size_t k) override {
        for (const std::size_t block : ownOfPanel(matrix, k)) {
            const MatrixOnDevice<T> to = panelBlock({matrix, k, block});
            const bool isTurned = block < k && matrix != SharedMatrix::HalfWay;
            if (isTurned)
                launchTranspose(onPanels(), constant(at(matrix, block, k)), side_, side_, to);
            else
                copy(at(matrix, k, block), to);
            // Of a block on the diagonal, the part above it counts.
            if (block == k && matrix != SharedMatrix::HalfWay)
                launchSymmetrize(onPanels(), to.data, layout_.range(k).size(), side_,
                                 matrix == SharedMatrix::Upper ? kFarAway<T> : T(0));
        }
    }

    void closePivot(std::size_t k) override {
        if (layout_.ownerOf(k, k) == self_)
            launchClosure<T>(onPanels(), panelBlock({SharedMatrix::Upper, k, k}), side_);
    }

    void finishPanel(std::size_t k) override {
        const std::vector<std::size_t> own = ownOfPanel(SharedMatrix::Upper, k);
        if (own.empty()) return;
        const auto part = [&](const DeviceBuffer<T>& wide, std::size_t place) {
            return MatrixOnDevice<T>{wide.data() + place * side_, wideStride_};
        };
        for (std::size_t place = 0; place < own.size(); ++place)
            copy(panelBlock({SharedMatrix::Upper, k, own[place]}), part(gathered_, place));
        const MatrixOnDevice<const T> before = constant(part(gathered_, 0));
        launchProduct(onPanels(), Semiring::MinPlus,
                      Product<T>{constant(panelBlock({SharedMatrix::Upper, k, k})), before, before,
                                 part(finished_, 0), side_, own.size() * side_, side_});
        for (std::size_t place = 0; place < own.size(); ++place) {
            const std::size_t block = own[place];
            const MatrixOnDevice<T> finished = part(finished_, place);
            copy(finished, panelBlock({SharedMatrix::Upper, k, block}));
            if (block < k)
                launchTranspose(onPanels(), constant(finished), side_, side_,
                                at(SharedMatrix::Upper, block, k));
            else
                copy(finished, at(SharedMatrix::Upper, k, block));
        }
    }

    void preparePanel(SharedMatrix raised, std::size_t k) override {
        Panels& panels = slot(k);
        const bool isProduct = raised != SharedMatrix::Upper;
        const SharedMatrix left = raised == SharedMatrix::HalfWay ? SharedMatrix::Lower
                                  : isProduct                     ? SharedMatrix::HalfWay
                                                                  : SharedMatrix::Upper;
        for (std::size_t place = 0; place < rows_.size(); ++place)
            copy(panelBlock({left, k, rows_[place]}), {panels.ofRows.data() + place * side_, height_});
        for (std::size_t place = 0; place < columns_.size(); ++place)
            copy(panelBlock({SharedMatrix::Upper, k, columns_[place]}),
                 {panels.ofColumns.data() + place * side_, width_});
        if (isProduct) {
            launchNegate(onPanels(), panels.ofColumns.data(), panels.ofColumns.data(), side_ * width_);
            const PrunedProduct<T> product = productOf(raised, k);
            launchLargest(onPanels(), product, tileSide_, tables(product, k));
        }
        panels.ready.record(panelStream_);
    }

    void relaxBand(std::size_t k, std::size_t next) override {
        if (layout_.hasRow(self_, next))
            relax(panelStream_, k, next / layout_.gridRows(), 1, columnsFrom(next), columns_.size());
        if (layout_.hasColumn(self_, next)) {
            const std::size_t column = next / layout_.gridColumns();
            const auto above = std::ranges::lower_bound(rows_, k) - rows_.begin();
            relax(panelStream_, k, 0, static_cast<std::size_t>(above), column, column + 1);
        }
    }

    void beginRest(std::size_t k, std::size_t next) override {
        for (const Stream& stream : rest_) stream.waitFor(slot(k).ready);
        std::size_t turn = 0;
        for (std::size_t place = 0; place < rows_.size(); ++place) {
            const std::size_t row = rows_[place];
            if (row == k || row == next) continue;
            if (row < k) relax(rest_[turn], k, place, 1, columnsFrom(row), columnsFrom(k));
            relax(rest_[turn], k, place, 1, columnsFrom(std::max(row, next + 1)), columns_.size());
            turn = 1 - turn;
        }
    }

    void beginProduct(SharedMatrix raised) override {
        // The second product starts from the first one's result; the lower bounds are not needed any more.
        const bool isHalfWay = raised == SharedMatrix::HalfWay;
        for (const std::size_t row : rows_)
            for (const std::size_t column : columns_)
                if (row <= column)
                    copy(at(isHalfWay ? SharedMatrix::Lower : SharedMatrix::HalfWay, row, column),
                         at(raised, row, column));
        for (std::size_t k = 0; k < 2; ++k) {
            const PrunedProduct<T> product = productOf(raised, k);
            launchSmallest(onPanels(), product, tileSide_, tables(product, k));
        }
    }

    void beginRaise(SharedMatrix raised, std::size_t k) override {
        for (const Stream& stream : rest_) stream.waitFor(slot(k).ready);
        const PrunedProduct<T> product = productOf(raised, k);
        const std::size_t tiles = side_ / tileSide_;  // of a block
        std::size_t turn = 0;
        for (std::size_t place = 0; place < rows_.size(); ++place) {
            const std::size_t first = raised == SharedMatrix::Lower ? columnsFrom(rows_[place]) : 0;
            if (first == columns_.size()) continue;
            launchPrunedProduct(onRest(turn), product, tileSide_, tables(product, k),
                                {place * tiles, (place + 1) * tiles}, first * tiles, nullptr);
            turn = 1 - turn;
        }
    }

    void wait() override {
        for (const Stream& stream : rest_) stream.synchronize();
    }

    void settle() override { panelStream_.synchronize(); }
    const std::byte* give(const PanelBlock& block) override {
        GLYCINE_CUDA(cudaMemcpyAsync(room(block), panelBlock(block).data, blockBytes(),
                                     cudaMemcpyDeviceToHost, panelStream_.handle()));
        panelStream_.synchronize();
        return room(block);
    }
    std::byte* room(const PanelBlock& block) override {
        PinnedBuffer& staging = staging_[panelOf(block.matrix)];
        if (staging.bytes() == 0) staging = PinnedBuffer((members_ + 1) * blockBytes());
        return staging.data() + places_[block.block] * blockBytes();
    }
    void received(const PanelBlock& block) override {
        GLYCINE_CUDA(cudaMemcpyAsync(panelBlock(block).data, room(block), blockBytes(),
                                     cudaMemcpyHostToDevice, panelStream_.handle()));
    }
    void copyFrom(BlockWorker& other, const PanelBlock& block) override {
        auto& source = dynamic_cast<CudaBlocks&>(other);
        const int from = source.backend_.deviceIndex();
        const int to = backend_.deviceIndex();
        if (from != to && peers_.insert(from).second) {
            int isPeer = 0;
            GLYCINE_CUDA(cudaDeviceCanAccessPeer(&isPeer, to, from));
            // Without it the driver goes through the host. Another worker may have enabled it.
            if (isPeer != 0 && cudaDeviceEnablePeerAccess(from, 0) != cudaSuccess) cudaGetLastError();
        }
        GLYCINE_CUDA(cudaMemcpyPeerAsync(panelBlock(block).data, to, source.panelBlock(block).data, from,
                                         blockBytes(), panelStream_.handle()));
    }

  private:
    /// What is there of a round's panels.
    struct Panels {
        DeviceBuffer<T> blocks[2];  ///< of the upper bounds; of the other operand of a product
        DeviceBuffer<T> ofRows, ofColumns;
        DeviceBuffer<T> tables;
        Event ready;
    };

    /// A thread that copies blocks, by two buffers in turn.
    struct Lane {
        Stream stream;
        Event copied[2];
        PinnedBuffer buffer[2];
        std::size_t turn = 0;
    };

    /// As many as pay, shared by all workers of the host.
    static int copyThreads(std::size_t workersOnHost) {
        constexpr std::size_t most = 16;
        const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
        return static_cast<int>(std::clamp<std::size_t>(threads / workersOnHost, 1, most));
    }
    void makeLanes(std::size_t blocks) {
        backend_.makeCurrent();
        const std::size_t wanted = std::clamp<std::size_t>(blocks, 1, static_cast<std::size_t>(threads()));
        while (lanes_.size() < wanted) {
            Lane lane;
            for (PinnedBuffer& buffer : lane.buffer) buffer = PinnedBuffer(blockBytes());
            lanes_.push_back(std::move(lane));
        }
    }
    void copyBlock(Lane& lane, std::size_t turn, const BlockPlace& place, bool toDevice) {
        const MatrixOnDevice<T> block = at(place.matrix, place.row, place.column);
        std::byte* const host = lane.buffer[turn].data();
        const std::size_t row = side_ * sizeof(T), stride = block.stride * sizeof(T);
        if (toDevice)
            GLYCINE_CUDA(cudaMemcpy2DAsync(block.data, stride, host, row, row, side_, cudaMemcpyDefault,
                                           lane.stream.handle()));
        else
            GLYCINE_CUDA(cudaMemcpy2DAsync(host, row, block.data, stride, row, side_, cudaMemcpyDefault,
                                           lane.stream.handle()));
        lane.copied[turn].record(lane.stream);
    }

    Launch onPanels() const { return {panelStream_.handle(), backend_.multiprocessors()}; }
    Launch onRest(std::size_t stream) const { return {rest_[stream].handle(), backend_.multiprocessors()}; }
    static MatrixOnDevice<const T> constant(MatrixOnDevice<T> matrix) { return {matrix.data, matrix.stride}; }
    static std::size_t panelOf(SharedMatrix matrix) { return matrix == SharedMatrix::Upper ? 0 : 1; }
    Panels& slot(std::size_t k) { return slots_[k % 2]; }
    T* elementsOf(SharedMatrix matrix) const { return matrices_[static_cast<std::size_t>(matrix)].data(); }
    MatrixOnDevice<T> at(SharedMatrix which, std::size_t row, std::size_t column) const {
        return {elementsOf(which) + row / layout_.gridRows() * side_ * width_ +
                    column / layout_.gridColumns() * side_,
                width_};
    }
    MatrixOnDevice<T> panelBlock(const PanelBlock& block) {
        return {slot(block.k).blocks[panelOf(block.matrix)].data() + places_[block.block] * side_ * side_,
                side_};
    }
    /// Place of the first own column of blocks that is no earlier one.
    std::size_t columnsFrom(std::size_t block) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(columns_, block) - columns_.begin());
    }
    std::vector<std::size_t> ownOfPanel(SharedMatrix matrix, std::size_t k) const {
        std::vector<std::size_t> own;
        for (std::size_t block = 0; block < layout_.count(); ++block) {
            const bool isTurned = block < k && matrix != SharedMatrix::HalfWay;
            if ((isTurned ? layout_.ownerOf(block, k) : layout_.ownerOf(k, block)) == self_)
                own.push_back(block);
        }
        return own;
    }
    void copy(MatrixOnDevice<T> from, MatrixOnDevice<T> to) const {
        GLYCINE_CUDA(cudaMemcpy2DAsync(to.data, to.stride * sizeof(T), from.data, from.stride * sizeof(T),
                                       side_ * sizeof(T), side_, cudaMemcpyDeviceToDevice,
                                       panelStream_.handle()));
    }

    /// Own blocks in `rows` rows of blocks and columns [first, last), counted among the own ones.
    void relax(const Stream& stream, std::size_t k, std::size_t row, std::size_t rows, std::size_t first,
               std::size_t last) {
        if (rows == 0 || first >= last) return;
        Panels& panels = slot(k);
        const MatrixOnDevice<T> blocks{elementsOf(SharedMatrix::Upper) + row * side_ * width_ + first * side_,
                                       width_};
        launchProduct(Launch{stream.handle(), backend_.multiprocessors()}, Semiring::MinPlus,
                      Product<T>{{panels.ofRows.data() + row * side_, height_},
                                 {panels.ofColumns.data() + first * side_, width_},
                                 constant(blocks),
                                 blocks,
                                 rows * side_,
                                 (last - first) * side_,
                                 side_});
    }

    PrunedProduct<T> productOf(SharedMatrix raised, std::size_t k) {
        Panels& panels = slot(k);
        T* const result = elementsOf(raised);
        return {.a = {panels.ofRows.data(), height_},
                .b = {panels.ofColumns.data(), width_},
                .start = {result, width_},
                .c = {result, width_},
                .rows = height_,
                .columns = width_,
                .depth = side_};
    }
    PruningTables<T> tables(const PrunedProduct<T>& product, std::size_t k) {
        return pruningTables(product, tileSide_, slot(k).tables.data());
    }

    const BlockLayout layout_;
    std::size_t self_;
    CudaBackend& backend_;
    std::size_t side_;
    std::vector<std::size_t> rows_, columns_;  ///< of blocks, the own ones
    std::size_t members_ = 0;                  ///< blocks of a panel that are needed
    std::vector<std::size_t> places_;          ///< of blocks in panels
    std::size_t height_ = 0, width_ = 0;       ///< of all own blocks, in atoms
    std::size_t wideStride_ = 0;
    std::size_t tileSide_ = 0;
    DeviceBuffer<T> matrices_[3];
    DeviceBuffer<T> gathered_, finished_;  ///< own blocks of a panel, side by side
    Panels slots_[2];
    PinnedBuffer staging_[2];
    std::vector<Lane> lanes_;
    std::set<int> peers_;
    Stream panelStream_;
    Stream rest_[2];
};

}  // namespace

std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, CudaBackend& backend) {
    backend.makeCurrent();
    return withNumberOf(part.format, [&]<class T>(T) -> std::unique_ptr<BlockWorker> {
        return std::make_unique<CudaBlocks<T>>(part, backend);
    });
}

}  // namespace glycine::bounds::cuda
