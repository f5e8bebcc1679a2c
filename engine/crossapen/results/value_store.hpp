#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/storage/tile_store.hpp"

namespace glycine::crossapen {

/// The epochs of one file.
struct StoredFile {
    std::size_t epochs = 0;
    EpochShape shape;
};

/// Values of all epochs of all files during a run. They arrive in tiles of consecutive epochs of one file,
/// whose number suits the backend.
class ValueStore {
  public:
    /// In memory; nothing is kept after the run.
    explicit ValueStore(std::vector<StoredFile> files);
    /// In a file next to `path`, with which a stopped run resumes whatever its tiles were; see
    /// storage::TileStore.
    ValueStore(const std::filesystem::path& path, std::string_view identity, std::vector<StoredFile> files,
               bool restart);

    /// Values of consecutive epochs, in the order of EpochShape.
    std::span<double> values(std::size_t file, Range epochs);
    /// Whether this epoch is complete, perhaps from an earlier run.
    bool has(std::size_t file, std::size_t epoch) const { return complete_.contains({file, epoch}); }
    /// Marks these epochs as complete.
    void enter(std::size_t file, Range epochs);
    /// Also marks the epochs as complete that other processes have entered (core/process_team.hpp).
    void addTilesOfOtherProcesses();
    /// See storage::TileStore.
    bool outlivesStop() const { return tiles_.outlivesStop(); }
    /// Ends the run and keeps nothing.
    void discard() { tiles_.discard(); }

  private:
    /// Byte range of epochs of a file.
    Range bytes(std::size_t file, Range epochs) const;
    void insert(std::size_t file, Range epochs);

    std::vector<StoredFile> files_;
    std::vector<std::size_t> offsets_;                        ///< number of values before each file; then the
                                                              ///< total
    std::set<std::pair<std::size_t, std::size_t>> complete_;  ///< file, epoch
    storage::TileStore tiles_;  ///< a tile's rows are its file, its columns the epochs
};

}  // namespace glycine::crossapen
