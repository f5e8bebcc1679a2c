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

/// Values of all epochs of all files while a run goes on. They come in tiles: some consecutive epochs of one
/// file, as many as suit the backend.
class ValueStore {
  public:
    /// In memory; nothing survives.
    explicit ValueStore(std::vector<StoredFile> files);
    /// In a file beside `path` that a stopped run goes on with, whatever its tiles were; see
    /// storage::TileStore.
    ValueStore(const std::filesystem::path& path, std::string_view identity, std::vector<StoredFile> files,
               bool restart);

    /// Values of consecutive epochs, each as EpochShape says.
    std::span<double> values(std::size_t file, Range epochs);
    /// Whether this epoch is complete, perhaps from an earlier run.
    bool has(std::size_t file, std::size_t epoch) const { return complete_.contains({file, epoch}); }
    /// These epochs are complete.
    void enter(std::size_t file, Range epochs);
    /// Those that other processes have entered (core/process_team.hpp) are complete, too.
    void addElsewhere();
    /// See storage::TileStore.
    bool outlivesStop() const { return tiles_.outlivesStop(); }
    /// Ends the run: nothing is kept.
    void discard() { tiles_.discard(); }

  private:
    /// Bytes of epochs of a file.
    Range bytes(std::size_t file, Range epochs) const;
    void insert(std::size_t file, Range epochs);

    std::vector<StoredFile> files_;
    std::vector<std::size_t> offsets_;                        ///< values before those of a file; the total
    std::set<std::pair<std::size_t, std::size_t>> complete_;  ///< file, epoch
    storage::TileStore tiles_;  ///< a tile's rows are the file, its columns the epochs
};

}  // namespace glycine::crossapen
