#include "kernels_cuda/alignment/device_posteriors.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/scaled_posterior.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::align::cuda {

using glycine::cuda::DeviceBuffer;
using glycine::cuda::kPosteriorCodes;
using glycine::cuda::kPosteriorLanes;
using glycine::cuda::PosteriorFound;
using glycine::cuda::PosteriorRecord;
using glycine::cuda::PosteriorShape;
using glycine::cuda::PosteriorState;
using glycine::cuda::PosteriorTask;

// ---- the plan

namespace {

/// The memory of each warp begins at a multiple of this.
constexpr std::size_t kAligned = 256;

/// The longest stretch with which a task needs at most `bytes`; 0 if there is none.
std::size_t longestStretch(PosteriorShape shape, std::size_t bytes, std::size_t most) {
    shape.stretch = 1;
    const std::size_t strips = shape.strips();
    for (shape.stretch = std::min({strips, most, bytes / shape.sumBytes()}); shape.stretch > 0;
         --shape.stretch)
        if (shape.bytes() <= bytes) return shape.stretch;
    return 0;
}

/// Bytes of a task with the stretch that needs least.
std::size_t leastBytes(PosteriorShape shape, std::size_t mostStretch) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    const std::size_t most = std::min(shape.strips(), mostStretch);
    for (shape.stretch = 1; shape.stretch <= most; ++shape.stretch) {
        const std::size_t bytes = shape.bytes();
        if (bytes > least) break;  // with each strip, sums need more, and states save less
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
    // Large tasks first, because the last tasks leave multiprocessors idle.
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
    // Tables, counters, and the records of a batch.
    const std::size_t tables =
        (std::size_t{2} << 20) + 4 * (longest + 3) * sizeof(glycine::cuda::PosteriorEnd);
    const std::size_t tasks = request.sequences * (request.sequences / kPosteriorLanes / 2 + 1);
    const std::size_t found = others * longest * settings.foundPerRow;
    const PosteriorShape shape =
        PosteriorFormat::of<float>({kMaxGapKinds, kMaxGapKinds}, settings.stagedPerRow * longest)
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
    // Per task: the task itself, twice the records of its pairs, and the offsets of their rows; two counters
    // per batch.
    const std::size_t taskBytes =
        sizeof(glycine::cuda::PosteriorTask) + sizeof(std::uint32_t) + sizeof(std::uint64_t) +
        kPosteriorLanes * (2 * sizeof(glycine::cuda::PosteriorRecord) + sizeof(std::uint64_t));
    return room.entries * sizeof(glycine::cuda::PosteriorFound) + 2 * slabBytes(room) + tasks * taskBytes;
}

namespace {

static_assert(kPosteriorCodes == kMaxCodes);
static_assert(glycine::cuda::kMaxPosteriorKinds == kMaxGapKinds);

/// The share of free memory for the entries of a batch is 1 / this. They need it five times: as found, and
/// for two batches in rows of both directions.
constexpr std::size_t kShareOfFound = 24;
/// The share of free memory that may stay on the device is 1 / this.
constexpr std::size_t kShareOfKept = 3;
/// The share of the entries' room that they use: 13 of 20 per row.
constexpr double kShareOfRoom = 0.65;

template <class Number>
glycine::cuda::PosteriorModel<Number> stepsOf(const PairModel& model) {
    glycine::cuda::PosteriorModel<Number> steps{};
    steps.match = static_cast<Number>(model.match);
    for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
        steps.open[kind] = static_cast<Number>(model.open[kind]);
        steps.extend[kind] = static_cast<Number>(model.extend[kind]);
        steps.close[kind] = static_cast<Number>(model.close[kind]);
    }
    return steps;
}

std::span<const PlannedTask> tasksOf(const TaskGroup& group, const Range& portion) {
    return std::span(group.tasks).subspan(portion.begin, portion.size());
}

/// The number of wanted pairs of the tasks.
std::size_t wantedPairs(const std::vector<PlannedTask>& tasks) {
    std::size_t count = 0;
    for (const PlannedTask& planned : tasks)
        count += static_cast<std::size_t>(std::popcount(planned.task.wanted));
    return count;
}

}  // namespace

/// The device's results for one batch.
struct PosteriorsOnDevice::Batch {
    PosteriorSlab slab;
    DeviceBuffer<PosteriorRecord> records;
    glycine::cuda::Event begun{glycine::cuda::Event::Kind::Timing}, found{glycine::cuda::Event::Kind::Timing},
        done{glycine::cuda::Event::Kind::Timing};
};

/// Both models on the device.
template <class Number>
struct PosteriorsOnDevice::Tables {
    glycine::cuda::PosteriorKinds kinds{};
    DeviceBuffer<glycine::cuda::PosteriorPair<Number>> odds;
    DeviceBuffer<glycine::cuda::PosteriorEnd> ends;
    glycine::cuda::PosteriorWork<Number> work{};  ///< the parts common to all launches

    Tables(const PosteriorsOnDevice& run) {
        const PairModel& one = hiddenMarkovModel(run.sequences_.alphabet);
        const PairModel& other = partitionModel(run.sequences_.alphabet);
        kinds = glycine::cuda::posteriorKernelKinds(
            {static_cast<std::uint32_t>(one.gapKinds), static_cast<std::uint32_t>(other.gapKinds)});
        std::vector<glycine::cuda::PosteriorPair<Number>> pairs(kPosteriorCodes * kPosteriorCodes);
        const std::size_t codes = std::min<std::size_t>(one.codes, kPosteriorCodes - 1);
        for (std::size_t a = 0; a < codes; ++a)
            for (std::size_t b = 0; b < codes; ++b)
                pairs[a * kPosteriorCodes + b] = {static_cast<Number>(one.odds[a][b]),
                                                  static_cast<Number>(other.odds[a][b])};
        odds = onDevice(run.backend_, pairs);
        const std::size_t most = run.sequences_.longest() + 2;
        std::vector<glycine::cuda::PosteriorEnd> weights;
        for (const std::vector<ScaledNumber>& part :
             {one.leads(most), one.trails(most), other.leads(most), other.trails(most)})
            for (const ScaledNumber& weight : part)
                weights.push_back({static_cast<float>(weight.mantissa), weight.exponent});
        ends = onDevice(run.backend_, weights);
        work.codes = run.deviceSequences_.codes.data();
        work.begins = run.deviceSequences_.begins.data();
        work.sequences = run.deviceOrder_.data();
        work.odds = odds.data();
        work.models[0] = stepsOf<Number>(one);
        work.models[1] = stepsOf<Number>(other);
        for (std::size_t model = 0; model < 2; ++model) {
            work.models[model].leads = ends.data() + 2 * model * (most + 1);
            work.models[model].trails = work.models[model].leads + (most + 1);
        }
        constexpr auto kCutoff = static_cast<Number>(kSmallestPosterior);
        work.limit = 2 * kCutoff * kCutoff;
    }
};

PosteriorsOnDevice::PosteriorsOnDevice(glycine::cuda::CudaBackend& backend, const Sequences& sequences,
                                       const PosteriorSettings& settings)
    : backend_(backend),
      sequences_(sequences),
      settings_(settings),
      order_(sequences.size()),
      deviceSequences_(pairwise::cuda::sequencesOnDevice(backend, sequences)) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t k) { return sequences.codes[k].size(); });
    deviceOrder_ = onDevice(backend_, order_);
}

void PosteriorsOnDevice::complete(PosteriorSet& result, Progress& progress) {
    onHost_.clear();
    times_ = {};
    unsound_ = repeated_ = recomputedBatches_ = 0;
    progress.begin("posteriors", cellsOfPairs(sequences_, result));
    std::vector<std::size_t> lengths;
    for (const std::uint32_t sequence : order_) lengths.push_back(sequences_.codes[sequence].size());
    std::vector<PlannedTask> tasks = planTasks(lengths, settings_);
    const bool isWhole = !removeKnownPairs(tasks, result);
    const std::size_t mostKept =
        std::min(settings_.mostKeptBytes, backend_.memory().available() / kShareOfKept);
    const auto expected =
        static_cast<std::size_t>(kShareOfRoom * static_cast<double>(slabBytes(roomOf(tasks))));
    kept_ = isWhole && expected <= mostKept ? std::make_shared<DevicePosteriors>() : nullptr;
    roomToKeep_ = kept_ ? expected : 0;
    // Nucleotide gaps are so improbable that a row seldom fits the range of float32.
    if (!isNucleotide(sequences_.alphabet)) {
        tasks = computeTasks<float>(std::move(tasks), result, progress);
        unsound_ = wantedPairs(tasks);
    }
    leaveToHost(computeTasks<double>(std::move(tasks), result, progress));
    stream_.synchronize();
    if (onHost_.empty()) result.keepResident(std::exchange(kept_, nullptr));
    kept_.reset();
    computeOnHost(result, progress);
}

/// Removes pairs that `there` already has, and tasks without any wanted pair. Returns whether there were such
/// pairs.
bool PosteriorsOnDevice::removeKnownPairs(std::vector<PlannedTask>& tasks, const PosteriorSet& there) const {
    bool areSome = false;
    for (PlannedTask& planned : tasks)
        for (std::size_t lane = 0; lane < planned.task.count; ++lane) {
            const std::size_t other = planned.task.first + lane, columns = codes(other).size();
            if (!there.has(order_[planned.task.query], order_[other])) continue;
            areSome = true;
            planned.task.wanted &= ~(1U << lane);
            planned.entries -= columns * settings_.foundPerRow;
            planned.cells -= static_cast<double>(planned.rows) * static_cast<double>(columns);
        }
    std::erase_if(tasks, [](const PlannedTask& planned) { return planned.task.wanted == 0; });
    return areSome;
}

void PosteriorsOnDevice::leaveToHost(const std::vector<PlannedTask>& tasks) {
    for (const PlannedTask& planned : tasks)
        for (std::size_t lane = 0; lane < planned.task.count; ++lane)
            if ((planned.task.wanted >> lane & 1) != 0)
                onHost_.emplace_back(planned.task.query, planned.task.first + lane);
}

void PosteriorsOnDevice::computeOnHost(PosteriorSet& result, Progress& progress) {
    parallelFor(omp_get_max_threads(), onHost_.size(), [&](std::size_t k, std::size_t) {
        progress.throwIfCancelled();
        const auto [query, other] = onHost_[k];
        result.setPair(order_[query], order_[other],
                       scaledPosterior(sequences_, order_[query], order_[other]), codes(other).size());
        progress.advance(static_cast<double>(codes(query).size()) * static_cast<double>(codes(other).size()));
    });
}

template <class Number>
std::vector<PlannedTask> PosteriorsOnDevice::computeTasks(std::vector<PlannedTask> tasks,
                                                          PosteriorSet& result, Progress& progress) {
    std::vector<PlannedTask> unsound;
    if (tasks.empty()) return unsound;
    const Tables<Number> tables(*this);
    std::size_t longest = 1;
    for (const PlannedTask& planned : tasks) longest = std::max(longest, planned.rows);
    std::size_t staged = std::max<std::size_t>(longest * settings_.stagedPerRow, 1);
    while (!tasks.empty()) {
        Rest rest;
        const std::size_t before = wantedPairs(tasks), stagedBefore = staged;
        computeRound(std::move(tasks), tables, staged, result, rest, progress);
        unsound.insert(unsound.end(), rest.unsound.begin(), rest.unsound.end());
        // A round reports the number of entries that it found: the next one has room for all of them.
        tasks = std::move(rest.again);
        repeated_ += tasks.size();
        staged = std::max(staged, rest.mostEntries);
        if (wantedPairs(tasks) == before && staged == stagedBefore)
            throw ImpossibleResultError(
                fmt::format("{} have more posteriors than fit, but the device reports fewer",
                            formatCount(before, "pair")));
    }
    return unsound;
}

template <class Number>
void PosteriorsOnDevice::computeRound(std::vector<PlannedTask> tasks, const Tables<Number>& tables,
                                      std::size_t stagedEntries, PosteriorSet& result, Rest& rest,
                                      Progress& progress) {
    const BatchRoom all = roomOf(tasks);
    BatchRoom largest{1, 1};
    for (const PlannedTask& planned : tasks) {
        largest.entries = std::max(largest.entries, planned.entries);
        largest.places = std::max(largest.places, planned.places);
    }
    const std::size_t available = backend_.memory().available();
    const std::size_t share = available / kShareOfFound / sizeof(PosteriorFound);
    BatchRoom room;
    room.entries = std::max(largest.entries, std::min({all.entries, share, settings_.mostFound}));
    room.places = std::max(largest.places, std::min(all.places, room.entries));
    const std::size_t taken = batchBytes(room, tasks.size()) + roomToKeep_ + (std::size_t{1} << 20);
    std::vector<TaskGroup> groups;
    if (taken < available)
        groups = groupTasks(tasks, available - taken,
                            glycine::cuda::posteriorWarpsAtOnce<Number>(tables.kinds) *
                                static_cast<std::size_t>(backend_.multiprocessors()),
                            PosteriorFormat::of<Number>(tables.kinds, stagedEntries), settings_);
    leaveToHost(tasks);  // tasks for which the device has no memory
    if (groups.empty()) return;

    std::vector<std::vector<Range>> portions;
    BatchRoom most{1, 1};
    for (const TaskGroup& group : groups) {
        portions.push_back(batchesOf(group, room, settings_));
        for (const Range& portion : portions.back()) {
            const BatchRoom here = roomOf(tasksOf(group, portion));
            most.entries = std::max(most.entries, here.entries);
            most.places = std::max(most.places, here.places);
        }
    }
    const DeviceBuffer<PosteriorFound> found(backend_.memory(), most.entries);
    std::vector<Batch> batches(2);
    for (std::size_t k = 0; k < groups.size(); ++k)
        computeGroup(groups[k], portions[k], tables, stagedEntries, most, found, batches, result, rest,
                     progress);
}

template <class Number>
void PosteriorsOnDevice::computeGroup(const TaskGroup& group, const std::vector<Range>& portions,
                                      const Tables<Number>& tables, std::size_t stagedEntries,
                                      const BatchRoom& room, const DeviceBuffer<PosteriorFound>& found,
                                      std::vector<Batch>& batches, PosteriorSet& result, Rest& rest,
                                      Progress& progress) {
    constexpr std::size_t kRows = glycine::cuda::kPosteriorRows<Number>;
    std::vector<PosteriorTask> tasks;
    std::vector<std::uint64_t> placeBegins(group.tasks.size() * kPosteriorLanes);
    std::size_t most = 0;
    for (const Range& portion : portions) {
        std::uint64_t places = 0;
        for (std::size_t k = portion.begin; k < portion.end; ++k) {
            const PlannedTask& planned = group.tasks[k];
            tasks.push_back(planned.task);
            if (planned.task.stretchStrips * kRows < planned.rows) ++recomputedBatches_;
            for (std::size_t lane = 0; lane < planned.task.count; ++lane) {
                placeBegins[k * kPosteriorLanes + lane] = places;
                places += planned.rows + codes(planned.task.first + lane).size() + 2;
            }
        }
        most = std::max(most, portion.size());
    }
    const auto deviceTasks = onDevice(backend_, tasks);
    const auto devicePlaceBegins = onDevice(backend_, placeBegins);
    const auto nextTasks = onDevice(backend_, std::vector<std::uint32_t>(portions.size(), 0));
    const auto foundCounts = onDevice(backend_, std::vector<unsigned long long>(portions.size(), 0));
    const DeviceBuffer<std::byte> memory(backend_.memory(), group.warps * group.bytesEach);
    for (Batch& batch : batches) {
        batch.records = {};
        batch.records = DeviceBuffer<PosteriorRecord>(backend_.memory(), most * kPosteriorLanes);
    }
    const glycine::cuda::Launch launch{stream_.handle(), backend_.multiprocessors()};
    for (std::size_t p = 0; p <= portions.size(); ++p) {
        if (p < portions.size()) {
            const Range portion = portions[p];
            Batch& batch = batches[p % 2];
            if (!batch.slab.places)
                batch.slab = PosteriorSlab::withRoom(backend_.memory(), room.places, 2 * room.entries);
            glycine::cuda::PosteriorWork<Number> work = tables.work;
            work.tasks = deviceTasks.data() + portion.begin;
            work.taskCount = static_cast<std::uint32_t>(portion.size());
            work.nextTask = nextTasks.data() + p;
            work.memory = memory.data();
            work.memoryEach = group.bytesEach;
            work.warps = static_cast<std::uint32_t>(std::min(group.warps, portion.size()));
            work.staged = static_cast<std::uint32_t>(stagedEntries);
            work.found = found.data();
            work.foundRoom = batch.slab.entries.size() / 2;
            work.foundCount = foundCounts.data() + p;
            work.records = batch.records.data();
            batch.begun.record(stream_);
            glycine::cuda::launchPosteriors(launch, tables.kinds, work);
            batch.found.record(stream_);
            glycine::cuda::launchPosteriorOrder(
                launch, {work.begins, work.sequences, work.tasks, work.taskCount, work.records, work.found,
                         devicePlaceBegins.data() + portion.begin * kPosteriorLanes,
                         batch.slab.places->data(), batch.slab.entries.data()});
            batch.done.record(stream_);
        }
        if (p > 0) {
            const Range portion = portions[p - 1];
            fetch(tasksOf(group, portion),
                  std::span(placeBegins)
                      .subspan(portion.begin * kPosteriorLanes, portion.size() * kPosteriorLanes),
                  batches[(p - 1) % 2], result, rest, progress);
        }
    }
}

/// Keeps the used part of a slab, as long as everything kept fits the room reserved for it.
void PosteriorsOnDevice::keep(const PosteriorSlab& slab) {
    if (!kept_) return;
    const std::size_t bytes =
        slab.usedPlaces * sizeof(std::uint32_t) + slab.usedEntries * sizeof(PosteriorEntry);
    if (bytes > roomToKeep_) {
        kept_.reset();
        roomToKeep_ = 0;
        return;
    }
    roomToKeep_ -= bytes;
    auto copy = std::make_shared<PosteriorSlab>(
        PosteriorSlab::withRoom(backend_.memory(), slab.usedPlaces, slab.usedEntries));
    glycine::cuda::copyThere(stream_.handle(), slab.places->data(), slab.usedPlaces * sizeof(std::uint32_t),
                             copy->places->data());
    glycine::cuda::copyThere(stream_.handle(), slab.entries.data(), slab.usedEntries * sizeof(PosteriorEntry),
                             copy->entries.data());
    copy->pairs = slab.pairs;
    copy->usedPlaces = slab.usedPlaces;
    copy->usedEntries = slab.usedEntries;
    kept_->slabs.push_back(std::move(copy));
}

/// Throws ImpossibleResultError for records of wanted pairs that no pair can have, given room for `room`
/// entries.
void PosteriorsOnDevice::requireRecords(std::span<const PlannedTask> tasks,
                                        std::span<const PosteriorRecord> records, std::size_t room) const {
    for (std::size_t task = 0; task < tasks.size(); ++task)
        for (std::size_t lane = 0; lane < tasks[task].task.count; ++lane) {
            if ((tasks[task].task.wanted >> lane & 1) == 0) continue;
            const PosteriorRecord& record = records[task * kPosteriorLanes + lane];
            const std::size_t other = tasks[task].task.first + lane;
            const auto name = [&](const char* what) {
                return fmt::format("{} of the posteriors of sequences {} and {}", what,
                                   order_[tasks[task].task.query] + 1, order_[other] + 1);
            };
            requireBelow(static_cast<std::size_t>(record.state),
                         static_cast<std::size_t>(PosteriorState::NoRoom) + 1, [&] { return name("state"); });
            requireBelow(record.count, tasks[task].rows * codes(other).size() + 1,
                         [&] { return name("number"); });
            if (record.state == PosteriorState::Done && record.count > 0)
                requireBelow(static_cast<std::size_t>(record.begin),
                             room - std::min<std::size_t>(record.count - 1, room),
                             [&] { return name("place"); });
        }
}

void PosteriorsOnDevice::fetch(std::span<const PlannedTask> tasks, std::span<const std::uint64_t> placeBegins,
                               Batch& batch, PosteriorSet& result, Rest& rest, Progress& progress) {
    Stopwatch watch;
    batch.done.synchronize();
    times_.waiting += watch.restart();
    times_.posteriors += glycine::cuda::Event::secondsBetween(batch.begun, batch.found);
    times_.rows += glycine::cuda::Event::secondsBetween(batch.found, batch.done);
    ++times_.batches;
    const std::size_t count = tasks.size();
    std::vector<PosteriorRecord> records(count * kPosteriorLanes);
    copyToHost(backend_, batch.records.data(), records.size(), records.data());
    requireRecords(tasks, records, batch.slab.entries.size() / 2);
    const auto isWanted = [&](std::size_t task, std::size_t lane) {
        return (tasks[task].task.wanted >> lane & 1) != 0;
    };
    const auto placed = [&](std::size_t task, std::size_t lane) {
        const std::size_t pair = task * kPosteriorLanes + lane, other = tasks[task].task.first + lane;
        return PlacedPair{order_[tasks[task].task.query],
                          order_[other],
                          static_cast<std::uint32_t>(tasks[task].rows),
                          static_cast<std::uint32_t>(codes(other).size()),
                          placeBegins[pair],
                          records[pair].count == 0 ? 0 : 2 * records[pair].begin,
                          records[pair].count};
    };
    PosteriorSlab& slab = batch.slab;
    slab.pairs.clear();
    slab.usedPlaces = slab.usedEntries = 0;
    for (std::size_t task = 0; task < count; ++task)
        for (std::size_t lane = 0; lane < tasks[task].task.count; ++lane) {
            const PosteriorRecord& record = records[task * kPosteriorLanes + lane];
            if (!isWanted(task, lane) || record.state != PosteriorState::Done) continue;
            const PlacedPair pair = placed(task, lane);
            slab.usedPlaces =
                std::max<std::size_t>(slab.usedPlaces, pair.places + pair.rows + pair.columns + 2);
            if (pair.count > 0)
                slab.usedEntries =
                    std::max<std::size_t>(slab.usedEntries, pair.entries + 2 * std::size_t{pair.count});
            if (kept_) slab.pairs.push_back(pair);
        }
    const HostSlab here(backend_, slab, result);
    keep(slab);
    // For each task: the pairs to repeat with more room, and the unsound pairs.
    std::vector<PlannedTask> again(tasks.begin(), tasks.end()), unsound(again);
    std::vector<std::size_t> mostEntries(count, 0);
    parallelFor(omp_get_max_threads(), count, [&](std::size_t task, std::size_t) {
        const PlannedTask& planned = tasks[task];
        for (PlannedTask* part : {&again[task], &unsound[task]}) {
            part->task.wanted = 0;
            part->entries = 0;
            part->cells = 0;
        }
        const auto leave = [](PlannedTask& part, std::size_t lane, std::size_t entries, double cells) {
            part.task.wanted |= 1U << lane;
            part.entries += entries;
            part.cells += cells;
        };
        double done = 0;
        for (std::size_t lane = 0; lane < planned.task.count; ++lane) {
            if (!isWanted(task, lane)) continue;
            const PosteriorRecord& record = records[task * kPosteriorLanes + lane];
            const std::size_t other = planned.task.first + lane, columns = codes(other).size();
            const double cells = static_cast<double>(planned.rows) * static_cast<double>(columns);
            switch (record.state) {
                case PosteriorState::Done:
                    here.place(placed(task, lane), result);
                    done += cells;
                    break;
                case PosteriorState::Unsound:
                    leave(unsound[task], lane, columns * settings_.foundPerRow, cells);
                    break;
                case PosteriorState::Overflow:
                    mostEntries[task] = std::max<std::size_t>(mostEntries[task], record.count);
                    [[fallthrough]];
                case PosteriorState::NoRoom:
                    leave(again[task], lane, record.count, cells);
                    break;
            }
        }
        progress.advance(done);
    });
    for (std::size_t task = 0; task < count; ++task) {
        for (std::size_t lane = 0; lane < tasks[task].task.count; ++lane)
            if (isWanted(task, lane) && records[task * kPosteriorLanes + lane].state == PosteriorState::Done)
                result.notifyListener(order_[tasks[task].task.query], order_[tasks[task].task.first + lane]);
        if (again[task].task.wanted != 0) rest.again.push_back(again[task]);
        if (unsound[task].task.wanted != 0) rest.unsound.push_back(unsound[task]);
        rest.mostEntries = std::max(rest.mostEntries, mostEntries[task]);
    }
    times_.fetching += watch.seconds();
}

}  // namespace glycine::align::cuda
