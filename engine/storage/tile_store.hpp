#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/storage/unfinished.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine::storage {

/// Locates the values of a tile: calls visit(bytes) for each piece of the store that holds some of them,
/// always in the same order. Returns false, without a call, for a tile that the run cannot have. Called from
/// several threads.
using TilePieces =
    std::function<bool(Range rows, Range columns, const std::function<void(Range bytes)>& visit)>;

/// The result of a long run while its tiles are computed: a fixed number of bytes, initially zero, in memory
/// or in a mapped file that survives a stop.
///
/// The file is PATH.unfinished, where PATH is (or stands for) the output. Next to it, the TileJournal
/// PATH.unfinished.tiles names the run and lists the finished tiles, each with a checksum (XXH3) of its
/// bytes. Once a second, the store's threads enter tiles and flush their bytes to the disk while others are
/// computed. The destructor enters the rest. After a power failure, the checksums show which tiles had not
/// reached the disk. The destructor removes files without any finished tile.
///
/// While a team of processes is at work (core/process_team.hpp), each of them opens the store. The lead works
/// as described above. The others open the lead's file and write their tiles into it; the lead enters them.
class TileStore {
  public:
    /// In memory; nothing survives a stop. Throws Error if there is not enough memory.
    explicit TileStore(std::size_t bytes);
    /// In memory of the caller, which must outlive the store and be aligned for its contents.
    explicit TileStore(std::byte* memory) : data_(memory) {}
    /// In a file: starts, or continues what an earlier run with the same `identity` (see TileJournal) has
    /// left; `restart` discards that. Tiles whose checksum does not match count as unfinished.
    ///
    /// Throws UsageError as UnfinishedRun does, for files that are not this program's or belong to another
    /// run. Throws Error if another process works on them, or if the disk has no room for the whole result.
    TileStore(const std::filesystem::path& path, std::string_view identity, std::size_t bytes,
              TilePieces pieces, bool restart);
    TileStore(const TileStore&) = delete;
    TileStore& operator=(const TileStore&) = delete;
    ~TileStore();

    /// Aligned for every number type.
    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }

    /// Makes stores to a new file faster, where WorkingFile::fillCache can. Then, only the file's first
    /// kFilledAtOnce bytes may be written before waitUntilWritable() has returned.
    void fillCache();
    void waitUntilWritable() const {
        if (file_) (void)file_->isCached();
    }
    /// Whether `put` is the faster way for this many bytes: a page or more, into a file that the system does
    /// not cache in large pages.
    bool prefersPut(std::size_t bytes) const {
        return file_ != nullptr && !file_->isCached() && bytes >= kPage;
    }
    /// Copies bytes into place, as stores to data() would. Only for a store in a file; any thread may call
    /// it.
    void put(std::size_t begin, std::span<const std::byte> bytes) const { file_->put(begin, bytes); }

    bool has(Range rows, Range columns) const { return finished_.contains(place(rows, columns)); }
    /// Marks this tile's values as complete; they must not change afterwards. Throws Error if the file has
    /// lost bytes, or if tiles could not be entered.
    void finish(Range rows, Range columns);
    /// Tiles that other processes have finished.
    const std::vector<FinishedTile>& tilesOfOtherProcesses() const { return tilesOfOtherProcesses_; }
    /// Whether a stopped run could be continued: there are finished tiles in a file that is still in place.
    bool outlivesStop() const;
    /// Intact tiles of an earlier run.
    const std::vector<FinishedTile>& kept() const { return kept_; }

    /// Gives the complete file the name PATH; the store has no bytes afterwards. Only for a store in a file.
    void becomeOutput();
    /// Removes the file and its journal after the result is written elsewhere. The store has no bytes
    /// afterwards.
    void discard();

  private:
    static constexpr std::size_t kPage = 4096;
    struct Free {
        void operator()(std::byte* pointer) const;
    };
    using Place = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
    static Place place(Range rows, Range columns) {
        return {rows.begin, rows.end, columns.begin, columns.end};
    }
    /// Nothing for a tile that the run cannot have. Releases the memory of the pages it reads.
    std::optional<std::uint64_t> checksum(Range rows, Range columns) const;
    void join(std::string_view identity, std::size_t bytes);
    void takeOver(const FinishedTile& tile);
    void note(Range rows, Range columns);
    void verify();
    void beginEntries();
    void enter();
    void endEntries();

    std::filesystem::path path_;
    TilePieces pieces_;
    std::unique_ptr<std::byte, Free> memory_;  ///< or these two:
    std::unique_ptr<UnfinishedRun> run_;
    std::optional<OwnFile> joined_;  ///< in place of the run: the lead's file
    std::unique_ptr<WorkingFile> file_;
    std::mutex mutex_;        ///< guards what is finished: other processes finish tiles concurrently
    bool hasFailed_ = false;  ///< the file's contents are of no use to a later run
    std::byte* data_ = nullptr;
    std::set<Place> finished_;
    std::vector<FinishedTile> kept_;
    std::vector<FinishedTile> tilesOfOtherProcesses_;
    std::vector<FinishedTile> pending_;   ///< finished, but not yet in the journal; checksums missing
    std::vector<FinishedTile> entering_;  ///< the same, while `entries_` processes them
    Stopwatch sinceEntries_;
    Stopwatch sinceWriteBack_;
    std::atomic<bool> isEnding_ = false;
    // The threads that enter tiles and flush their bytes to the disk.
    std::future<void> entries_;
    std::future<void> writing_;
};

/// Intermediate results of a long run, in blocks of any size, for results whose size is not known beforehand
/// (TileStore is for known sizes). The run keeps what it needs in memory; the file is for the next run.
///
/// The file is PATH.unfinished, where PATH is the output. Next to it, the TileJournal PATH.unfinished.tiles
/// names the run and lists the blocks: the block's number as rows, its bytes in the file as columns, and
/// their checksum (XXH3). A block is entered after its bytes have reached the disk. The destructor removes
/// files without any block.
class BlockStore {
  public:
    /// Starts, or continues what an earlier run with the same `identity` (see TileJournal) has left;
    /// `restart` discards that. Throws as UnfinishedRun does.
    BlockStore(const std::filesystem::path& path, std::string_view identity, bool restart);
    BlockStore(const BlockStore&) = delete;
    BlockStore& operator=(const BlockStore&) = delete;
    ~BlockStore();

    /// Visits the blocks found when the store was opened, in the order in which they were appended. Skips
    /// blocks whose checksum does not match. Throws CancelledError if the user stops the run.
    void readKept(const std::function<void(std::span<const std::byte> block)>& visit);
    /// Returns after the block, of at least one byte, has reached the disk and is entered. Throws Error with
    /// path and cause.
    void append(std::span<const std::byte> block);
    /// Whether a stopped run could be continued.
    bool outlivesStop() const { return run_ && blocks_ > 0 && run_->isInPlace(); }
    /// Removes the files after the result is written elsewhere. Nothing can be appended afterwards.
    void discard();

  private:
    std::unique_ptr<UnfinishedRun> run_;  ///< null after discard()
    std::size_t end_ = 0;                 ///< offset of the next block
    std::size_t blocks_ = 0;              ///< number of blocks in the journal
};

}  // namespace glycine::storage
