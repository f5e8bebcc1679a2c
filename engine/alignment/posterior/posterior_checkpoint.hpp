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

/// Keeps posteriors of pairs in a file next to the output (storage::BlockStore), so that a stopped run can
/// resume. The file is created only after some seconds of a run. Writing takes at most a tenth of the time;
/// pairs that cannot be written in that time are computed again. If the disk is full or fails, the run
/// continues without keeping anything.
class PosteriorCheckpoint {
  public:
    /// Seconds before the file is created: the most that is lost if a run stops before.
    static constexpr double kSecondsBeforeFile = 3;

    /// `identity` names everything that determines the posteriors (see storage::TileJournal). Throws
    /// UsageError if an earlier run with another identity left its file there, and Error if another process
    /// is using it.
    PosteriorCheckpoint(std::filesystem::path output, std::string identity, bool restart,
                        double secondsBeforeFile = kSecondsBeforeFile);

    /// Restores what an earlier run kept, and keeps every pair that is set during its lifetime.
    class Following {
      public:
        /// All arguments must outlive this object.
        Following(PosteriorCheckpoint& kept, const Sequences& sequences, PosteriorSet& posteriors);
        Following(const Following&) = delete;
        Following& operator=(const Following&) = delete;
        ~Following();

      private:
        PosteriorCheckpoint& kept_;
        PosteriorSet& posteriors_;
    };

    /// The number of pairs restored from an earlier run.
    std::size_t resumed() const { return resumed_; }
    /// Why nothing is kept any more; empty while pairs are kept.
    const std::string& failure() const { return failure_; }
    /// Whether a stopped run could resume.
    bool outlivesStop() const { return store_ && store_->outlivesStop(); }
    /// Removes the file; call it once the result is written.
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
    std::unique_ptr<storage::BlockStore> store_;  ///< null until there is a file
    std::size_t resumed_ = 0;
    std::string failure_;
    std::mutex listMutex_;
    std::vector<Pair> found_;  ///< not yet written
    std::mutex writeMutex_;    ///< guards the members below, and the store while posteriors are computed
    Stopwatch sinceStart_;
    Stopwatch sinceWrite_;
    double writeSeconds_ = 0;
};

}  // namespace glycine::align
