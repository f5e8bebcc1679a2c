#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/alignment/device_consistency.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/pairwise/device_sequences.hpp"

namespace glycine::align::cuda {

// ---- the plan

// How posteriors of all pairs are shared out to warps, batches and memory.

/// Bounds that tests make small.
struct PosteriorSettings {
    /// Room for entries in each row of a pair; pairs with more of them are computed once more. Rows of
    /// distant relatives have about 11.
    std::size_t stagedPerRow = 32;
    /// What entries of a batch are expected to be, in each row, with something to spare.
    std::size_t foundPerRow = 20;
    std::size_t mostStretchStrips = SIZE_MAX;  ///< strips whose forward sums are kept at once
    std::size_t mostFound = SIZE_MAX;          ///< entries of a batch for which there is room
    double cellsAtOnce = 4e10;                 ///< of a batch: half a second on a large GPU
    std::size_t batches = 8;  ///< of many tasks: while one is computed, the one before it is fetched
    std::size_t mostKeptBytes = SIZE_MAX;  ///< what may stay on the device for what comes after them
};

/// What decides how much memory a task takes, besides lengths.
struct PosteriorFormat {
    std::size_t stripRows, numberBytes;
    std::size_t stateNumbers;   ///< PosteriorShape::stateNumbers
    std::size_t stagedEntries;  ///< PosteriorShape::stagedEntries

    template <class Number>
    static PosteriorFormat of(glycine::cuda::PosteriorKinds kinds, std::size_t stagedEntries) {
        return {glycine::cuda::kPosteriorRows<Number>, sizeof(Number), kinds.stateNumbers(), stagedEntries};
    }
    glycine::cuda::PosteriorShape shapeOf(std::size_t rows, std::size_t width) const {
        return {stripRows, numberBytes, rows, width, 1, stateNumbers, stagedEntries};
    }
};

/// A query with up to 32 others, and what is known of their entries.
struct PlannedTask {
    glycine::cuda::PosteriorTask task{};
    std::size_t rows = 0, width = 0;
    std::size_t entries = 0;  ///< of all pairs that are wanted, as is expected
    std::size_t places = 0;   ///< of the rows of all pairs, in both directions
    double cells = 0;         ///< of the pairs that are wanted
};

/// All pairs of sequences, which are listed in ascending order of `lengths`: queries with others before them.
/// The largest first.
std::vector<PlannedTask> planTasks(const std::vector<std::size_t>& lengths,
                                   const PosteriorSettings& settings);

/// Tasks that run with the same memory for each warp, from the first one on.
struct TaskGroup {
    std::vector<PlannedTask> tasks;  ///< stretches are set
    std::size_t warps = 0;
    std::size_t bytesEach = 0;  ///< of a warp
};

/// Groups of tasks for `bytes` of memory and as many warps as run at once. Tasks that take more than the
/// share of one of so many warps run with fewer. What does not fit even one warp is left in `tasks`.
std::vector<TaskGroup> groupTasks(std::vector<PlannedTask>& tasks, std::size_t bytes, std::size_t warpsAtOnce,
                                  const PosteriorFormat& format, const PosteriorSettings& settings);

/// Device memory for such a request, at least: one warp that computes in float32.
std::size_t leastPosteriorBytes(const PosteriorRequest& request);

/// What tasks of a batch have room for, at most.
struct BatchRoom {
    std::size_t entries = 0, places = 0;
};

/// What all of these are expected to take.
BatchRoom roomOf(std::span<const PlannedTask> tasks);

/// Tasks of a group, one batch after the other: for each warp equally many where they are that many, because
/// the end of a batch leaves warps idle.
std::vector<Range> batchesOf(const TaskGroup& group, const BatchRoom& room,
                             const PosteriorSettings& settings);

/// Device memory for the entries of a batch in rows, both directions.
std::size_t slabBytes(const BatchRoom& room);
/// Device memory for all that is computed of batches, of which two are there at a time.
std::size_t batchBytes(const BatchRoom& room, std::size_t tasks);

/// Posteriors of all pairs on the device: all sequences are there, batches of tasks one after the other.
/// While one is computed, the entries of the one before it are fetched, which the device has brought into
/// rows. They also stay there, where there is room, for what comes after them.
class PosteriorsOnDevice {
  public:
    /// `sequences` outlive this. Throws DeviceError.
    PosteriorsOnDevice(glycine::cuda::CudaBackend& backend, const Sequences& sequences,
                       const PosteriorSettings& settings = {});

    /// Sets all pairs that `result` lacks.
    void complete(PosteriorSet& result, Progress& progress);
    PosteriorSet compute(Progress& progress) {
        PosteriorSet all(sequences_.size());
        complete(all, progress);
        return all;
    }

    /// Pairs whose sums float32 does not hold, which were computed in double precision. Of nucleotides all
    /// are, and none is counted.
    std::size_t unsound() const { return unsound_; }
    /// Pairs that were computed on the host: float64 does not hold their sums either, or the device's memory
    /// their entries.
    std::size_t onHost() const { return onHost_.size(); }
    /// Tasks that were computed more than once, because there was too little room for their entries.
    std::size_t repeated() const { return repeated_; }
    /// Tasks that were computed in more than one stretch.
    std::size_t stretched() const { return stretched_; }

    /// Where the time of the last call went, for measurements.
    struct Times {
        double posteriors = 0, rows = 0;  ///< kernels on the device
        double fetching = 0;              ///< the host, while the next batch is computed
        double waiting = 0;               ///< the host for the device
        std::size_t batches = 0;
    };
    const Times& times() const { return times_; }

  private:
    struct Batch;
    template <class Number>
    struct Tables;
    /// A query and one other sequence.
    using Pair = std::pair<std::size_t, std::size_t>;
    /// What is left to do of tasks.
    struct Rest {
        std::vector<PlannedTask> again;    ///< with more room
        std::vector<PlannedTask> unsound;  ///< with wider numbers
        std::size_t mostEntries = 0;       ///< of a pair for which there was too little room
    };

    /// Returns what the numbers do not hold.
    template <class Number>
    std::vector<PlannedTask> computeTasks(std::vector<PlannedTask> tasks, PosteriorSet& result,
                                          Progress& progress);
    template <class Number>
    void computeRound(std::vector<PlannedTask> tasks, const Tables<Number>& tables, std::size_t stagedEntries,
                      PosteriorSet& result, Rest& rest, Progress& progress);
    template <class Number>
    void computeGroup(const TaskGroup& group, const std::vector<Range>& portions,
                      const Tables<Number>& tables, std::size_t stagedEntries, const BatchRoom& room,
                      const glycine::cuda::DeviceBuffer<glycine::cuda::PosteriorFound>& found,
                      std::vector<Batch>& batches, PosteriorSet& result, Rest& rest, Progress& progress);
    void fetch(std::span<const PlannedTask> tasks, std::span<const std::uint64_t> placeBegins, Batch& batch,
               PosteriorSet& result, Rest& rest, Progress& progress);
    void requireRecords(std::span<const PlannedTask> tasks,
                        std::span<const glycine::cuda::PosteriorRecord> records, std::size_t room) const;
    void keep(const PosteriorSlab& slab);
    void computeOnHost(PosteriorSet& result, Progress& progress);
    void leaveToHost(const std::vector<PlannedTask>& tasks);
    bool leaveOut(std::vector<PlannedTask>& tasks, const PosteriorSet& there) const;
    const std::vector<std::uint8_t>& codes(std::size_t place) const {
        return sequences_.codes[order_[place]];
    }

    glycine::cuda::CudaBackend& backend_;
    const Sequences& sequences_;
    PosteriorSettings settings_;
    std::vector<std::uint32_t> order_;  ///< sequences in ascending order of length
    pairwise::cuda::DeviceSequences there_;
    glycine::cuda::DeviceBuffer<std::uint32_t> orderThere_;
    glycine::cuda::Stream stream_;
    Times times_;
    std::vector<Pair> onHost_;
    std::shared_ptr<PosteriorsThere> kept_;  ///< null where there is no room for it
    std::size_t roomToKeep_ = 0;             ///< bytes that are left of it
    std::size_t unsound_ = 0, repeated_ = 0, stretched_ = 0;
};

}  // namespace glycine::align::cuda
