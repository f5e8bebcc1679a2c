#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/storage/unfinished.hpp"

namespace glycine::storage {

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
