#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/pairs/pair_store.hpp"

namespace glycine::pairs {

/// The values of a run on their way into its files: in memory where one tile holds all pairs or the first
/// file is standard output, else where a stop leaves them. Where the first file is a .npy file, what was kept
/// becomes that file.
class PairOutput {
  public:
    /// `first`: the first file; `format`: as that file has its elements. `tile`: side of the tiles.
    /// `identity`: of the run, asked for where tiles are kept. Throws as PairStore.
    PairOutput(const std::filesystem::path& first, const PairFormat& format, std::size_t tile,
               const std::function<std::string()>& identity, bool restart);

    /// Whether a stop leaves the values in a file.
    static bool isKeptInFile(const std::filesystem::path& first, const PairFormat& format, std::size_t tile);
    /// Bytes that the values take in memory; 0 where they lie in a file that a stop leaves.
    static std::size_t bytesInMemory(const std::filesystem::path& first, const PairFormat& format,
                                     std::size_t tile);

    const PairStore& store() const { return *store_; }
    /// Lets `compute` fill the store, as tellWhatIsKept. Nothing is kept after a UsageError either.
    void fill(const std::function<void(PairStore& store)>& compute);
    /// Runs what is done with the values, which are kept until finish. A CancelledError tells where they are.
    /// Nothing is kept after an InputError, which every further run would throw again, except for an
    /// UnreadableInputError. After a UsageError another call may go on from the values.
    void tellWhatIsKept(const std::function<void()>& work);
    /// Whether the store becomes this file, which nobody else shall write.
    bool becomes(const std::filesystem::path& file) const { return becomesFirst_ && file == first_; }
    /// Nothing is kept: the values are wrong.
    void discard() { store_->discard(); }
    /// All other files are written: the store becomes the first one, or goes.
    void finish();

  private:
    std::filesystem::path first_;
    bool survivesStop_;
    bool becomesFirst_;
    std::unique_ptr<PairStore> store_;
};

}  // namespace glycine::pairs
