#include "kernels_cuda/alignment/posterior_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::align::cuda {

using glycine::cuda::kPosteriorLanes;
using glycine::cuda::PosteriorShape;

namespace {

/// Memory of warps begins at multiples of it.
constexpr std::size_t kAligned = 256;

/// The longest stretch with which a task takes no more than `bytes`; 0 where none does.
std::size_t longestStretch(PosteriorShape shape, std::size_t bytes, std::size_t most) {
    shape.stretch = 1;
    const std::size_t strips = shape.strips();
    for (shape.stretch = std::min({strips, most, bytes / shape.sumBytes()}); shape.stretch > 0;
         --shape.stretch)
        if (shape.bytes() <= bytes) return shape.stretch;
    return 0;
}

/// What a task takes with the stretch that needs least.
std::size_t leastBytes(PosteriorShape shape, std::size_t mostStretch) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    const std::size_t most = std::min(shape.strips(), mostStretch);
    for (shape.stretch = 1; shape.stretch <= most; ++shape.stretch) {
        const std::size_t bytes = shape.bytes();
        if (bytes > least) break;  // sums take more with each strip, states less and less so
        least = bytes;
    }
    return least;
}

std::size_t wholeBytes(PosteriorShape shape, std::size_t mostStretch) {
    shape.stretch = std::min(shape.strips(), mostStretch);
    return shape.bytes();
}

}  // namespace

std::vector<PlannedTask> planTasks(const std::vector<std::size_t>& lengths,
                                   const PosteriorSettings& settings) {
    std::vector<PlannedTask> tasks;
    for (std::size_t query = lengths.size(); query-- > 1;)
        for (std::size_t first = 0; first < query; first += kPosteriorLanes) {
            const std::size_t count = std::min<std::size_t>(kPosteriorLanes, query - first);
            PlannedTask planned;
            planned.task.query = static_cast<std::uint32_t>(query);
            planned.task.first = static_cast<std::uint32_t>(first);
            planned.task.count = static_cast<std::uint32_t>(count);
            planned.task.wanted = count == kPosteriorLanes ? 0xffffffffU : (1U << count) - 1;
            planned.rows = lengths[query];
            planned.width = lengths[first + count - 1];
            for (std::size_t other = first; other < first + count; ++other) {
                // A column has no more entries than a row.
                planned.entries += lengths[other] * settings.foundPerRow;
                planned.places += lengths[query] + lengths[other] + 2;
                planned.cells += static_cast<double>(lengths[query]) * static_cast<double>(lengths[other]);
            }
            tasks.push_back(planned);
        }
    // The last ones leave multiprocessors idle.
    std::ranges::stable_sort(tasks, std::ranges::greater{},
                             [](const PlannedTask& planned) { return planned.rows * planned.width; });
    return tasks;
}

std::vector<TaskGroup> groupTasks(std::vector<PlannedTask>& tasks, std::size_t bytes, std::size_t warpsAtOnce,
                                  const PosteriorFormat& format, const PosteriorSettings& settings) {
    const auto shapeOf = [&](const PlannedTask& planned) {
        return format.shapeOf(planned.rows, planned.width);
    };
    const std::size_t usual = bytes / std::max<std::size_t>(1, std::min(warpsAtOnce, tasks.size()));
    TaskGroup large, small;
    std::vector<PlannedTask> left;
    std::size_t largest = 0, whole = 0;
    for (const PlannedTask& planned : tasks) {
        const PosteriorShape shape = shapeOf(planned);
        const std::size_t least = roundUp(leastBytes(shape, settings.mostStretchStrips), kAligned);
        if (least > bytes) {
            left.push_back(planned);
        } else if (least > usual / kAligned * kAligned) {
            large.tasks.push_back(planned);
            largest = std::max(largest, least);
        } else {
            small.tasks.push_back(planned);
            whole = std::max(whole, roundUp(wholeBytes(shape, settings.mostStretchStrips), kAligned));
        }
    }
    tasks = std::move(left);
    std::vector<TaskGroup> groups;
    const auto add = [&](TaskGroup& group, std::size_t warps, std::size_t most) {
        if (group.tasks.empty()) return;
        group.warps = std::min(warps, group.tasks.size());
        group.bytesEach = std::min(bytes / group.warps / kAligned * kAligned, most);
        for (PlannedTask& planned : group.tasks)
            planned.task.stretchStrips = static_cast<std::uint32_t>(
                longestStretch(shapeOf(planned), group.bytesEach, settings.mostStretchStrips));
        groups.push_back(std::move(group));
    };
    add(large, largest == 0 ? 1 : std::min(bytes / largest, warpsAtOnce),
        std::numeric_limits<std::size_t>::max() / kAligned * kAligned);
    add(small, warpsAtOnce, whole);
    return groups;
}

std::size_t leastPosteriorBytes(const PosteriorRequest& request) {
    const PosteriorSettings settings;
    const std::size_t longest = std::max<std::size_t>(request.longest, 1);
    const std::size_t others =
        std::min<std::size_t>(std::max<std::size_t>(request.sequences, 1), kPosteriorLanes);
    // Tables, counters, and what a batch tells.
    const std::size_t tables =
        (std::size_t{2} << 20) + 4 * (longest + 3) * sizeof(glycine::cuda::PosteriorEnd);
    const std::size_t tasks = request.sequences * (request.sequences / kPosteriorLanes / 2 + 1);
    const std::size_t found = others * longest * settings.foundPerRow;
    const PosteriorShape shape =
        PosteriorFormat::of<float>({kMostGapKinds, kMostGapKinds}, settings.stagedPerRow * longest)
            .shapeOf(longest, longest);
    return request.sequences * (longest + sizeof(std::uint64_t) + sizeof(std::uint32_t)) + tables +
           batchBytes({found, std::max(found, others * (2 * longest + 2))}, tasks) +
           roundUp(leastBytes(shape, settings.mostStretchStrips), kAligned);
}

BatchRoom roomOf(std::span<const PlannedTask> tasks) {
    BatchRoom room;
    for (const PlannedTask& planned : tasks) {
        room.entries += planned.entries;
        room.places += planned.places;
    }
    return room;
}

std::vector<Range> batchesOf(const TaskGroup& group, const BatchRoom& room,
                             const PosteriorSettings& settings) {
    const std::size_t count = group.tasks.size(), warps = std::max<std::size_t>(group.warps, 1);
    const std::size_t most = std::max(
        warps, roundUp((count + settings.batches - 1) / std::max<std::size_t>(settings.batches, 1), warps));
    std::vector<Range> batches;
    for (std::size_t begin = 0; begin < count;) {
        std::size_t end = begin, entries = 0, places = 0;
        double cells = 0;
        for (; end < count && end - begin < most; ++end) {
            const PlannedTask& planned = group.tasks[end];
            entries += planned.entries;
            places += planned.places;
            cells += planned.cells;
            if (end > begin &&
                (entries > room.entries || places > room.places || cells > settings.cellsAtOnce))
                break;
        }
        if (end < count && end - begin > warps) end = begin + (end - begin) / warps * warps;
        batches.push_back({begin, end});
        begin = end;
    }
    return batches;
}

std::size_t slabBytes(const BatchRoom& room) {
    return 2 * room.entries * sizeof(PosteriorEntry) + room.places * sizeof(std::uint32_t);
}

std::size_t batchBytes(const BatchRoom& room, std::size_t tasks) {
    // Of each task itself, twice what becomes of its pairs, and where they come to; two counters a batch.
    const std::size_t told =
        sizeof(glycine::cuda::PosteriorTask) + sizeof(std::uint32_t) + sizeof(std::uint64_t) +
        kPosteriorLanes * (2 * sizeof(glycine::cuda::PosteriorRecord) + sizeof(std::uint64_t));
    return room.entries * sizeof(glycine::cuda::PosteriorFound) + 2 * slabBytes(room) + tasks * told;
}

}  // namespace glycine::align::cuda
