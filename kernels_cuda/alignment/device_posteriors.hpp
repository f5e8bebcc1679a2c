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

// How the posteriors of all pairs are divided among warps, batches and memory.

/// Limits that tests reduce.
struct PosteriorSettings {
    /// Room for entries per row of a pair; pairs with more entries are computed again. Rows of distant
    /// relatives have about 11.
    std::size_t stagedPerRow = 32;
    /// The expected number of entries per row of a batch, with some margin.
    std::size_t foundPerRow = 20;
    std::size_t mostStretchStrips = SIZE_MAX;  ///< strips whose forward sums are kept at once
    std::size_t mostFound = SIZE_MAX;          ///< the most entries of a batch
    double cellsAtOnce = 4e10;                 ///< cells of a batch: half a second on a large GPU
    std::size_t batches = 8;  ///< for many tasks: one is computed while the previous one is fetched
    std::size_t mostKeptBytes = SIZE_MAX;  ///< the most that may stay on the device for later stages
};

/// Properties that determine the memory of a task, together with lengths.
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

/// A query with up to 32 others, and estimates of their results.
struct PlannedTask {
    glycine::cuda::PosteriorTask task{};
    std::size_t rows = 0, width = 0;
    std::size_t entries = 0;  ///< expected entries of all wanted pairs
    std::size_t places = 0;   ///< offsets of the rows of all pairs, in both directions
    double cells = 0;         ///< of the wanted pairs
};

/// Plans all pairs of sequences with these `lengths`, which ascend: each query with the others before it.
/// Largest tasks first.
std::vector<PlannedTask> planTasks(const std::vector<std::size_t>& lengths,
                                   const PosteriorSettings& settings);

/// Tasks that run with the same amount of memory per warp, starting with the first.
struct TaskGroup {
    std::vector<PlannedTask> tasks;  ///< with their stretches set
    std::size_t warps = 0;
    std::size_t bytesEach = 0;  ///< per warp
};

/// Groups tasks for `bytes` of memory and the number of warps that run at once. Tasks that need more than one
/// warp's share of the memory run with fewer warps. Tasks that do not fit even with one warp are left in
/// `tasks`.
std::vector<TaskGroup> groupTasks(std::vector<PlannedTask>& tasks, std::size_t bytes, std::size_t warpsAtOnce,
                                  const PosteriorFormat& format, const PosteriorSettings& settings);

/// The least device memory for a request: one warp that computes in float32.
std::size_t leastPosteriorBytes(const PosteriorRequest& request);

/// The most that the tasks of a batch have room for.
struct BatchRoom {
    std::size_t entries = 0, places = 0;
};

/// The expected room for all of these tasks.
BatchRoom roomOf(std::span<const PlannedTask> tasks);

/// Divides the tasks of a group into batches. If there are enough tasks, each batch has equally many per
/// warp, because the end of a batch leaves warps idle.
std::vector<Range> batchesOf(const TaskGroup& group, const BatchRoom& room,
                             const PosteriorSettings& settings);

/// Device memory for the entries of a batch in rows, in both directions.
std::size_t slabBytes(const BatchRoom& room);
/// Device memory for all results of batches, two of which exist at a time.
std::size_t batchBytes(const BatchRoom& room, std::size_t tasks);

/// Posteriors of all pairs on the device. All sequences are resident; tasks run in batches. While one batch
/// is computed, the host fetches the previous one, whose entries the device has sorted into rows. If there is
/// room, they also stay on the device for later stages.
class PosteriorsOnDevice {
  public:
    /// `sequences` must outlive this object. Throws DeviceError.
    PosteriorsOnDevice(glycine::cuda::CudaBackend& backend, const Sequences& sequences,
                       const PosteriorSettings& settings = {});

    /// Sets all pairs that `result` lacks.
    void complete(PosteriorSet& result, Progress& progress);
    PosteriorSet compute(Progress& progress) {
        PosteriorSet all(sequences_.size());
        complete(all, progress);
        return all;
    }

    /// Pairs computed in double precision because their sums exceed float32. Nucleotide pairs always are, and
    /// are not counted.
    std::size_t unsound() const { return unsound_; }
    /// Pairs computed on the host: their sums exceed float64 as well, or their entries exceed the device's
    /// memory.
    std::size_t onHost() const { return onHost_.size(); }
    /// Tasks computed more than once, because there was too little room for their entries.
    std::size_t repeated() const { return repeated_; }
    /// Tasks computed in more than one stretch.
    std::size_t recomputedBatches() const { return recomputedBatches_; }

    /// Times of the last call, for measurements.
    struct Times {
        double posteriors = 0, rows = 0;  ///< kernels on the device
        double fetching = 0;              ///< on the host, while the next batch is computed
        double waiting = 0;               ///< the host, for the device
        std::size_t batches = 0;
    };
    const Times& times() const { return times_; }

  private:
    struct Batch;
    template <class Number>
    struct Tables;
    /// A query and one other sequence.
    using Pair = std::pair<std::size_t, std::size_t>;
    /// The work that a round leaves.
    struct Rest {
        std::vector<PlannedTask> again;    ///< to repeat with more room
        std::vector<PlannedTask> unsound;  ///< to repeat with wider numbers
        std::size_t mostEntries = 0;       ///< the largest pair that had too little room
    };

    /// Returns the tasks whose sums exceed the range of Number.
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
    bool removeKnownPairs(std::vector<PlannedTask>& tasks, const PosteriorSet& there) const;
    const std::vector<std::uint8_t>& codes(std::size_t place) const {
        return sequences_.codes[order_[place]];
    }

    glycine::cuda::CudaBackend& backend_;
    const Sequences& sequences_;
    PosteriorSettings settings_;
    std::vector<std::uint32_t> order_;  ///< sequences in ascending order of length
    pairwise::cuda::DeviceSequences deviceSequences_;
    glycine::cuda::DeviceBuffer<std::uint32_t> deviceOrder_;
    glycine::cuda::Stream stream_;
    Times times_;
    std::vector<Pair> onHost_;
    std::shared_ptr<DevicePosteriors> kept_;  ///< null if there is no room
    std::size_t roomToKeep_ = 0;              ///< bytes left for it
    std::size_t unsound_ = 0, repeated_ = 0, recomputedBatches_ = 0;
};

}  // namespace glycine::align::cuda
