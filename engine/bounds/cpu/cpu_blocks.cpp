#include "engine/bounds/cpu/cpu_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/bounds/cpu/dense_smoothing.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/storage/folder.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine::bounds::cpu {

namespace {

std::atomic<std::size_t> pretendedMemory{0};

/// Memory for blocks, not initialised, on a boundary of 64 bytes.
class BlockMemory {
  public:
    enum class Where {
        Memory,
        /// In a file without a name in the folder of temporary files ($TMPDIR): the system keeps in memory
        /// what it has room for.
        Disk,
    };

    BlockMemory() = default;
    /// Throws std::bad_alloc; Error where the disk has no room.
    BlockMemory(std::size_t bytes, Where where);
    std::byte* data() const { return file_ ? file_->mapping.bytes().data() : memory_->data(); }

  private:
    struct File {
        explicit File(std::size_t bytes);
        storage::OwnFile file;
        storage::WorkingFile mapping;
    };
    std::optional<LargeArray> memory_;
    std::unique_ptr<File> file_;
};

storage::OwnFile makeFile() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) throw Error("$TMPDIR: " + error.message() + "; expected a folder for blocks of the matrices");
    for (;;)
        if (auto file = storage::OwnFile::make(folder / storage::Folder::temporaryName()))
            return std::move(*file);
}

BlockMemory::File::File(std::size_t bytes) : file(makeFile()), mapping(file, bytes, false) {
    // The system frees it when the process ends, however that comes.
    std::error_code ignored;
    std::filesystem::remove(file.path(), ignored);
}

BlockMemory::BlockMemory(std::size_t bytes, Where where) {
    bytes = std::max<std::size_t>(bytes, 1);
    if (where == Where::Disk)
        file_ = std::make_unique<File>(bytes);
    else
        memory_.emplace(bytes);
}

template <class T>
class CpuBlocks final : public BlockWorker {
  public:
    CpuBlocks(const WorkerPart& part, int threads, const MinPlusKernel<T>& kernel, std::size_t memory)
        : BlockWorker(part.layout.side() * part.layout.side() * sizeof(T), threads),
          layout_(part.layout),
          self_(part.self),
          threads_(threads),
          kernel_(kernel),
          products_(kernel_, layout_.side()),
          side_(layout_.side()),
          diagonal_(1, packedSize<T>(side_, side_)) {
        const std::size_t count = layout_.count();
        for (std::size_t row = 0; row < count; ++row)
            for (std::size_t column = 0; column < count; ++column)
                if (layout_.ownerOf(row, column) == self_) {
                    all_.push_back({row, column});
                    if (row <= column) upperHalf_.push_back({row, column});
                }
        decide(part, memory);
        hold(SharedMatrix::Upper, upperHalf_);
        if (part.hasLower) {
            hold(SharedMatrix::Lower, upperHalf_);
            hold(SharedMatrix::HalfWay, all_);
        }
        slots_.resize(2 * depth());
        for (Panels& panels : slots_) {
            panels.blocks[0] = Matrix<T>(count, side_ * side_);
            if (part.hasLower) panels.blocks[1] = Matrix<T>(count, side_ * side_);
            panels.asA = Matrix<T>(count, packedSize<T>(side_, side_));
            panels.asB = Matrix<T>(count, packedSize<T>(side_, side_));
            for (Matrix<T>& best : panels.best) best = Matrix<T>(count, side_);
        }
        for (int thread = 0; thread < threads; ++thread) {
            scratch_.emplace_back(2, packedSize<T>(side_, side_));
            streaming_.emplace_back(1, packedSize<T>(side_, side_));
        }
    }

    void load(const std::vector<BlockPlace>& places,
              const std::function<void(std::size_t, std::byte*)>& cut) override {
        parallelFor(threads_, places.size(),
                    [&](std::size_t index, std::size_t) { cut(index, bytesOf(places[index])); });
    }
    void store(const std::vector<BlockPlace>& places,
               const std::function<void(std::size_t, const std::byte*)>& paste) override {
        parallelFor(threads_, places.size(),
                    [&](std::size_t index, std::size_t) { paste(index, bytesOf(places[index])); });
    }

    void gather(SharedMatrix matrix, std::size_t k) override {
        forOwnOfPanel(matrix, k, [&](std::size_t block, std::size_t) {
            T* const to = panelBlock({matrix, k, block});
            if (block < k && matrix != SharedMatrix::HalfWay)
                return products_.transpose(tile(matrix, block, k), to);
            std::memcpy(to, tile(matrix, k, block), blockBytes());
            // The part of a diagonal tile below the diagonal is undefined.
            for (std::size_t i = 0; block == k && matrix != SharedMatrix::HalfWay && i < side_; ++i)
                for (std::size_t j = i + 1; j < side_; ++j) to[j * side_ + i] = to[i * side_ + j];
        });
    }

    void closePivot(std::size_t k) override {
        if (layout_.ownerOf(k, k) == self_)
            products_.close(panelBlock({SharedMatrix::Upper, k, k}), layout_.range(k).size(), scratch_[0]);
    }

    void finishPanel(std::size_t k) override {
        const std::size_t depth = layout_.range(k).size();
        const T* const pivot = panelBlock({SharedMatrix::Upper, k, k});
        packStrips<T>(
            diagonal_.data(), kernel_.rows, depth, [&](std::size_t row) { return pivot + row * side_; },
            paddedSize(k), paddedSize(k), T(0));
        forOwnOfPanel(SharedMatrix::Upper, k, [&](std::size_t block, std::size_t thread) {
            T* const rows = panelBlock({SharedMatrix::Upper, k, block});
            if (block != k) {
                T* const before = scratch_[thread].data();
                packStrips<T>(
                    before, kernel_.columns, depth, [&](std::size_t row) { return rows + row * side_; },
                    paddedSize(block), paddedSize(block), T(0));
                products_.multiply(diagonal_.data(), before, depth, rows, paddedSize(k), paddedSize(block));
            }
            if (block < k)
                products_.transpose(rows, tile(SharedMatrix::Upper, block, k));
            else
                std::memcpy(tile(SharedMatrix::Upper, k, block), rows, blockBytes());
        });
    }

    void preparePanel(SharedMatrix raised, std::size_t k) override {
        parallelFor(threads_, layout_.count(), [&](std::size_t block, std::size_t) {
            const bool isA = layout_.hasRow(self_, block);
            const bool isB = layout_.hasColumn(self_, block);
            if (raised == SharedMatrix::Upper) {
                if (isA) pack(slot(k).asA, kernel_.rows, {SharedMatrix::Upper, k, block}, false);
                if (isB) pack(slot(k).asB, kernel_.columns, {SharedMatrix::Upper, k, block}, false);
                return;
            }
            // L ⊗ −U, and −U ⊗ T.
            const bool isHalfWay = raised == SharedMatrix::HalfWay;
            const PanelBlock upper{SharedMatrix::Upper, k, block};
            const PanelBlock other{isHalfWay ? SharedMatrix::Lower : SharedMatrix::HalfWay, k, block};
            if (isA) findBest(slot(k).best[0], isHalfWay ? other : upper);
            if (isB) {
                findBest(slot(k).best[1], isHalfWay ? upper : other);
                pack(slot(k).asB, kernel_.columns, isHalfWay ? upper : other, isHalfWay);
            }
        });
    }

    void relaxAhead(Range rounds, Range next) override {
        relaxTiles(rounds, [next](std::size_t row, std::size_t column) {
            return contains(next, row) || contains(next, column);
        });
    }
    void beginRest(Range rounds, Range next) override {
        begin([this, rounds, next] {
            relaxTiles(rounds, [next](std::size_t row, std::size_t column) {
                return !contains(next, row) && !contains(next, column);
            });
        });
    }

    void beginProduct(SharedMatrix raised) override {
        if (raised == SharedMatrix::HalfWay)
            for (const auto [row, column] : upperHalf_)
                std::memcpy(tile(raised, row, column), tile(SharedMatrix::Lower, row, column), blockBytes());
        const std::vector<Place>& own = ownOf(raised);
        lowest_.resize(own.size());
        parallelFor(threads_, own.size(), [&](std::size_t index, std::size_t) {
            const auto [row, column] = own[index];
            const T* from = tile(raised, row, column);
            T lowest = std::numeric_limits<T>::max();
            for (std::size_t i = 0; i < layout_.range(row).size(); ++i, from += side_)
                lowest = std::min(lowest, *std::min_element(from, from + layout_.range(column).size()));
            lowest_[index] = lowest;
        });
    }

    void beginRaise(SharedMatrix raised, Range rounds) override {
        begin([this, raised, rounds] {
            const std::vector<Place>& own = ownOf(raised);
            parallelFor(threads_, own.size(), [&](std::size_t index, std::size_t thread) {
                for (std::size_t k = rounds.begin; k < rounds.end; ++k)
                    raiseTile(raised, k, own[index], lowest_[index], streaming_[thread].data());
            });
        });
    }

    void wait() override {
        if (background_.valid()) background_.get();
    }
    std::string note() const override {
        if (where_ == BlockMemory::Where::Memory) return {};
        return fmt::format("{} of blocks on the disk, {} rounds at a time", formatBytes(ownBytes_), depth());
    }

    const std::byte* give(const PanelBlock& block) override { return room(block); }
    std::byte* room(const PanelBlock& block) override {
        return reinterpret_cast<std::byte*>(panelBlock(block));
    }

  private:
    struct Place {
        std::size_t row, column;
    };
    /// A round's panels, by blocks.
    struct Panels {
        Matrix<T> blocks[2];  ///< of the upper bounds; of the other operand of a product
        Matrix<T> asA, asB;   ///< packed
        Matrix<T> best[2];    ///< of each atom of the panel, the largest number that A, B has of a block
    };

    std::size_t paddedSize(std::size_t block) const {
        return roundUp(layout_.range(block).size(), kMinPlusBlock);
    }
    Panels& slot(std::size_t k) { return slots_[k % slots_.size()]; }
    static bool contains(Range range, std::size_t block) { return block >= range.begin && block < range.end; }
    T* panelBlock(const PanelBlock& at) {
        return slot(at.k).blocks[at.matrix == SharedMatrix::Upper ? 0 : 1].row(at.block);
    }
    const std::vector<Place>& ownOf(SharedMatrix matrix) const {
        return matrix == SharedMatrix::HalfWay ? all_ : upperHalf_;
    }

    /// Where own blocks lie, and how many rounds are gone through at a time. Throws UnavailableError where
    /// not even the panels have room.
    void decide(const WorkerPart& part, std::size_t memory) {
        const std::size_t count = layout_.count();
        ownBytes_ =
            (upperHalf_.size() + (part.hasLower ? upperHalf_.size() + all_.size() : 0)) * blockBytes();
        const std::size_t panel =
            count * sizeof(T) *
            ((part.hasLower ? 2 : 1) * side_ * side_ + 2 * packedSize<T>(side_, side_) + 2 * side_);
        if (ownBytes_ + 2 * panel <= memory) return;
        // Twice the depth halves what travels; the rest of the memory is for blocks.
        constexpr std::size_t mostDepth = 32;
        where_ = BlockMemory::Where::Disk;
        setDepth(std::max<std::size_t>(1, largestFitting(std::min(mostDepth, count), [&](std::size_t depth) {
                                           return 2 * depth * panel <= memory / 8 * 7;
                                       })));
        if (2 * panel > memory)
            throw UnavailableError(
                fmt::format("a share of {} atoms among {} workers, with its blocks on the disk, needs {} of "
                            "memory for each, "
                            "and there are {}",
                            layout_.atoms(), layout_.workers(), formatBytes(2 * panel), formatBytes(memory)));
    }

    void hold(SharedMatrix matrix, const std::vector<Place>& own) {
        const auto index = static_cast<std::size_t>(matrix);
        memory_[index] = BlockMemory(own.size() * blockBytes(), where_);
        places_[index].resize(layout_.count() * layout_.count());
        auto* block = reinterpret_cast<T*>(memory_[index].data());
        for (const Place& place : own) {
            places_[index][place.row * layout_.count() + place.column] = block;
            block += side_ * side_;
        }
    }
    T* tile(SharedMatrix matrix, std::size_t row, std::size_t column) {
        return places_[static_cast<std::size_t>(matrix)][row * layout_.count() + column];
    }

    std::byte* bytesOf(const BlockPlace& at) {
        return reinterpret_cast<std::byte*>(tile(at.matrix, at.row, at.column));
    }

    template <class Visit>
    void forOwnOfPanel(SharedMatrix matrix, std::size_t k, const Visit& visit) {
        parallelFor(threads_, layout_.count(), [&](std::size_t block, std::size_t thread) {
            const bool isTurned = block < k && matrix != SharedMatrix::HalfWay;
            if ((isTurned ? layout_.ownerOf(block, k) : layout_.ownerOf(k, block)) == self_)
                visit(block, thread);
        });
    }

    void pack(Matrix<T>& packed, std::size_t width, const PanelBlock& at, bool negate) {
        const T* const rows = panelBlock(at);
        packStrips<T>(
            packed.row(at.block), width, layout_.range(at.k).size(),
            [&](std::size_t row) { return rows + row * side_; }, paddedSize(at.block), paddedSize(at.block),
            T(0), negate);
    }

    /// Upper bounds count negated.
    void findBest(Matrix<T>& best, const PanelBlock& at) {
        const T* row = panelBlock(at);
        const std::size_t size = layout_.range(at.block).size();
        for (std::size_t p = 0; p < layout_.range(at.k).size(); ++p, row += side_)
            best(at.block, p) = at.matrix == SharedMatrix::Upper ? -*std::min_element(row, row + size)
                                                                 : *std::max_element(row, row + size);
    }

    template <class IsWanted>
    void relaxTiles(Range rounds, const IsWanted& isWanted) {
        std::vector<Place> wanted;
        for (const Place& place : upperHalf_)
            if (isWanted(place.row, place.column)) wanted.push_back(place);
        parallelFor(threads_, wanted.size(), [&](std::size_t index, std::size_t) {
            const auto [row, column] = wanted[index];
            std::size_t k = rounds.begin;
            for (const std::size_t own : {row, column})
                if (contains(rounds, own)) k = std::max(k, own + 1);
            for (; k < rounds.end; ++k)
                products_.multiply(slot(k).asA.row(row), slot(k).asB.row(column), layout_.range(k).size(),
                                   tile(SharedMatrix::Upper, row, column), paddedSize(row),
                                   paddedSize(column), row == column);
        });
    }

    /// Prunes atoms as smoothLowerBounds does. Tiles on the diagonal need no exception, because `lowest`
    /// includes the 0 of the diagonal here.
    void raiseTile(SharedMatrix raised, std::size_t k, Place place, T lowest, T* streaming) {
        Panels& panels = slot(k);
        std::uint32_t chosen[kMaxSide];
        std::size_t count = 0;
        const T* const bestA = panels.best[0].row(place.row);
        const T* const bestB = panels.best[1].row(place.column);
        for (std::size_t p = 0; p < layout_.range(k).size(); ++p)
            if (bestA[p] + bestB[p] > lowest) chosen[count++] = static_cast<std::uint32_t>(p);
        if (count == 0) return;
        const bool isHalfWay = raised == SharedMatrix::HalfWay;
        const T* const rows =
            panelBlock({isHalfWay ? SharedMatrix::Lower : SharedMatrix::Upper, k, place.row});
        packStrips<T>(
            streaming, kernel_.rows, count, [&](std::size_t p) { return rows + chosen[p] * side_; },
            paddedSize(place.row), paddedSize(place.row), T(0), !isHalfWay);
        MinPlusProduct<T> product;
        product.a = streaming;
        product.aStripStride = stripStride<T>(count, kernel_.rows);
        product.b = panels.asB.row(place.column);
        product.bStripStride = stripStride<T>(layout_.range(k).size(), kernel_.columns);
        product.depth = count;
        product.selection = chosen;
        product.c = tile(raised, place.row, place.column);
        product.cRowStride = side_;
        product.rows = paddedSize(place.row);
        product.columns = paddedSize(place.column);
        product.onAndAboveDiagonal = !isHalfWay && place.row == place.column;
        kernel_.maxPlus(product);
    }

    void begin(std::function<void()> work) {
        if (!startThread(background_, work)) work();
    }

    static constexpr std::size_t kMaxSide = 512;  ///< that of cuda, which the processor may share

    const BlockLayout layout_;
    std::size_t self_;
    int threads_;
    MinPlusKernel<T> kernel_;
    TileProducts<T> products_;
    std::size_t side_;
    std::vector<Place> all_, upperHalf_;  ///< own blocks
    BlockMemory::Where where_ = BlockMemory::Where::Memory;
    std::size_t ownBytes_ = 0;
    BlockMemory memory_[3];
    std::vector<T*> places_[3];
    std::vector<Panels> slots_;
    Matrix<T> diagonal_;  ///< the pivot, packed as A
    std::vector<Matrix<T>> scratch_, streaming_;
    std::vector<T> lowest_;         ///< of each tile that is raised, before
    std::future<void> background_;  ///< waits for its end where it is destroyed
};

}  // namespace

void pretendMemory(std::size_t bytes) {
    pretendedMemory = bytes;
}

std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, int threads,
                                             InstructionSet instructions) {
    std::size_t memory = pretendedMemory;
    if (memory == 0) memory = part.hostBytes;
    return withNumberOf(part.format, [&]<class T>(T) -> std::unique_ptr<BlockWorker> {
        try {
            return std::make_unique<CpuBlocks<T>>(part, threads, kernelFor<MinPlusKernel<T>>(instructions),
                                                  memory);
        } catch (const std::bad_alloc&) {
            throw UnavailableError(fmt::format(
                "a share of {} atoms among {} workers: the system gives no memory for it, though {} are free",
                part.layout.atoms(), part.layout.workers(), formatBytes(memory)));
        }
    });
}

}  // namespace glycine::bounds::cpu
