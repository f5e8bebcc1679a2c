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

/// Says where the values of a tile lie: calls visit(bytes) for each piece of a store that holds some of them,
/// always in the same order. False, without a call, for a tile that the run cannot have. Called from several
/// threads.
using TilePieces =
    std::function<bool(Range rows, Range columns, const std::function<void(Range bytes)>& visit)>;

/// The result of a long run while its tiles come in: bytes of a fixed number, all zero at first, in memory or
/// in a mapped file that survives a stop of the run.
///
/// The file is PATH.unfinished, where PATH is (or stands for) the output; beside it lies
/// PATH.unfinished.tiles, a TileJournal that names the run and lists the finished tiles, each with a checksum
/// (XXH3) of its bytes. Threads of the store enter tiles once a second and bring their bytes to the disk
/// while others are computed; what is left is entered when the store is destroyed. After a power failure the
/// checksums tell which tiles had not reached the disk. Files without any finished tile are removed when the
/// store is destroyed.
///
/// While a team of processes is at work (core/process_team.hpp), all of them open the store: the lead as said
/// above, the others the lead's file, into which they put their tiles. What they finish the lead enters.
class TileStore {
  public:
    /// In memory; nothing survives a stop. Throws Error when there is not enough of it.
    explicit TileStore(std::size_t bytes);
    /// In somebody else's memory, which must outlive the store and be aligned for what is kept there.
    explicit TileStore(std::byte* memory) : data_(memory) {}
    /// In a file: begins, or goes on with what an earlier run with the same `identity` (see TileJournal) has
    /// left; `restart` forgets that. Tiles whose checksum does not fit count as not finished.
    ///
    /// Throws UsageError as UnfinishedRun: for files that are not this program's, or belong to another run;
    /// Error when another process works on them, or when the disk has no room for the whole.
    TileStore(const std::filesystem::path& path, std::string_view identity, std::size_t bytes,
              TilePieces pieces, bool restart);
    TileStore(const TileStore&) = delete;
    TileStore& operator=(const TileStore&) = delete;
    ~TileStore();

    /// Aligned for every type of number.
    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }

    /// Whether `put` is the faster way for so many bytes: a page or more, into a file.
    bool takesPiece(std::size_t bytes) const { return file_ != nullptr && bytes >= kPage; }
    /// Puts bytes in their place, as stores to data() would. Only for a store in a file; on any thread.
    void put(std::size_t begin, std::span<const std::byte> bytes) const { file_->put(begin, bytes); }

    bool has(Range rows, Range columns) const { return finished_.contains(place(rows, columns)); }
    /// The values of this tile are complete, and stay as they are. Throws Error when the file has lost bytes,
    /// or tiles could not be entered.
    void finish(Range rows, Range columns);
    /// Tiles that other processes have finished.
    const std::vector<FinishedTile>& elsewhere() const { return elsewhere_; }
    /// Whether a stop would leave something to go on from: finished tiles in a file that is still in place.
    bool outlivesStop() const;
    /// Tiles that an earlier run has left intact.
    const std::vector<FinishedTile>& kept() const { return kept_; }

    /// The complete file takes the name PATH; the store has no bytes afterwards. Only for a store in a file.
    void becomeOutput();
    /// Removes the file and its journal, once the result is written elsewhere. The store has no bytes
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
    /// Nothing for a tile that the run cannot have. Memory does not keep what was read for it.
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
    std::mutex mutex_;        ///< of what is finished: others finish tiles while this process does
    bool hasFailed_ = false;  ///< what the file holds is no use to a later run
    std::byte* data_ = nullptr;
    std::set<Place> finished_;
    std::vector<FinishedTile> kept_;
    std::vector<FinishedTile> elsewhere_;
    std::vector<FinishedTile> pending_;   ///< finished, but not yet in the journal; without their checksums
    std::vector<FinishedTile> entering_;  ///< the same, while `entries_` is at work on them
    Stopwatch sinceEntries_;
    std::atomic<bool> isEnding_ = false;
    // The threads that enter tiles and bring their bytes to the disk.
    std::future<void> entries_;
    std::future<void> writing_;
};

/// What a long run has found so far, in blocks of any size, where nobody knows beforehand how large the
/// result becomes (TileStore: where it is known). The run itself keeps what it needs in memory; the file is
/// for the next one.
///
/// The file is PATH.unfinished, where PATH is the output; beside it lies PATH.unfinished.tiles, a TileJournal
/// that names the run and lists the blocks: as rows the block's number, as columns its bytes in the file,
/// with their checksum (XXH3). A block is entered after its bytes have reached the disk. Files without any
/// block are removed when the store is destroyed.
class BlockStore {
  public:
    /// Begins, or goes on with what an earlier run with the same `identity` (see TileJournal) has left;
    /// `restart` forgets that. Throws as UnfinishedRun.
    BlockStore(const std::filesystem::path& path, std::string_view identity, bool restart);
    BlockStore(const BlockStore&) = delete;
    BlockStore& operator=(const BlockStore&) = delete;
    ~BlockStore();

    /// The blocks that were there when the store was opened, in the order in which they were appended. Those
    /// whose checksum does not fit are passed over. Stops where the user asked for it (CancelledError).
    void readKept(const std::function<void(std::span<const std::byte> block)>& visit);
    /// Returns when the block, of at least one byte, has reached the disk and is entered. Throws Error with
    /// path and cause.
    void append(std::span<const std::byte> block);
    /// Whether a stop would leave something to go on from.
    bool outlivesStop() const { return run_ && blocks_ > 0 && run_->isInPlace(); }
    /// Removes the files, once the result is written elsewhere. Nothing can be appended afterwards.
    void discard();

  private:
    std::unique_ptr<UnfinishedRun> run_;  ///< none once it was discarded
    std::size_t end_ = 0;                 ///< where the next block begins
    std::size_t blocks_ = 0;              ///< that the journal lists
};

}  // namespace glycine::storage
