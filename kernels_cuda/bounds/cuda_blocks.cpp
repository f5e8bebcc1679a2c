#include "kernels_cuda/bounds/cuda_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// A worker's own blocks form one matrix without gaps, so that one launch can process a row of blocks. Panels
/// arrive as contiguous blocks and are laid out as operands of products: one strip over the worker's rows,
/// and one over its columns. The panel's stream has priority over the streams of the rest.
///
/// A matrix that does not fit on the device is in page-locked memory of the host. Its rows of blocks are
/// copied into a window on the device, changed by the panels of several rounds, and copied back; two streams
/// take turns, so that one copies while the other computes.
namespace glycine::bounds::cuda {

namespace {

using namespace glycine::cuda;

/// Most rounds at a time: blocks of 512 atoms take less time on the bus than the sums of eight rounds.
constexpr std::size_t kMaxDepth = 8;

std::size_t matricesOf(bool withLower) {
    return withLower ? 3 : 1;
}

/// What needs memory, for errors.
std::string nameOfShare(const BlockLayout& layout) {
    if (layout.workers() == 1) return fmt::format("smoothing {} atoms", layout.atoms());
    return fmt::format("a share of {} atoms among {} devices", layout.atoms(), layout.workers());
}
std::size_t panelsOf(bool withLower) {
    return withLower ? 2 : 1;
}

/// Own blocks of a worker, and the memory that they take.
template <class T>
struct BlockShape : OwnBlocks {
    BlockShape(const BlockLayout& layout, std::size_t self, const Launch& launch)
        : OwnBlocks(layout, self), side(layout.side()) {
        for (std::size_t block = 0; block < layout.count(); ++block) {
            places.push_back(members);
            if (layout.needs(self, block)) ++members;
        }
        // A worker without blocks has memory as for one.
        height = std::max<std::size_t>(rows.size(), 1) * side;
        width = std::max<std::size_t>(columns.size(), 1) * side;
        wideStride = (rows.size() + columns.size() + 1) * side;
        tileSide = prunedTileSide<T>(launch, std::min(height, width));
    }

    /// Device memory for `residents` whole matrices and `depth` rounds at a time.
    std::size_t deviceBytes(bool withLower, std::size_t residents, std::size_t depth) const {
        const std::size_t tables = withLower ? pruningTableSize<T>(height, width, side, tileSide) : 0;
        const std::size_t rowTables = withLower ? 2 * pruningTableSize<T>(side, width, side, tileSide) : 0;
        return sizeof(T) * (residents * height * width + 2 * side * wideStride +
                            2 * panelsOf(withLower) * (members + 1) * side * side +
                            2 * depth * (side * (height + width) + tables) +
                            (residents < matricesOf(withLower) ? 3 * side * width + rowTables : 0));
    }
    std::size_t matrixBytes() const { return height * width * sizeof(T); }

    std::size_t side = 0;
    std::size_t members = 0;            ///< blocks of a panel that are needed
    std::vector<std::size_t> places;    ///< of blocks in panels
    std::size_t height = 0, width = 0;  ///< of all own blocks, in atoms
    std::size_t wideStride = 0;
    std::size_t tileSide = 0;
};

template <class T>
class CudaBlocks final : public BlockWorker {
  public:
    CudaBlocks(const WorkerPart& part, CudaBackend& backend)
        : BlockWorker(part.layout.side() * part.layout.side() * sizeof(T), copyThreads(part.workersOnHost)),
          layout_(part.layout),
          self_(part.self),
          backend_(backend),
          side_(layout_.side()),
          panelStream_(Stream::Priority::High),
          shape_(layout_, self_, onPanels()) {
        const bool withLower = part.hasLower;
        const Room room = decide(withLower, part.hostBytes);
        for (const SharedMatrix matrix : {SharedMatrix::Upper, SharedMatrix::HalfWay, SharedMatrix::Lower}) {
            if (matrix != SharedMatrix::Upper && !withLower) break;
            const auto index = static_cast<std::size_t>(matrix);
            isResident_[index] = static_cast<std::size_t>(matricesByUse(matrix)) < room.residents;
            if (isResident_[index])
                matrices_[index] = DeviceBuffer<T>(backend.memory(), shape_.height * shape_.width);
            else
                onHost_[index] = PinnedBuffer(shape_.height * shape_.width * sizeof(T));
        }
        setDepth(room.depth);
        gathered_ = DeviceBuffer<T>(backend.memory(), side_ * shape_.wideStride);
        finished_ = DeviceBuffer<T>(backend.memory(), side_ * shape_.wideStride);
        for (auto& slot : blocks_)
            for (std::size_t panel = 0; panel < panelsOf(withLower); ++panel)
                slot[panel] = DeviceBuffer<T>(backend.memory(), (shape_.members + 1) * side_ * side_);
        slots_.resize(2 * depth());
        for (Panels& slot : slots_) {
            slot.ofRows = DeviceBuffer<T>(backend.memory(), side_ * shape_.height);
            slot.ofColumns = DeviceBuffer<T>(backend.memory(), side_ * shape_.width);
            if (withLower)
                slot.tables =
                    DeviceBuffer<T>(backend.memory(),
                                    pruningTableSize<T>(shape_.height, shape_.width, side_, shape_.tileSide));
        }
        if (room.residents == matricesOf(withLower)) return;
        for (DeviceBuffer<T>& window : windows_)
            window = DeviceBuffer<T>(backend.memory(), side_ * shape_.width);
        if (withLower)
            for (DeviceBuffer<T>& tables : rowTables_)
                tables = DeviceBuffer<T>(backend.memory(),
                                         pruningTableSize<T>(side_, shape_.width, side_, shape_.tileSide));
    }

    /// Threads fill page-locked buffers with blocks while the device copies from other buffers.
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
    bool canCopyDuringRounds() const override { return true; }
    std::string note() const override {
        std::size_t bytes = 0;
        for (const PinnedBuffer& matrix : onHost_) bytes += matrix.bytes();
        if (bytes == 0) return {};
        return fmt::format("{} of blocks in the host's memory, {} rounds at a time", formatBytes(bytes),
                           depth());
    }

    void gather(SharedMatrix matrix, std::size_t k) override {
        for (const std::size_t block : ownOfPanel(matrix, k)) {
            const MatrixOnDevice<T> to = panelBlock({matrix, k, block});
            const bool isTurned = block < k && matrix != SharedMatrix::HalfWay;
            if (isTurned)
                launchTranspose(onPanels(), constant(at(matrix, block, k)), side_, side_, to);
            else
                copy(at(matrix, k, block), to);
            // Only the part of a diagonal block above the diagonal is defined.
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
            return MatrixOnDevice<T>{wide.data() + place * side_, shape_.wideStride};
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
        for (std::size_t place = 0; place < shape_.rows.size(); ++place)
            copy(panelBlock({left, k, shape_.rows[place]}),
                 {panels.ofRows.data() + place * side_, shape_.height});
        for (std::size_t place = 0; place < shape_.columns.size(); ++place)
            copy(panelBlock({SharedMatrix::Upper, k, shape_.columns[place]}),
                 {panels.ofColumns.data() + place * side_, shape_.width});
        if (isProduct)
            launchNegate(onPanels(), panels.ofColumns.data(), panels.ofColumns.data(), side_ * shape_.width);
        if (isProduct && isResident(raised)) {
            const PrunedProduct<T> product = productOf(raised, k);
            launchLargest(onPanels(), product, shape_.tileSide, tables(product, k));
        }
        panels.ready.record(panelStream_);
    }

    void relaxAhead(Range rounds, Range next) override {
        for (std::size_t place = firstOf(shape_.rows, next.begin); place < firstOf(shape_.rows, next.end);
             ++place)
            relaxRow(panelStream_, kPanelWindow, rounds, place,
                     ownIn(place, {shape_.rows[place], layout_.count()}));
        if (isResident(SharedMatrix::Upper)) {
            for (std::size_t k = rounds.begin; k < rounds.end; ++k)
                relaxRows(k, firstOf(shape_.rows, k), next);
            return;
        }
        for (std::size_t place = 0; place < firstOf(shape_.rows, rounds.end); ++place)
            relaxRow(panelStream_, kPanelWindow, after(rounds, shape_.rows[place]), place,
                     ownIn(place, next));
    }

    void beginRest(Range rounds, Range next) override {
        waitForPanels(rounds);
        std::size_t turn = 0;
        for (std::size_t place = 0; place < shape_.rows.size(); ++place) {
            const std::size_t row = shape_.rows[place];
            if (row >= next.begin && row < next.end) continue;
            const auto relaxColumns = [&](Range through, std::size_t first, std::size_t last) {
                relaxRow(rest_[turn], turn, through, place, ownIn(place, {first, last}));
            };
            if (row < rounds.begin) relaxColumns(rounds, row, rounds.begin);
            for (std::size_t column = std::max(row, rounds.begin); column < rounds.end; ++column)
                relaxColumns(after(rounds, column), column, column + 1);
            relaxColumns(after(rounds, row), std::max(row, next.end), layout_.count());
            turn = 1 - turn;
        }
    }

    void beginProduct(SharedMatrix raised) override {
        // The second product starts from the first one's result; the lower bounds are not needed any more.
        const bool isHalfWay = raised == SharedMatrix::HalfWay;
        // Copies within the host's memory need not wait for the stream.
        panelStream_.synchronize();
        for (const std::size_t row : shape_.rows)
            for (const std::size_t column : shape_.columns)
                if (row <= column && layout_.ownerOf(row, column) == self_)
                    copy(at(isHalfWay ? SharedMatrix::Lower : SharedMatrix::HalfWay, row, column),
                         at(raised, row, column));
        if (!isResident(raised)) return;
        for (std::size_t k = 0; k < slots_.size(); ++k) {
            const PrunedProduct<T> product = productOf(raised, k);
            launchSmallest(onPanels(), product, shape_.tileSide, tables(product, k));
        }
    }

    void beginRaise(SharedMatrix raised, Range rounds) override {
        waitForPanels(rounds);
        const std::size_t tiles = side_ / shape_.tileSide;  // of a block
        for (std::size_t place = 0; place < shape_.rows.size(); ++place) {
            const Range own =
                ownIn(place,
                      {raised == SharedMatrix::Lower ? shape_.rows[place] : std::size_t{0}, layout_.count()});
            if (own.size() == 0) continue;
            const std::size_t turn = place % 2;
            if (isResident(raised)) {
                for (std::size_t k = rounds.begin; k < rounds.end; ++k) {
                    const PrunedProduct<T> product = productOf(raised, k);
                    launchPrunedProduct(onRest(turn), product, shape_.tileSide, tables(product, k),
                                        {place * tiles, (place + 1) * tiles},
                                        {own.begin * tiles, own.end * tiles}, nullptr);
                }
                continue;
            }
            throughWindow(rest_[turn], turn, blocksAt(raised, place, own.begin), own.size() * side_,
                          [&](MatrixOnDevice<T> blocks) {
                              for (std::size_t k = rounds.begin; k < rounds.end; ++k)
                                  raiseRow(turn, k, place, own, blocks);
                          });
        }
    }

    void wait() override {
        for (const Stream& stream : rest_) stream.synchronize();
    }

    void settle() override { panelStream_.synchronize(); }
    const std::byte* give(const PanelBlock& block) override {
        // Perhaps on the thread of another worker.
        backend_.makeCurrent();
        GLYCINE_CUDA(cudaMemcpyAsync(room(block), panelBlock(block).data, blockBytes(),
                                     cudaMemcpyDeviceToHost, panelStream_.handle()));
        panelStream_.synchronize();
        return room(block);
    }
    std::byte* room(const PanelBlock& block) override {
        const std::size_t panel = panelOf(block.matrix);
        PinnedBuffer& staging = staging_[panel];
        std::call_once(isStaging_[panel],
                       [&] { staging = PinnedBuffer((shape_.members + 1) * blockBytes()); });
        return staging.data() + shape_.places[block.block] * blockBytes();
    }
    void received(const PanelBlock& block) override {
        GLYCINE_CUDA(cudaMemcpyAsync(panelBlock(block).data, room(block), blockBytes(),
                                     cudaMemcpyHostToDevice, panelStream_.handle()));
    }
    void copyFrom(BlockWorker& other, const PanelBlock& block) override {
        auto* const source = dynamic_cast<CudaBlocks*>(&other);
        if (source == nullptr) return BlockWorker::copyFrom(other, block);
        const int from = source->backend_.deviceIndex();
        const int to = backend_.deviceIndex();
        if (from != to && peers_.insert(from).second) {
            int isPeer = 0;
            GLYCINE_CUDA(cudaDeviceCanAccessPeer(&isPeer, to, from));
            // Without peer access the driver copies through the host. Another worker may have enabled it.
            if (isPeer != 0 && cudaDeviceEnablePeerAccess(from, 0) != cudaSuccess) cudaGetLastError();
        }
        GLYCINE_CUDA(cudaMemcpyPeerAsync(panelBlock(block).data, to, source->panelBlock(block).data, from,
                                         blockBytes(), panelStream_.handle()));
    }

  private:
    static constexpr std::size_t kPanelWindow = 2;

    /// A round's panels as operands.
    struct Panels {
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

    /// Number of copying threads of a worker: all workers of the host share its processors, and more than
    /// `most` gain nothing.
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
        auto* const host = reinterpret_cast<T*>(lane.buffer[turn].data());
        const MatrixOnDevice<T> buffer{host, side_};
        if (!isResident(place.matrix)) {
            for (std::size_t row = 0; row < side_; ++row)
                std::copy_n((toDevice ? buffer : block).at(row, 0), side_,
                            (toDevice ? block : buffer).at(row, 0));
            return;
        }
        copy(toDevice ? buffer : block, toDevice ? block : buffer, side_, lane.stream);
        lane.copied[turn].record(lane.stream);
    }

    /// Rank of the matrix; those that gain most from the device's memory come first.
    static std::size_t matricesByUse(SharedMatrix matrix) {
        return matrix == SharedMatrix::Upper ? 0 : matrix == SharedMatrix::HalfWay ? 1 : 2;
    }

    /// Matrices on the device, and rounds at a time.
    struct Room {
        std::size_t residents, depth;
    };
    /// `hostBytes`: for matrices that the device has no room for. Throws UnavailableError where device or
    /// host have none.
    Room decide(bool withLower, std::uint64_t hostBytes) const {
        const std::size_t matrices = matricesOf(withLower);
        const std::size_t available = backend_.memory().available();
        const auto fits = [&](std::size_t residents, std::size_t depth) {
            return shape_.deviceBytes(withLower, residents, depth) <= available;
        };
        if (fits(matrices, 1)) return {matrices, 1};
        const auto residentsAt = [&](std::size_t depth) {
            return largestFitting(matrices - 1,
                                  [&](std::size_t residents) { return fits(residents, depth); });
        };
        const std::size_t mostResidents = residentsAt(1);
        const std::size_t least = matrices - mostResidents;  // matrices of the host
        const std::string share = nameOfShare(layout_);
        if (!fits(mostResidents, 1))
            throw UnavailableError(lackOfDeviceMemory(
                share, static_cast<double>(shape_.deviceBytes(withLower, 0, 1)), available));
        if (least * shape_.matrixBytes() > hostBytes)
            throw UnavailableError(fmt::format(
                "{} needs {} of the host's memory for what its device has no room for, and {} are free",
                share, formatBytes(least * shape_.matrixBytes()), formatBytes(hostBytes)));
        const std::size_t depth =
            largestFitting(std::min(kMaxDepth, layout_.count()), [&](std::size_t rounds) {
                const std::size_t residents = residentsAt(rounds);
                return fits(residents, rounds) && (matrices - residents) * shape_.matrixBytes() <= hostBytes;
            });
        return {residentsAt(depth), depth};
    }

    Launch onPanels() const { return {panelStream_.handle(), backend_.multiprocessors()}; }
    Launch onRest(std::size_t stream) const { return {rest_[stream].handle(), backend_.multiprocessors()}; }
    static MatrixOnDevice<const T> constant(MatrixOnDevice<T> matrix) { return {matrix.data, matrix.stride}; }
    static std::size_t panelOf(SharedMatrix matrix) { return matrix == SharedMatrix::Upper ? 0 : 1; }
    Panels& slot(std::size_t k) { return slots_[k % slots_.size()]; }
    bool isResident(SharedMatrix matrix) const { return isResident_[static_cast<std::size_t>(matrix)]; }
    /// From the block of these places among own rows and columns on. The device reads the host's memory, too.
    MatrixOnDevice<T> blocksAt(SharedMatrix which, std::size_t row, std::size_t column) const {
        const auto index = static_cast<std::size_t>(which);
        T* const elements =
            isResident_[index] ? matrices_[index].data() : reinterpret_cast<T*>(onHost_[index].data());
        return {elements + row * side_ * shape_.width + column * side_, shape_.width};
    }
    MatrixOnDevice<T> at(SharedMatrix which, std::size_t row, std::size_t column) const {
        return blocksAt(which, shape_.rowPlaces[row], shape_.columnPlaces[column]);
    }
    MatrixOnDevice<T> panelBlock(const PanelBlock& block) {
        return {
            blocks_[block.k % 2][panelOf(block.matrix)].data() + shape_.places[block.block] * side_ * side_,
            side_};
    }
    /// Index in `own` of the first block that is at or after `block`.
    static std::size_t firstOf(const std::vector<std::size_t>& own, std::size_t block) {
        return static_cast<std::size_t>(std::ranges::lower_bound(own, block) - own.begin());
    }
    /// The range of own columns, as indices, whose blocks of own row `row` are in `columns`.
    Range ownIn(std::size_t row, Range columns) const {
        const Range all = layout_.columnsOf(self_, shape_.rows[row]);
        const std::size_t first = firstOf(shape_.columns, std::max(columns.begin, all.begin));
        return {first, std::max(first, firstOf(shape_.columns, std::min(columns.end, all.end)))};
    }
    /// The rounds of `rounds` after round k.
    static Range after(Range rounds, std::size_t k) {
        return k >= rounds.begin && k < rounds.end ? Range{k + 1, rounds.end} : rounds;
    }
    void waitForPanels(Range rounds) {
        for (const Stream& stream : rest_) stream.waitFor(slot(rounds.end - 1).ready);
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
    /// A row of blocks, `columns` atoms wide.
    void copy(MatrixOnDevice<T> from, MatrixOnDevice<T> to, std::size_t columns, const Stream& stream) const {
        GLYCINE_CUDA(cudaMemcpy2DAsync(to.data, to.stride * sizeof(T), from.data, from.stride * sizeof(T),
                                       columns * sizeof(T), side_, cudaMemcpyDefault, stream.handle()));
    }
    void copy(MatrixOnDevice<T> from, MatrixOnDevice<T> to) const { copy(from, to, side_, panelStream_); }

    /// Blocks in `rows` rows of blocks from place `row` on and columns [first, last), counted among own ones.
    void relax(const Stream& stream, std::size_t k, MatrixOnDevice<T> blocks, std::size_t row,
               std::size_t rows, std::size_t first, std::size_t last) {
        if (rows == 0 || first >= last) return;
        Panels& panels = slot(k);
        launchProduct(Launch{stream.handle(), backend_.multiprocessors()}, Semiring::MinPlus,
                      Product<T>{{panels.ofRows.data() + row * side_, shape_.height},
                                 {panels.ofColumns.data() + first * side_, shape_.width},
                                 constant(blocks),
                                 blocks,
                                 rows * side_,
                                 (last - first) * side_,
                                 side_});
    }
    /// The same for own blocks of the first `rows` own rows in these columns, on the panel's stream. Rows
    /// with the same own columns take one launch.
    void relaxRows(std::size_t k, std::size_t rows, Range columns) {
        for (std::size_t row = 0; row < rows;) {
            const Range own = ownIn(row, columns);
            std::size_t end = row + 1;
            while (end < rows && ownIn(end, columns) == own) ++end;
            relax(panelStream_, k, blocksAt(SharedMatrix::Upper, row, own.begin), row, end - row, own.begin,
                  own.end);
            row = end;
        }
    }
    /// The same for one row, through several rounds. `columns`: places.
    void relaxRow(const Stream& stream, std::size_t window, Range rounds, std::size_t row, Range columns) {
        if (rounds.size() == 0 || columns.size() == 0) return;
        const auto work = [&](MatrixOnDevice<T> blocks) {
            for (std::size_t k = rounds.begin; k < rounds.end; ++k)
                relax(stream, k, blocks, row, 1, columns.begin, columns.end);
        };
        const MatrixOnDevice<T> blocks = blocksAt(SharedMatrix::Upper, row, columns.begin);
        if (isResident(SharedMatrix::Upper))
            work(blocks);
        else
            throughWindow(stream, window, blocks, columns.size() * side_, work);
    }
    /// Blocks of the host's memory, while the work is done on the device.
    template <class Work>
    void throughWindow(const Stream& stream, std::size_t window, MatrixOnDevice<T> blocks,
                       std::size_t columns, const Work& work) const {
        const MatrixOnDevice<T> inside{windows_[window].data(), shape_.width};
        copy(blocks, inside, columns, stream);
        work(inside);
        copy(inside, blocks, columns, stream);
    }
    void raiseRow(std::size_t turn, std::size_t k, std::size_t row, Range columns, MatrixOnDevice<T> blocks) {
        Panels& panels = slot(k);
        const PrunedProduct<T> product{.a = {panels.ofRows.data() + row * side_, shape_.height},
                                       .b = {panels.ofColumns.data() + columns.begin * side_, shape_.width},
                                       .start = constant(blocks),
                                       .c = blocks,
                                       .rows = side_,
                                       .columns = columns.size() * side_,
                                       .depth = side_};
        const PruningTables<T> tables = pruningTables(product, shape_.tileSide, rowTables_[turn].data());
        launchLargest(onRest(turn), product, shape_.tileSide, tables);
        launchSmallest(onRest(turn), product, shape_.tileSide, tables);
        launchPrunedProduct(onRest(turn), product, shape_.tileSide, tables, {0, side_ / shape_.tileSide},
                            {0, product.columns / shape_.tileSide}, nullptr);
    }

    PrunedProduct<T> productOf(SharedMatrix raised, std::size_t k) {
        Panels& panels = slot(k);
        const MatrixOnDevice<T> result = blocksAt(raised, 0, 0);
        return {.a = {panels.ofRows.data(), shape_.height},
                .b = {panels.ofColumns.data(), shape_.width},
                .start = constant(result),
                .c = result,
                .rows = shape_.height,
                .columns = shape_.width,
                .depth = side_};
    }
    PruningTables<T> tables(const PrunedProduct<T>& product, std::size_t k) {
        return pruningTables(product, shape_.tileSide, slot(k).tables.data());
    }

    const BlockLayout layout_;
    std::size_t self_;
    CudaBackend& backend_;
    std::size_t side_;
    bool isResident_[3] = {};
    DeviceBuffer<T> matrices_[3];  ///< those on the device
    PinnedBuffer onHost_[3];       ///< the others
    DeviceBuffer<T>
        windows_[3];  ///< a row of own blocks of the latter: of each stream of the rest, of the panel's
    DeviceBuffer<T> rowTables_[2];
    DeviceBuffer<T> gathered_, finished_;  ///< own blocks of a panel, side by side
    DeviceBuffer<T> blocks_[2][2];  ///< of panels: of the upper bounds; of the other operand of a product
    std::vector<Panels> slots_;
    PinnedBuffer staging_[2];
    std::once_flag isStaging_[2];  ///< workers of the same process may ask for blocks at the same time
    std::vector<Lane> lanes_;
    std::set<int> peers_;
    Stream panelStream_;
    Stream rest_[2];
    const BlockShape<T> shape_;
};

}  // namespace

Support supportsShare(const BlockLayout& layout, NumberFormat format, CudaBackend& backend) {
    const std::size_t needed = withNumberOf(format, [&]<class T>(T) {
        return BlockShape<T>(layout, 0, {{}, backend.multiprocessors()}).deviceBytes(true, 0, 1);
    });
    const std::size_t available = backend.memory().available();
    if (needed <= available) return Support::yes();
    return Support::no(lackOfDeviceMemory(nameOfShare(layout), static_cast<double>(needed), available));
}

std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, CudaBackend& backend) {
    backend.makeCurrent();
    return withNumberOf(part.format, [&]<class T>(T) -> std::unique_ptr<BlockWorker> {
        return std::make_unique<CudaBlocks<T>>(part, backend);
    });
}

}  // namespace glycine::bounds::cuda
