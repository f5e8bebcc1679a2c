#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/algorithms/crossapen/crossapen.hpp"
#include "engine/core/tiling.hpp"

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
    explicit ValueStore(std::vector<StoredFile> files);
    virtual ~ValueStore() = default;

    /// Values of consecutive epochs, each as EpochShape says.
    std::span<double> values(std::size_t file, Range epochs);
    /// Whether this epoch is complete, perhaps from an earlier run.
    virtual bool has(std::size_t file, std::size_t epoch) const = 0;
    /// These epochs are complete.
    virtual void enter(std::size_t file, Range epochs) = 0;
    /// Ends the run: nothing is kept.
    virtual void discard() = 0;

  protected:
    virtual double* data() = 0;
    std::size_t totalValues() const { return offsets_.back(); }
    const std::vector<StoredFile>& files() const { return files_; }
    /// Values before those of an epoch.
    std::size_t offset(std::size_t file, std::size_t epoch) const {
        return offsets_[file] + epoch * files_[file].shape.values();
    }

  private:
    std::vector<StoredFile> files_;
    std::vector<std::size_t> offsets_;  ///< values before those of a file; the total at the end
};

/// In memory; nothing survives.
std::unique_ptr<ValueStore> makeMemoryStore(std::vector<StoredFile> files);

/// Whether an earlier run has left something beside `path`.
bool hasUnfinishedRun(const std::filesystem::path& path);

/// In the file `path`.unfinished, with a journal of finished tiles in `path`.unfinished.tiles (see
/// io::TileJournal, also for `identity`). A tile of an earlier run is believed when its checksum is right.
/// `restart` forgets an earlier run. Throws UsageError when another run has left the files.
std::unique_ptr<ValueStore> openMappedStore(const std::filesystem::path& path, std::string_view identity,
                                            std::vector<StoredFile> files, bool restart);

}  // namespace glycine::crossapen
