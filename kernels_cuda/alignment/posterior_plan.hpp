#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"

/// How posteriors of all pairs are shared out to warps, batches and memory.
namespace glycine::align::cuda {

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

}  // namespace glycine::align::cuda
