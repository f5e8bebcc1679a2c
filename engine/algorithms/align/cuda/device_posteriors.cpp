#include "engine/algorithms/align/cuda/device_posteriors.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "engine/algorithms/align/cuda/linear_transfer.hpp"
#include "engine/algorithms/align/posterior/pair_model.hpp"
#include "engine/algorithms/align/reference/serial_posterior.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::align::cuda {

using glycine::cuda::DeviceBuffer;
using glycine::cuda::kPosteriorCodes;
using glycine::cuda::kPosteriorLanes;
using glycine::cuda::PosteriorFound;
using glycine::cuda::PosteriorRecord;
using glycine::cuda::PosteriorState;
using glycine::cuda::PosteriorTask;

namespace {

static_assert(kPosteriorCodes == kMostCodes);
static_assert(glycine::cuda::kMostPosteriorKinds == kMostGapKinds);

/// Of the memory that is free, what entries of each of two batches may take.
constexpr std::size_t kShareOfFound = 16;

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

/// Pairs that are wanted of a task.
std::size_t wantedPairs(const std::vector<PlannedTask>& tasks) {
    std::size_t count = 0;
    for (const PlannedTask& planned : tasks)
        count += static_cast<std::size_t>(std::popcount(planned.task.wanted));
    return count;
}

/// Entries as they were found, rows and in them columns descending but for the rows of a strip, in rows.
SparsePosterior inRows(const PosteriorFound* found, std::size_t count, std::size_t rows) {
    std::vector<std::uint32_t> begins(rows + 1, 0);
    for (std::size_t k = 0; k < count; ++k) ++begins[(found[k].place >> 16) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<PosteriorEntry> entries(count);
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t k = count; k-- > 0;)
        entries[next[found[k].place >> 16]++] = {found[k].place & 0xffff, found[k].value};
    return {std::move(begins), std::move(entries)};
}

}  // namespace

/// What the device hands over of one batch.
struct PosteriorsOnDevice::Batch {
    DeviceBuffer<PosteriorFound> found;
    DeviceBuffer<PosteriorRecord> records;
    glycine::cuda::Event done;
};

/// Both models on the device.
template <class Number>
struct PosteriorsOnDevice::Tables {
    glycine::cuda::PosteriorKinds kinds{};
    DeviceBuffer<glycine::cuda::PosteriorPair<Number>> odds;
    DeviceBuffer<glycine::cuda::PosteriorEnd> ends;
    glycine::cuda::PosteriorWork<Number> work{};  ///< what is the same for all launches

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
        work.codes = run.codes_.data();
        work.begins = run.begins_.data();
        work.sequences = run.orderThere_.data();
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
    : backend_(backend), sequences_(sequences), settings_(settings), order_(sequences.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t k) { return sequences.codes[k].size(); });
    std::vector<std::uint8_t> codes;
    codes.reserve(sequences.total());
    std::vector<std::uint64_t> begins;
    for (const std::vector<std::uint8_t>& one : sequences.codes) {
        begins.push_back(codes.size());
        codes.insert(codes.end(), one.begin(), one.end());
    }
    begins.push_back(codes.size());
    codes_ = onDevice(backend_, codes);
    begins_ = onDevice(backend_, begins);
    orderThere_ = onDevice(backend_, order_);
}

void PosteriorsOnDevice::complete(PosteriorSet& result, Progress& progress) {
    onHost_.clear();
    unsound_ = repeated_ = stretched_ = 0;
    progress.begin("posteriors", cellsOfPairs(sequences_, result));
    std::vector<std::size_t> lengths;
    for (const std::uint32_t sequence : order_) lengths.push_back(sequences_.codes[sequence].size());
    std::vector<PlannedTask> tasks = planTasks(lengths, settings_);
    leaveOut(tasks, result);
    // Gaps of nucleotides are so improbable that float32 seldom holds a row.
    if (!isNucleotide(sequences_.alphabet)) {
        tasks = computeTasks<float>(std::move(tasks), result, progress);
        unsound_ = wantedPairs(tasks);
    }
    leaveToHost(computeTasks<double>(std::move(tasks), result, progress));
    computeOnHost(result, progress);
}

/// Pairs that are there are not wanted, nor tasks without any that is.
void PosteriorsOnDevice::leaveOut(std::vector<PlannedTask>& tasks, const PosteriorSet& there) const {
    for (PlannedTask& planned : tasks)
        for (std::size_t lane = 0; lane < planned.task.count; ++lane) {
            const std::size_t other = planned.task.first + lane, columns = codes(other).size();
            if (!there.has(order_[planned.task.query], order_[other])) continue;
            planned.task.wanted &= ~(1U << lane);
            planned.entries -= columns * settings_.foundPerRow;
            planned.cells -= static_cast<double>(planned.rows) * static_cast<double>(columns);
        }
    std::erase_if(tasks, [](const PlannedTask& planned) { return planned.task.wanted == 0; });
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
                       reference::mergedPosterior(sequences_, order_[query], order_[other]),
                       codes(other).size());
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
        computeRound(std::move(tasks), tables, staged, result, rest, progress);
        unsound.insert(unsound.end(), rest.unsound.begin(), rest.unsound.end());
        // A round leaves what it has counted: the next one has room for all of it.
        tasks = std::move(rest.again);
        repeated_ += tasks.size();
        staged = std::max(staged, rest.mostEntries);
    }
    return unsound;
}

template <class Number>
void PosteriorsOnDevice::computeRound(std::vector<PlannedTask> tasks, const Tables<Number>& tables,
                                      std::size_t stagedEntries, PosteriorSet& result, Rest& rest,
                                      Progress& progress) {
    std::size_t entries = 0, largest = 1;
    for (const PlannedTask& planned : tasks) {
        entries += planned.entries;
        largest = std::max(largest, planned.entries);
    }
    const std::size_t available = backend_.memory().available();
    const std::size_t share = available / kShareOfFound / sizeof(PosteriorFound);
    const std::size_t room = std::max(largest, std::min({entries, share, settings_.mostFound}));
    // What is told of all tasks, and twice of those of a batch.
    const std::size_t told =
        tasks.size() * (sizeof(PosteriorTask) + sizeof(std::uint32_t) + sizeof(std::uint64_t) +
                        2 * kPosteriorLanes * sizeof(PosteriorRecord));
    const std::size_t taken = 2 * room * sizeof(PosteriorFound) + told + (std::size_t{1} << 20);
    std::vector<TaskGroup> groups;
    if (taken < available)
        groups = groupTasks(tasks, available - taken,
                            glycine::cuda::posteriorWarpsAtOnce<Number>(tables.kinds) *
                                static_cast<std::size_t>(backend_.multiprocessors()),
                            PosteriorFormat::of<Number>(tables.kinds, stagedEntries), settings_);
    leaveToHost(tasks);  // what the device has no memory for
    if (groups.empty()) return;

    std::vector<Batch> batches(2);
    for (Batch& batch : batches) batch.found = DeviceBuffer<PosteriorFound>(backend_.memory(), room);
    for (const TaskGroup& group : groups)
        computeGroup(group, tables, stagedEntries, batches, result, rest, progress);
}

template <class Number>
void PosteriorsOnDevice::computeGroup(const TaskGroup& group, const Tables<Number>& tables,
                                      std::size_t stagedEntries, std::vector<Batch>& batches,
                                      PosteriorSet& result, Rest& rest, Progress& progress) {
    constexpr std::size_t kRows = glycine::cuda::kPosteriorRows<Number>;
    const std::size_t room = batches.front().found.size();
    std::vector<Range> portions;
    std::vector<PosteriorTask> tasks;
    std::size_t entries = 0, most = 0;
    double cells = 0;
    for (std::size_t k = 0; k < group.tasks.size(); ++k) {
        const PlannedTask& planned = group.tasks[k];
        if (planned.task.stretchStrips < (planned.rows + kRows - 1) / kRows) ++stretched_;
        tasks.push_back(planned.task);
        if (portions.empty() || entries + planned.entries > room || cells >= settings_.cellsAtOnce) {
            portions.push_back({k, k});
            entries = 0;
            cells = 0;
        }
        portions.back().end = k + 1;
        entries += planned.entries;
        cells += planned.cells;
        most = std::max(most, portions.back().size());
    }
    const auto tasksThere = onDevice(backend_, tasks);
    const auto nextTasks = onDevice(backend_, std::vector<std::uint32_t>(portions.size(), 0));
    const auto foundCounts = onDevice(backend_, std::vector<unsigned long long>(portions.size(), 0));
    const DeviceBuffer<std::byte> memory(backend_.memory(), group.warps * group.bytesEach);
    for (Batch& batch : batches) {
        batch.records = {};
        batch.records = DeviceBuffer<PosteriorRecord>(backend_.memory(), most * kPosteriorLanes);
    }
    for (std::size_t p = 0; p <= portions.size(); ++p) {
        if (p < portions.size()) {
            const Batch& batch = batches[p % 2];
            glycine::cuda::PosteriorWork<Number> work = tables.work;
            work.tasks = tasksThere.data() + portions[p].begin;
            work.taskCount = static_cast<std::uint32_t>(portions[p].size());
            work.nextTask = nextTasks.data() + p;
            work.memory = memory.data();
            work.memoryEach = group.bytesEach;
            work.warps = static_cast<std::uint32_t>(std::min(group.warps, portions[p].size()));
            work.staged = static_cast<std::uint32_t>(stagedEntries);
            work.found = batch.found.data();
            work.foundRoom = room;
            work.foundCount = foundCounts.data() + p;
            work.records = batch.records.data();
            glycine::cuda::launchPosteriors({stream_.handle(), backend_.multiprocessors()}, tables.kinds,
                                            work);
            batch.done.record(stream_);
        }
        if (p > 0)
            fetch(group.tasks.data() + portions[p - 1].begin, portions[p - 1].size(), batches[(p - 1) % 2],
                  result, rest, progress);
    }
}

void PosteriorsOnDevice::fetch(const PlannedTask* tasks, std::size_t count, const Batch& batch,
                               PosteriorSet& result, Rest& rest, Progress& progress) {
    batch.done.synchronize();
    std::vector<PosteriorRecord> records(count * kPosteriorLanes);
    copyToHost(backend_, batch.records.data(), records.size(), records.data());
    const auto isWanted = [&](std::size_t task, std::size_t lane) {
        return (tasks[task].task.wanted >> lane & 1) != 0;
    };
    std::size_t end = 0;
    for (std::size_t task = 0; task < count; ++task)
        for (std::size_t lane = 0; lane < kPosteriorLanes; ++lane) {
            const PosteriorRecord& record = records[task * kPosteriorLanes + lane];
            if (isWanted(task, lane) && record.state == PosteriorState::Done && record.count > 0)
                end = std::max<std::size_t>(end, record.begin + record.count);
        }
    const auto found = std::make_unique_for_overwrite<PosteriorFound[]>(end);
    copyToHost(backend_, batch.found.data(), end, found.get());
    // Of each task what is to be done again, and what is unsound.
    std::vector<PlannedTask> again(tasks, tasks + count), unsound(tasks, tasks + count);
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
                    result.setPair(order_[planned.task.query], order_[other],
                                   inRows(found.get() + record.begin, record.count, planned.rows), columns);
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
        if (again[task].task.wanted != 0) rest.again.push_back(again[task]);
        if (unsound[task].task.wanted != 0) rest.unsound.push_back(unsound[task]);
        rest.mostEntries = std::max(rest.mostEntries, mostEntries[task]);
    }
}

}  // namespace glycine::align::cuda
