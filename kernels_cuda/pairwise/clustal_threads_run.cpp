#include "kernels_cuda/pairwise/clustal_threads_run.hpp"

#include <algorithm>

#include "engine/core/stopwatch.hpp"
#include "engine/pairwise/clustal_scoring.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "kernels_cuda/device/linear_transfer.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/pairwise/intertask_run.hpp"
#include "kernels_cuda/pairwise/task_portions.hpp"

namespace glycine::pairwise::cuda {

using glycine::cuda::ClustalFound;
using glycine::cuda::ClustalTask;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::kAlignLanes;
using glycine::cuda::kAlignWarps;

namespace {

static_assert(glycine::cuda::kAlignCodes == kTableSide);

constexpr std::size_t kPairs = std::size_t{kAlignLanes} * kAlignWarps;  ///< that a block takes at once

/// Of device memory: a task, what is found, and a counter at most.
constexpr std::size_t kPairBytes = sizeof(ClustalTask) + sizeof(ClustalFound) + sizeof(std::uint32_t);

/// Cells that are queued at once: some tenths of a second on a large GPU.
constexpr double kCellsOfPortions = 5e10;

}  // namespace

std::size_t ClustalThreadsRun::leastBytes(const PairwiseRequest& request) {
    const std::size_t side = std::min(kLargestTile, std::max<std::size_t>(request.sequences, 1));
    return DeviceSequences::bytesOf(request.sequences, request.longest) +
           kTableSide * kTableSide * sizeof(std::int32_t) + side * side * kPairBytes +
           glycine::cuda::clustalMemoryBytes(request.longest, request.longest);
}

ClustalThreadsRun::ClustalThreadsRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences)
    : backend_(backend), sequences_(sequences) {
    const Stopwatch watch;
    there_ = sequencesOnDevice(backend, sequences);
    const SubstitutionMatrix& matrix = clustalMatrix(sequences.alphabet);
    std::vector<std::int32_t> table;
    for (std::size_t a = 0; a < kTableSide; ++a)
        for (std::size_t b = 0; b < kTableSide; ++b)
            table.push_back(a < matrix.size && b < matrix.size ? matrix.scores[a][b]
                                                               : glycine::cuda::kClustalNever);
    table_ = onDevice(backend_, table);
    times_.upload += watch.seconds();
}

double ClustalThreadsRun::cells(const ClustalTask& task) const {
    return static_cast<double>(letters(task.first)) * static_cast<double>(letters(task.second));
}

/// The longest first: the last ones leave multiprocessors idle. Columns of the tile are the sequences that
/// come first in the input.
std::vector<ClustalTask> ClustalThreadsRun::listTasks(const pairs::PairTile& tile) const {
    std::vector<std::size_t> firsts = placesByLength(sequences_, tile.columns),
                             seconds = placesByLength(sequences_, tile.rows);
    std::ranges::reverse(firsts);
    std::ranges::reverse(seconds);
    std::vector<ClustalTask> tasks;
    tasks.reserve(tile.pairs());
    for (const std::size_t first : firsts)
        for (const std::size_t second : seconds)
            if (first < second)
                tasks.push_back(
                    {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second),
                     clustalPenalties(sequences_.alphabet, letters(first), letters(second)).open});
    return tasks;
}

void ClustalThreadsRun::compute(const pairs::PairTile& tile,
                                std::span<const MatrixView<std::int32_t>> results, Progress& progress) {
    backend_.makeCurrent();
    Stopwatch watch;
    const std::vector<ClustalTask> tasks = listTasks(tile);
    if (tasks.empty()) return;
    const auto longest = [&](const Range& range) {
        std::size_t most = 0;
        for (std::size_t k = range.begin; k < range.end; ++k) most = std::max(most, letters(k));
        return most;
    };
    const std::size_t rows = longest(tile.columns), columns = longest(tile.rows);
    times_.pack += watch.restart();
    const auto tasksThere = onDevice(backend_, tasks);
    DeviceBuffer<ClustalFound> foundThere(backend_.memory(), tasks.size());

    const std::vector<TaskPortion> portions =
        portionsOf(tasks.size(), kCellsOfPortions, [&](std::size_t k) { return cells(tasks[k]); });
    const auto counters = onDevice(backend_, std::vector<std::uint32_t>(portions.size(), 0));

    // As many blocks as the device runs at once, and memory has room for.
    const std::size_t blockBytes = glycine::cuda::clustalMemoryBytes(rows, columns);
    const std::size_t wanted = std::min(static_cast<std::size_t>(glycine::cuda::clustalBlocksAtOnce()) *
                                            static_cast<std::size_t>(backend_.multiprocessors()),
                                        roundUp(tasks.size(), kPairs) / kPairs);
    // Another tile may have more pairs.
    const std::size_t side = std::min(kLargestTile, sequences_.size());
    const std::size_t kept = (side * side - std::min(side * side, tasks.size())) * kPairBytes;
    const std::size_t free = memory_.size() + backend_.memory().available();
    const std::size_t room = (free - std::min(free, kept)) / blockBytes;
    const std::size_t blocks = std::clamp<std::size_t>(room, 1, wanted);
    if (memory_.size() < blocks * blockBytes) {
        memory_ = {};
        memory_ = DeviceBuffer<std::byte>(backend_.memory(), blocks * blockBytes);
    }
    times_.upload += watch.restart();

    glycine::cuda::ClustalWork work{};
    work.codes = there_.codes.data();
    work.begins = there_.begins.data();
    work.table = table_.data();
    work.extend = clustalPenalties(sequences_.alphabet, 1, 1).extend;
    work.hasIdentities = !results[1].empty();
    work.memory = reinterpret_cast<std::int32_t*>(memory_.data());
    work.rows = static_cast<std::uint32_t>(rows);
    work.columns = static_cast<std::uint32_t>(columns);
    work.blocks = static_cast<std::uint32_t>(blocks);
    TileProgress told(sequences_, tile, progress);
    const glycine::cuda::WorkListener worked = [&](double done) { told.advance(done); };
    glycine::cuda::PacedReport report(worked, 1);
    for (std::size_t p = 0; p < portions.size(); ++p) {
        work.tasks = tasksThere.data() + portions[p].tasks.begin;
        work.taskCount = static_cast<std::uint32_t>(portions[p].tasks.size());
        work.nextTask = counters.data() + p;
        work.results = foundThere.data() + portions[p].tasks.begin;
        glycine::cuda::launchClustal({stream_.handle(), backend_.multiprocessors()}, work);
        report.queued(stream_, portions[p].cells);
    }
    report.settleAll();
    times_.compute += watch.restart();

    std::vector<ClustalFound> found(tasks.size());
    copyToHost(backend_, foundThere.data(), found.size(), found.data());
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const std::size_t row = tasks[k].second - tile.rows.begin,
                          column = tasks[k].first - tile.columns.begin;
        if (!results[0].empty()) results[0](row, column) = found[k].score;
        if (!results[1].empty()) results[1](row, column) = found[k].identities;
    }
    times_.download += watch.seconds();
}

}  // namespace glycine::pairwise::cuda
