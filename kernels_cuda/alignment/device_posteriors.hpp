#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posteriors.hpp"
#include "kernels_cuda/alignment/posterior_plan.hpp"
#include "kernels_cuda/alignment/resident_posteriors.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/pairwise/device_sequences.hpp"

namespace glycine::align::cuda {

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
