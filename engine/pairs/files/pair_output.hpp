#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/pairs/pair_store.hpp"

namespace glycine::pairs {

/// The values of a run until its files are written. They stay in memory if one tile holds all pairs or the
/// first file is standard output. Otherwise they are in a file that survives a stop. If the first output is a
/// .npy file, that file becomes the output.
class PairOutput {
  public:
    /// `first`: the first output; `format`: layout and type of its elements. `tile`: side of the tiles.
    /// `identity`: identity of the run, called only if tiles are kept. Throws as PairStore does.
    PairOutput(const std::filesystem::path& first, const PairFormat& format, std::size_t tile,
               const std::function<std::string()>& identity, bool restart);

    /// Whether the values are in a file that survives a stop.
    static bool isKeptInFile(const std::filesystem::path& first, const PairFormat& format, std::size_t tile);
    /// Bytes of memory that the values take; 0 if they are in a file that survives a stop.
    static std::size_t bytesInMemory(const std::filesystem::path& first, const PairFormat& format,
                                     std::size_t tile);

    const PairStore& store() const { return *store_; }
    /// Runs `compute`, which fills the store, as runKeepingValues does. A UsageError also discards the
    /// values.
    void fill(const std::function<void(PairStore& store)>& compute);
    /// Runs `work` on the values, which are kept until finish(). A CancelledError states where they are. An
    /// InputError discards them, because every further run would throw it again; an UnreadableInputError does
    /// not. After a UsageError, another call may continue with the values.
    void runKeepingValues(const std::function<void()>& work);
    /// Whether the store becomes this file, so that no one else may write it.
    bool becomes(const std::filesystem::path& file) const { return becomesFirst_ && file == first_; }
    /// Discards the values, because they are wrong.
    void discard() { store_->discard(); }
    /// Call after all other files are written: the store becomes the first file, or is removed.
    void finish();

  private:
    std::filesystem::path first_;
    bool survivesStop_;
    bool becomesFirst_;
    std::unique_ptr<PairStore> store_;
};

}  // namespace glycine::pairs
