#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/storage/tile_store.hpp"

namespace glycine::align {

/// Posteriors of pairs in a file beside the output (storage::BlockStore), so that a run that was stopped goes
/// on from there. There is no file before a run has taken some seconds, and writing takes at most a tenth of
/// its time: what does not fit in that is computed again. Where the disk is full or fails, nothing is kept
/// any more, and the run goes on.
class KeptPosteriors {
  public:
    /// As much is lost at most where a run is stopped before there is a file.
    static constexpr double kSecondsBeforeFile = 3;

    /// `identity`: see storage::TileJournal; what decides the posteriors. Throws UsageError when an earlier
    /// run with another identity has left its file there, Error when another process is at work on it.
    KeptPosteriors(std::filesystem::path output, std::string identity, bool restart,
                   double secondsBeforeFile = kSecondsBeforeFile);

    /// Sets what an earlier run has left, and keeps what is set while this lives.
    class Following {
      public:
        /// All outlive this.
        Following(KeptPosteriors& kept, const Sequences& sequences, PosteriorSet& posteriors);
        Following(const Following&) = delete;
        Following& operator=(const Following&) = delete;
        ~Following();

      private:
        KeptPosteriors& kept_;
        PosteriorSet& posteriors_;
    };

    /// Pairs that an earlier run had left.
    std::size_t resumed() const { return resumed_; }
    /// Why nothing is kept any more; empty: it is.
    const std::string& failure() const { return failure_; }
    /// Whether a stop would leave something to go on from.
    bool outlivesStop() const { return store_ && store_->outlivesStop(); }
    /// Removes the file, once the result is written.
    void discard();

  private:
    using Pair = std::pair<std::size_t, std::size_t>;
    void restore(const Sequences& sequences, PosteriorSet& posteriors);
    void add(const PosteriorSet& posteriors, std::size_t first, std::size_t second);
    bool isTimeToWrite() const;
    void write(const PosteriorSet& posteriors);

    std::filesystem::path output_;
    std::string identity_;
    double secondsBeforeFile_;
    std::unique_ptr<storage::BlockStore> store_;  ///< once there is a file
    std::size_t resumed_ = 0;
    std::string failure_;
    std::mutex listMutex_;
    std::vector<Pair> found_;  ///< not written yet
    std::mutex writeMutex_;    ///< of what follows, and of the store while posteriors are found
    Stopwatch sinceStart_;
    Stopwatch sinceWrite_;
    double writeSeconds_ = 0;
};

}  // namespace glycine::align
