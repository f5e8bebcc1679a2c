#include "kernels_cuda/pairwise/intertask_run.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/pairwise/device_sequences.hpp"
#include "kernels_cuda/pairwise/pair_stripes.hpp"

namespace glycine::pairwise::cuda {

using glycine::cuda::AlignNumber;
using glycine::cuda::AlignTask;
using glycine::cuda::kAlignLanes;
using glycine::cuda::kStripeWarps;
using glycine::cuda::StripeShape;

bool prefersStripes(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
                    bool isDiagonal, std::size_t multiprocessors) {
    // Cycles per cell. A lone lane: six sequences of 3,837 letters in 125 ms. All lanes: 1,000 sequences of
    // 457 letters at 2,275 GCUPS.
    constexpr double kLoneCell = 15, kCellOfWarp = 3;
    // Cycles per step of eight cells per lane: the latency of a warp, and the time that it occupies a
    // multiprocessor.
    constexpr double kLoneStep = 200, kStepOfWarp = 25;
    // The costs of lanes are better known than those of stripes.
    constexpr double kMargin = 2;
    constexpr std::size_t kTasksOfMany = 32;
    const auto columnsOf = [&](std::size_t row) {
        return isDiagonal ? std::min(row, columns.size()) : columns.size();
    };
    std::size_t tasks = 0;
    for (std::size_t row = 0; row < rows.size(); ++row)
        tasks += (columnsOf(row) + kAlignLanes - 1) / kAlignLanes;
    // This many tasks fill the device.
    if (tasks > kTasksOfMany * multiprocessors) return false;
    const auto share = static_cast<double>(std::max<std::size_t>(multiprocessors, 1));
    double longestTask = 0, allTasks = 0, longestPair = 0, allPairs = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::size_t end = columnsOf(row);
        for (std::size_t first = 0; first < end; first += kAlignLanes) {
            const std::size_t behind = std::min<std::size_t>(first + kAlignLanes, end);
            const double cells = static_cast<double>(rows[row]) * static_cast<double>(columns[behind - 1]);
            longestTask = std::max(longestTask, cells * kLoneCell);
            allTasks += cells * kCellOfWarp;
            for (std::size_t column = first; column < behind; ++column) {
                StripeShape shape{static_cast<unsigned>(rows[row]), static_cast<unsigned>(columns[column]),
                                  kStripeWarps};
                double steps = 0, busy = 0;
                for (unsigned panel = 0; panel < shape.panels(); ++panel) {
                    steps += shape.stepsOf(panel);
                    busy += static_cast<double>(shape.stepsOf(panel)) * shape.warpsOf(panel) * kStepOfWarp;
                }
                longestPair = std::max(longestPair, std::max(steps * kLoneStep, busy));
                allPairs += busy;
            }
        }
    }
    return kMargin * std::max(longestPair, allPairs / share) < std::max(longestTask, allTasks / share);
}

namespace {

static_assert(glycine::cuda::kAlignCodes == kTableSide);

/// Cells queued at once: a tenth of a second on a large GPU.
constexpr double kCellsAtOnce = 2e11;

/// Blocks for stripes per multiprocessor, which runs 1 to 16 of them at once.
constexpr std::size_t kStripeBlocksEach = 16;

/// The first compute capability (9.0) with instructions for two 16-bit numbers at once.
constexpr int kFirstWithPairs = 90;

std::size_t sideOf(std::size_t sequences) {
    return std::min(kLargestTile, std::max<std::size_t>(sequences, 1));
}

}  // namespace

std::size_t InterTaskRun::leastBytes(const PairwiseRequest& request) {
    const std::size_t side = sideOf(request.sequences);
    const std::size_t tasks = side * ((side + kAlignLanes - 1) / kAlignLanes + 1);
    return DeviceSequences::bytesOf(request.sequences, request.longest) + side * side * sizeof(std::int64_t) +
           tasks * sizeof(AlignTask) + glycine::cuda::alignStateBytes(AlignNumber::Int64, request.longest);
}

InterTaskRun::InterTaskRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences,
                           const PairScoring& scoring, StripeUse stripes)
    : backend_(backend), sequences_(sequences), scoring_(scoring), stripes_(stripes) {
    const Stopwatch watch;
    deviceSequences_ = sequencesOnDevice(backend, sequences);
    // Kernels are loaded here, because CUDA makes the first call about a kernel wait while another device
    // starts.
    for (const AlignNumber number : {AlignNumber::Pair16, AlignNumber::Int32, AlignNumber::Int64})
        blocksAtOnce_[static_cast<std::size_t>(number)] =
            static_cast<std::size_t>(backend.multiprocessors()) *
            static_cast<std::size_t>(glycine::cuda::alignBlocksAtOnce(
                number, recurrenceOf(scoring), static_cast<unsigned>(scoring.matrix.size)));
    times_.upload += watch.seconds();
}

std::string InterTaskRun::note() const {
    std::string text = wideCells_ > 0 ? "numbers of 64 bits for the longest sequences" : "";
    if (hasStripes_) text += text.empty() ? "few pairs in stripes" : "; few pairs in stripes";
    return text;
}

bool InterTaskRun::takesStripes(const pairs::PairTile& tile, const Lists& lists) const {
    if (stripes_ != StripeUse::WherePairsAreFew) return stripes_ == StripeUse::Always;
    const auto lengthsOf = [&](const std::vector<std::uint32_t>& list) {
        std::vector<std::size_t> lengths;
        for (const std::uint32_t sequence : list) lengths.push_back(letters(sequence));
        return lengths;
    };
    return prefersStripes(lengthsOf(lists.rows), lengthsOf(lists.columns), tile.isDiagonal(),
                          static_cast<std::size_t>(backend_.multiprocessors()));
}

std::vector<InterTaskRun::TaskClass> InterTaskRun::classesFor(bool hasIdentities, bool isInStripes) const {
    const std::size_t longest = sequences_.longest();
    std::vector<TaskClass> classes;
    if (!isInStripes && !hasIdentities && backend_.computeCapability() >= kFirstWithPairs)
        classes.push_back({AlignNumber::Pair16, mostLetters<std::int16_t>(scoring_, false, longest)});
    classes.push_back({AlignNumber::Int32, mostLetters<std::int32_t>(scoring_, hasIdentities, longest)});
    classes.push_back({AlignNumber::Int64, longest});
    for (TaskClass& one : classes) one.isInStripes = isInStripes;
    return classes;
}

void InterTaskRun::listTasks(const pairs::PairTile& tile, const Lists& lists,
                             std::vector<TaskClass>& classes) const {
    std::vector<double> before{0};  // letters of the columns before each
    for (const std::uint32_t column : lists.columns)
        before.push_back(before.back() + static_cast<double>(letters(column)));
    const auto add = [&](TaskClass& one, std::size_t query, Range columns, std::size_t queries) {
        const double width = before[columns.end] - before[columns.begin];
        double rows = 0;
        for (std::size_t q = query; q < query + queries; ++q)
            rows += static_cast<double>(letters(lists.rows[q]));
        one.tasks.push_back({static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(columns.begin)});
        one.cells.push_back(rows * width);
    };
    const auto fits = [&](const TaskClass& one, std::size_t query, Range columns) {
        return letters(lists.rows[query]) <= one.longest &&
               letters(lists.columns[columns.end - 1]) <= one.longest;
    };
    const auto isWanted = [&](std::size_t query, Range columns) {
        return !tile.isDiagonal() || columns.begin < query;
    };
    const bool hasPairs = classes.front().number == AlignNumber::Pair16;
    const std::span<TaskClass> single = std::span(classes).subspan(hasPairs ? 1 : 0);
    const std::size_t step = hasPairs ? 2 : 1;
    for (std::size_t query = 0; query < lists.rows.size(); query += step) {
        const std::size_t last = std::min(query + step, lists.rows.size()) - 1;
        for (const Range& columns : splitRange(lists.columns.size(), kAlignLanes)) {
            if (!isWanted(last, columns)) break;
            if (hasPairs && fits(classes.front(), last, columns)) {
                add(classes.front(), query, columns, last + 1 - query);
                continue;
            }
            for (std::size_t q = query; q <= last; ++q)
                if (isWanted(q, columns))
                    add(*std::ranges::find_if(single,
                                              [&](const TaskClass& one) { return fits(one, q, columns); }),
                        q, columns, 1);
        }
    }
    // Largest first, because the last tasks leave multiprocessors idle.
    for (TaskClass& one : classes) {
        std::vector<std::size_t> order(one.tasks.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return one.cells[k]; });
        TaskClass sorted{one.number, one.longest};
        sorted.isInStripes = one.isInStripes;
        for (const std::size_t k : order) {
            sorted.tasks.push_back(one.tasks[k]);
            sorted.cells.push_back(one.cells[k]);
        }
        one = std::move(sorted);
    }
}

void InterTaskRun::work(const pairs::PairTile& tile, const Lists& lists, const TaskClass& tasks,
                        bool hasIdentities, TileProgress& progress) {
    const LaneNumbers numbers(scoring_, tasks.longest, tasks.longest, hasIdentities);
    std::vector<std::int64_t> table(kTableSide * kTableSide);
    numbers.fill(table.data());
    const Recurrence recurrence = recurrenceOf(scoring_);
    const auto alphabet = static_cast<unsigned>(scoring_.matrix.size);
    std::size_t longestQuery = 0, longestColumns = 0;
    for (const AlignTask& task : tasks.tasks) {
        const std::size_t behind = std::min<std::size_t>(task.column + kAlignLanes, lists.columns.size());
        longestColumns = std::max(longestColumns, letters(lists.columns[behind - 1]));
        for (std::size_t q = task.query; q < std::min<std::size_t>(task.query + 2, lists.rows.size()); ++q)
            longestQuery = std::max(longestQuery, std::min(letters(lists.rows[q]), tasks.longest));
    }
    refill(backend_, table_, table);
    refill(backend_, tasks_, tasks.tasks);

    // As many blocks as the device runs at once and as fit in memory.
    const std::size_t stateBytes = tasks.isInStripes
                                       ? glycine::cuda::stripeStateBytes(longestQuery)
                                       : glycine::cuda::alignStateBytes(tasks.number, longestQuery);
    const std::size_t wanted =
        tasks.isInStripes ? std::min(tasks.tasks.size() * kAlignLanes,
                                     kStripeBlocksEach * static_cast<std::size_t>(backend_.multiprocessors()))
                          : std::min<std::size_t>(blocksAtOnce_[static_cast<std::size_t>(tasks.number)],
                                                  (tasks.tasks.size() + glycine::cuda::kAlignWarps - 1) /
                                                      glycine::cuda::kAlignWarps);
    const std::size_t room = (state_.size() + backend_.memory().available()) / stateBytes;
    const std::size_t blocks = std::clamp<std::size_t>(room, 1, wanted);
    makeRoom(backend_, state_, blocks * stateBytes);

    const std::vector<TaskPortion> portions =
        portionsOf(tasks.tasks.size(), kCellsAtOnce, [&](std::size_t k) { return tasks.cells[k]; });
    refill(backend_, counters_, std::vector<std::uint32_t>(portions.size(), 0));

    glycine::cuda::AlignWork work{};
    work.codes = deviceSequences_.codes.data();
    work.begins = deviceSequences_.begins.data();
    work.rows = rows_.data();
    work.columns = columns_.data();
    work.rowCount = static_cast<std::uint32_t>(lists.rows.size());
    work.columnCount = static_cast<std::uint32_t>(lists.columns.size());
    work.isDiagonal = tile.isDiagonal();
    work.table = table_.data();
    work.open = numbers.open();
    work.extend = numbers.extend();
    work.letters = alphabet;
    work.state = state_.data();
    work.stateRows = static_cast<std::uint32_t>(longestQuery);
    work.blocks = static_cast<std::uint32_t>(blocks);
    work.results = {results_.data(), resultStride_};
    work.firstRow = static_cast<std::uint32_t>(tile.rows.begin);
    work.firstColumn = static_cast<std::uint32_t>(tile.columns.begin);
    const glycine::cuda::WorkListener worked = [&](double cells) { progress.advance(cells); };
    glycine::cuda::PacedReport report(worked, 1);
    for (std::size_t p = 0; p < portions.size(); ++p) {
        work.tasks = tasks_.data() + portions[p].tasks.begin;
        work.taskCount = static_cast<std::uint32_t>(portions[p].tasks.size());
        work.nextTask = counters_.data() + p;
        const glycine::cuda::Launch launch{stream_.handle(), backend_.multiprocessors()};
        if (tasks.isInStripes)
            glycine::cuda::launchStripes(launch, tasks.number, recurrence,
                                         static_cast<unsigned>(longestColumns), work);
        else
            glycine::cuda::launchAlignments(launch, tasks.number, recurrence, work);
        report.queued(stream_, portions[p].cells);
    }
    report.settleAll();
}

void InterTaskRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                           Progress& progress) {
    backend_.makeCurrent();
    const bool hasIdentities = !results[1].empty();
    Stopwatch watch;
    const auto listOf = [&](Range range) {
        const std::vector<std::size_t> places = placesByLength(sequences_, range);
        return std::vector<std::uint32_t>(places.begin(), places.end());
    };
    Lists lists;
    lists.rows = listOf(tile.rows);
    lists.columns = listOf(tile.columns);
    const bool isInStripes = takesStripes(tile, lists);
    hasStripes_ = hasStripes_ || isInStripes;
    std::vector<TaskClass> classes = classesFor(hasIdentities, isInStripes);
    listTasks(tile, lists, classes);
    times_.pack += watch.restart();
    refill(backend_, rows_, lists.rows);
    refill(backend_, columns_, lists.columns);
    resultStride_ = std::max(tile.columns.size(), resultStride_);
    makeRoom(backend_, results_, tile.rows.size() * resultStride_);
    times_.upload += watch.restart();
    TileProgress reported(sequences_, tile, progress);
    for (const TaskClass& one : classes) {
        if (one.tasks.empty()) continue;
        work(tile, lists, one, hasIdentities, reported);
        if (one.number == AlignNumber::Int64) wideCells_ += one.cells.front();
    }
    times_.compute += watch.restart();

    unpack(tile, lists, classes, hasIdentities, results);
    times_.download += watch.seconds();
}

void InterTaskRun::unpack(const pairs::PairTile& tile, const Lists& lists,
                          const std::vector<TaskClass>& classes, bool hasIdentities,
                          std::span<const MatrixView<std::int32_t>> results) {
    Matrix<std::int64_t> numbers(tile.rows.size(), tile.columns.size());
    backend_.transfer().download(results_.data(), resultStride_, numbers.data(), tile.columns.size(),
                                 tile.rows.size(), tile.columns.size());
    // The meaning of a pair's number depends on the class of its task, whose longest sequences may be other
    // ones.
    std::vector<LaneNumbers> meanings;
    for (const TaskClass& one : classes)
        meanings.emplace_back(scoring_, one.longest, one.longest, hasIdentities);
    Matrix<std::uint8_t> classOf(lists.rows.size(), lists.columns.size() / kAlignLanes + 1);
    for (std::size_t k = 0; k < classes.size(); ++k)
        for (const AlignTask& task : classes[k].tasks) {
            const std::size_t queries = classes[k].number == AlignNumber::Pair16 ? 2 : 1;
            for (std::size_t q = task.query; q < std::min(task.query + queries, lists.rows.size()); ++q)
                classOf(q, task.column / kAlignLanes) = static_cast<std::uint8_t>(k);
        }
    const auto placesIn = [](const std::vector<std::uint32_t>& list, std::size_t begin) {
        std::vector<std::size_t> places(list.size());
        for (std::size_t place = 0; place < list.size(); ++place) places[list[place] - begin] = place;
        return places;
    };
    const std::vector<std::size_t> rowPlaces = placesIn(lists.rows, tile.rows.begin),
                                   columnPlaces = placesIn(lists.columns, tile.columns.begin);
    parallelFor(omp_get_max_threads(), tile.rows.size(), [&](std::size_t r, std::size_t) {
        const std::size_t rows = letters(static_cast<std::uint32_t>(tile.rows.begin + r));
        for (std::size_t c = 0; c < tile.columnsOf(r); ++c) {
            std::size_t query = rowPlaces[r], column = columnPlaces[c];
            if (tile.isDiagonal() && column > query) std::swap(query, column);
            const LaneNumbers& meaning = meanings[classOf(query, column / kAlignLanes)];
            const std::size_t columns = letters(static_cast<std::uint32_t>(tile.columns.begin + c));
            putResult(results, r, c, meaning.resultOf(numbers(r, c), rows, columns));
        }
    });
}

}  // namespace glycine::pairwise::cuda
