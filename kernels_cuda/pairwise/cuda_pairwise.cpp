#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/pairwise/clustal_thread.hpp"
#include "kernels_cuda/pairwise/device_sequences.hpp"
#include "kernels_cuda/pairwise/intertask_kernels.hpp"
#include "kernels_cuda/pairwise/intertask_run.hpp"

namespace glycine::pairwise::cuda {

using glycine::cuda::AntidiagonalBorder;
using glycine::cuda::AntidiagonalPair;
using glycine::cuda::ClustalFound;
using glycine::cuda::ClustalTask;
using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::kAlignLanes;
using glycine::cuda::kAlignWarps;
using glycine::cuda::kMaxPrintedLetters;
using glycine::cuda::PrintedPair;

namespace {

// ---- Khaladkar's

/// `cuda antidiagonal` and `antidiagonal-resident`, Khaladkar's variants: one pair after another, in 64-bit
/// numbers. The resident variant keeps all sequences and the numbers of a tile on the device. The other sends
/// both sequences of each pair and fetches its number.
class AntidiagonalRun final : public PairwiseRun {
  public:
    /// The least device memory for a request.
    static std::size_t leastBytes(const PairwiseRequest& request);

    /// `sequences` must outlive the run. `variant` is one of the two.
    AntidiagonalRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences,
                    const PairScoring& scoring, Variant variant);
    std::string_view variantName() const override { return toString(variant_); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    bool isResident() const { return variant_ == Variant::AntidiagonalResident; }
    const std::vector<std::uint8_t>& codesOf(std::size_t sequence) const {
        return sequences_.codes[sequence];
    }
    /// All members except the sequences and the result.
    glycine::cuda::AntidiagonalPair pairOf(std::size_t row, std::size_t column) const;
    void computeResident(const pairs::PairTile& tile, Matrix<long long>& numbers, TileProgress& progress);
    void computeSent(const pairs::PairTile& tile, Matrix<long long>& numbers, TileProgress& progress);

    glycine::cuda::CudaBackend& backend_;
    const Sequences& sequences_;
    PairScoring scoring_;
    Variant variant_;
    LaneNumbers numbers_;
    std::vector<std::size_t> begins_;                  ///< of each sequence in codes_, if resident
    glycine::cuda::DeviceBuffer<std::uint8_t> codes_;  ///< of all sequences; or room for two of the longest
    glycine::cuda::DeviceBuffer<long long> results_;   ///< of a tile; or a single one
    glycine::cuda::DeviceBuffer<std::int64_t> table_;
    glycine::cuda::DeviceBuffer<glycine::cuda::AntidiagonalBorder> borders_;  ///< one row and one column
    glycine::cuda::DeviceBuffer<long long> corners_;
    glycine::cuda::Stream stream_;
    pairs::PairTimes times_;
};

/// Launches between two reports: a few hundredths of a second.
constexpr std::size_t kLaunchesAtOnce = 8192;

std::size_t AntidiagonalRun::leastBytes(const PairwiseRequest& request) {
    const std::size_t longest = std::max<std::size_t>(request.longest, 1);
    const bool isResident = request.variant == Variant::AntidiagonalResident;
    const std::size_t side = isResident ? std::max<std::size_t>(request.sequences, 1) : 1;
    // The results of a tile, which may be smaller than all pairs.
    const std::size_t tile = std::min(side, kLargestTile);
    return (isResident ? request.sequences : 2) * longest + tile * tile * sizeof(std::int64_t) +
           kTableSide * kTableSide * sizeof(std::int64_t) + 2 * longest * sizeof(AntidiagonalBorder) +
           glycine::cuda::antidiagonalCorners(longest, longest) * sizeof(long long);
}

AntidiagonalRun::AntidiagonalRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences,
                                 const PairScoring& scoring, Variant variant)
    : backend_(backend),
      sequences_(sequences),
      scoring_(scoring),
      variant_(variant),
      numbers_(scoring_, sequences.longest(), sequences.longest(), true) {
    const Stopwatch watch;
    const std::size_t longest = sequences.longest();
    std::vector<std::int64_t> table(kTableSide * kTableSide);
    numbers_.fill(table.data());
    table_ = onDevice(backend_, table);
    borders_ = DeviceBuffer<AntidiagonalBorder>(backend_.memory(), 2 * longest);
    corners_ =
        DeviceBuffer<long long>(backend_.memory(), glycine::cuda::antidiagonalCorners(longest, longest));
    if (isResident()) {
        std::vector<std::uint8_t> codes;
        codes.reserve(sequences.total());
        for (const std::vector<std::uint8_t>& one : sequences.codes) {
            begins_.push_back(codes.size());
            codes.insert(codes.end(), one.begin(), one.end());
        }
        codes_ = onDevice(backend_, codes);
    } else {
        codes_ = DeviceBuffer<std::uint8_t>(backend_.memory(), 2 * longest);
        results_ = DeviceBuffer<long long>(backend_.memory(), 1);
    }
    times_.upload += watch.seconds();
}

AntidiagonalPair AntidiagonalRun::pairOf(std::size_t row, std::size_t column) const {
    AntidiagonalPair pair{};
    pair.rowCount = static_cast<std::uint32_t>(codesOf(row).size());
    pair.columnCount = static_cast<std::uint32_t>(codesOf(column).size());
    pair.table = table_.data();
    pair.open = numbers_.open();
    pair.extend = numbers_.extend();
    pair.lastRow = borders_.data();
    pair.lastColumn = borders_.data() + sequences_.longest();
    pair.corners = corners_.data();
    return pair;
}

void AntidiagonalRun::computeResident(const pairs::PairTile& tile, Matrix<long long>& numbers,
                                      TileProgress& progress) {
    Stopwatch watch;
    const std::size_t stride = tile.columns.size();
    makeRoom(backend_, results_, tile.rows.size() * stride);
    const glycine::cuda::WorkListener worked = [&](double cells) { progress.advance(cells); };
    glycine::cuda::PacedReport report(worked, 1);
    std::size_t launches = 0;
    double cells = 0;
    const auto reportProgress = [&] {
        report.queued(stream_, std::exchange(cells, 0));
        launches = 0;
    };
    for (std::size_t r = 0; r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < tile.columnsOf(r); ++c) {
            const std::size_t row = tile.rows.begin + r, column = tile.columns.begin + c;
            AntidiagonalPair pair = pairOf(row, column);
            pair.rows = codes_.data() + begins_[row];
            pair.columns = codes_.data() + begins_[column];
            pair.result = results_.data() + r * stride + c;
            glycine::cuda::launchAntidiagonals({stream_.handle(), backend_.multiprocessors()},
                                               recurrenceOf(scoring_), pair);
            cells += static_cast<double>(pair.rowCount) * static_cast<double>(pair.columnCount);
            launches += glycine::cuda::antidiagonalLaunches(pair.rowCount, pair.columnCount);
            if (launches >= kLaunchesAtOnce) reportProgress();
        }
    reportProgress();
    report.settleAll();
    times_.compute += watch.restart();
    backend_.transfer().download(results_.data(), stride, numbers.data(), stride, tile.rows.size(), stride);
    times_.download += watch.seconds();
}

void AntidiagonalRun::computeSent(const pairs::PairTile& tile, Matrix<long long>& numbers,
                                  TileProgress& progress) {
    Stopwatch watch;
    for (std::size_t r = 0; r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < tile.columnsOf(r); ++c) {
            const std::size_t row = tile.rows.begin + r, column = tile.columns.begin + c;
            AntidiagonalPair pair = pairOf(row, column);
            std::uint8_t* const rows = codes_.data();
            std::uint8_t* const columns = codes_.data() + sequences_.longest();
            glycine::cuda::sendToDevice(stream_.handle(), codesOf(row).data(), rows, pair.rowCount);
            glycine::cuda::sendToDevice(stream_.handle(), codesOf(column).data(), columns, pair.columnCount);
            pair.rows = rows;
            pair.columns = columns;
            pair.result = results_.data();
            times_.upload += watch.restart();
            glycine::cuda::launchAntidiagonals({stream_.handle(), backend_.multiprocessors()},
                                               recurrenceOf(scoring_), pair);
            stream_.synchronize();
            times_.compute += watch.restart();
            glycine::cuda::fetchFromDevice(stream_.handle(), results_.data(), &numbers(r, c),
                                           sizeof(long long));
            times_.download += watch.restart();
            progress.advance(static_cast<double>(pair.rowCount) * static_cast<double>(pair.columnCount));
        }
}

void AntidiagonalRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                              Progress& progress) {
    backend_.makeCurrent();
    TileProgress reported(sequences_, tile, progress);
    Matrix<long long> numbers(tile.rows.size(), tile.columns.size());
    if (isResident())
        computeResident(tile, numbers, reported);
    else
        computeSent(tile, numbers, reported);

    const Stopwatch watch;
    parallelFor(omp_get_max_threads(), tile.rows.size(), [&](std::size_t r, std::size_t) {
        for (std::size_t c = 0; c < tile.columnsOf(r); ++c) {
            const std::size_t rows = codesOf(tile.rows.begin + r).size(),
                              columns = codesOf(tile.columns.begin + c).size();
            putResult(results, r, c, numbers_.resultOf(numbers(r, c), rows, columns));
        }
    });
    times_.download += watch.seconds();
}

// ---- Khaladkar's, as printed

/// `cuda calculatematrix` and `calculatematrix-resident`: one pair after another, each with a matrix in
/// global memory. The resident variant ("with device memory", figure 6.5) keeps the sequences and the matrix
/// on the device and fetches only the score of a pair. The other sends both sequences and the initialised
/// matrix, and fetches the whole matrix.
class PrintedRun final : public PairwiseRun {
  public:
    /// The least device memory for a request.
    static std::size_t leastBytes(const PairwiseRequest& request);

    /// `sequences` must outlive the run. `variant` is one of the two.
    PrintedRun(CudaBackend& backend, const Sequences& sequences, Variant variant);
    std::string_view variantName() const override { return toString(variant_); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    static std::size_t matrixCells(std::size_t longest) { return (longest + 1) * (longest + 1); }
    /// Aligns a pair; returns its last cell.
    std::int32_t align(std::size_t row, std::size_t column);

    CudaBackend& backend_;
    const Sequences& sequences_;
    Variant variant_;
    int bits_;                              ///< bits of a number that hold identities
    DeviceSequences deviceSequences_;       ///< all sequences, if resident
    std::vector<std::size_t> begins_;       ///< offset of each sequence in them
    DeviceBuffer<std::uint8_t> sent_;       ///< if not resident: room for two of the longest
    DeviceBuffer<std::int32_t> matrix_;     ///< of the longest pair
    std::vector<std::int32_t> hostMatrix_;  ///< likewise, if not resident
    glycine::cuda::Stream stream_;
    pairs::PairTimes times_;
};

std::size_t PrintedRun::leastBytes(const PairwiseRequest& request) {
    const std::size_t longest = std::max<std::size_t>(request.longest, 1);
    return matrixCells(longest) * sizeof(std::int32_t) +
           (request.variant == Variant::CalculateMatrixResident
                ? DeviceSequences::bytesOf(request.sequences, longest)
                : 2 * longest);
}

PrintedRun::PrintedRun(CudaBackend& backend, const Sequences& sequences, Variant variant)
    : backend_(backend),
      sequences_(sequences),
      variant_(variant),
      bits_(static_cast<int>(std::bit_width(sequences.longest()))),
      matrix_(backend.memory(), matrixCells(sequences.longest())) {
    const Stopwatch watch;
    if (variant == Variant::CalculateMatrixResident) {
        deviceSequences_ = sequencesOnDevice(backend, sequences);
        for (std::size_t begin = 0; const std::vector<std::uint8_t>& one : sequences.codes)
            begins_.push_back(std::exchange(begin, begin + one.size()));
    } else {
        sent_ = DeviceBuffer<std::uint8_t>(backend.memory(), 2 * sequences.longest());
        hostMatrix_.resize(matrix_.size());
    }
    times_.upload += watch.seconds();
}

std::int32_t PrintedRun::align(std::size_t row, std::size_t column) {
    using glycine::cuda::fetchFromDevice;
    using glycine::cuda::sendToDevice;
    const glycine::cuda::Launch launch{stream_.handle(), backend_.multiprocessors()};
    const bool isSent = begins_.empty();
    const std::vector<std::uint8_t>&rows = sequences_.codes[row], &columns = sequences_.codes[column];
    PrintedPair pair{};
    pair.rows = isSent ? sent_.data() : deviceSequences_.codes.data() + begins_[row];
    pair.columns =
        isSent ? sent_.data() + sequences_.longest() : deviceSequences_.codes.data() + begins_[column];
    pair.rowCount = static_cast<std::uint32_t>(rows.size());
    pair.columnCount = static_cast<std::uint32_t>(columns.size());
    pair.matrix = matrix_.data();
    pair.equal = (1 << bits_) + 1;
    pair.other = -(1 << bits_);
    pair.gap = -(2 << bits_);
    const std::size_t bytes = pair.cells() * sizeof(std::int32_t);

    Stopwatch watch;
    if (isSent) {
        sendToDevice(launch.stream, rows.data(), sent_.data(), rows.size());
        sendToDevice(launch.stream, columns.data(), sent_.data() + sequences_.longest(), columns.size());
        times_.upload += watch.restart();
    }
    glycine::cuda::launchInitialiseMatrix(launch, pair);
    if (isSent) {
        stream_.synchronize();
        times_.compute += watch.restart();
        fetchFromDevice(launch.stream, pair.matrix, hostMatrix_.data(), bytes);
        times_.download += watch.restart();
        sendToDevice(launch.stream, hostMatrix_.data(), pair.matrix, bytes);
        times_.upload += watch.restart();
    }
    glycine::cuda::launchCalculateMatrix(launch, pair);
    stream_.synchronize();
    times_.compute += watch.restart();
    std::int32_t last = 0;
    const std::size_t place = pair.cells() - 1;
    if (isSent) {
        fetchFromDevice(launch.stream, pair.matrix, hostMatrix_.data(), bytes);
        last = hostMatrix_[place];
    } else {
        fetchFromDevice(launch.stream, pair.matrix + place, &last, sizeof(last));
    }
    times_.download += watch.seconds();
    return last;
}

void PrintedRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                         Progress& progress) {
    backend_.makeCurrent();
    TileProgress reported(sequences_, tile, progress);
    for (std::size_t r = 0; r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < tile.columnsOf(r); ++c) {
            const std::size_t row = tile.rows.begin + r, column = tile.columns.begin + c;
            const std::int32_t number = align(row, column);
            putResult(results, r, c, {number >> bits_, number & ((1 << bits_) - 1)});
            reported.advance(static_cast<double>(sequences_.codes[row].size()) *
                             static_cast<double>(sequences_.codes[column].size()));
        }
}

// ---- as ClustalW

/// `cuda intertask` for pairs aligned as by ClustalW 2.1: one pair per thread of a warp (clustal_thread.hpp).
/// Pairs that share their first sequence are adjacent, in order of length.
class ClustalThreadsRun final : public PairwiseRun {
  public:
    /// The least device memory for a request: sequences, pairs of a tile, and the memory of one block.
    static std::size_t leastBytes(const PairwiseRequest& request);

    /// `sequences` must outlive the run.
    ClustalThreadsRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences);
    std::string_view variantName() const override { return toString(Variant::InterTask); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    std::vector<glycine::cuda::ClustalTask> listTasks(const pairs::PairTile& tile) const;
    std::size_t letters(std::size_t sequence) const { return sequences_.codes[sequence].size(); }
    double cells(const glycine::cuda::ClustalTask& task) const;

    glycine::cuda::CudaBackend& backend_;
    const Sequences& sequences_;
    DeviceSequences deviceSequences_;
    glycine::cuda::DeviceBuffer<std::int32_t> table_;
    glycine::cuda::DeviceBuffer<std::byte> memory_;
    glycine::cuda::Stream stream_;
    pairs::PairTimes times_;
};

static_assert(glycine::cuda::kAlignCodes == kTableSide);

constexpr std::size_t kPairs = std::size_t{kAlignLanes} * kAlignWarps;  ///< that a block takes at once

/// Device memory per pair: a task, its result, and at most one counter.
constexpr std::size_t kPairBytes = sizeof(ClustalTask) + sizeof(ClustalFound) + sizeof(std::uint32_t);

/// Cells queued at once: a few tenths of a second on a large GPU.
constexpr double kCellsOfPortions = 5e10;

std::size_t ClustalThreadsRun::leastBytes(const PairwiseRequest& request) {
    const std::size_t side = std::min(kLargestTile, std::max<std::size_t>(request.sequences, 1));
    return DeviceSequences::bytesOf(request.sequences, request.longest) +
           kTableSide * kTableSide * sizeof(std::int32_t) + side * side * kPairBytes +
           glycine::cuda::clustalMemoryBytes(request.longest, request.longest);
}

ClustalThreadsRun::ClustalThreadsRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences)
    : backend_(backend), sequences_(sequences) {
    const Stopwatch watch;
    deviceSequences_ = sequencesOnDevice(backend, sequences);
    std::vector<std::int32_t> table(kTableSide * kTableSide);
    fillClustalTable(clustalMatrix(sequences.alphabet), table.data());
    table_ = onDevice(backend_, table);
    times_.upload += watch.seconds();
}

double ClustalThreadsRun::cells(const ClustalTask& task) const {
    return static_cast<double>(letters(task.first)) * static_cast<double>(letters(task.second));
}

/// Longest first, because the last tasks leave multiprocessors idle. The columns of the tile are the
/// sequences that come first in the input.
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
    const auto deviceTasks = onDevice(backend_, tasks);
    DeviceBuffer<ClustalFound> deviceFound(backend_.memory(), tasks.size());

    const std::vector<TaskPortion> portions =
        portionsOf(tasks.size(), kCellsOfPortions, [&](std::size_t k) { return cells(tasks[k]); });
    const auto counters = onDevice(backend_, std::vector<std::uint32_t>(portions.size(), 0));

    // As many blocks as the device runs at once and as fit in memory.
    const std::size_t blockBytes = glycine::cuda::clustalMemoryBytes(rows, columns);
    const std::size_t wanted = std::min(static_cast<std::size_t>(glycine::cuda::clustalBlocksAtOnce()) *
                                            static_cast<std::size_t>(backend_.multiprocessors()),
                                        roundUp(tasks.size(), kPairs) / kPairs);
    // Reserve memory for a later tile with more pairs.
    const std::size_t side = std::min(kLargestTile, sequences_.size());
    const std::size_t kept = (side * side - std::min(side * side, tasks.size())) * kPairBytes;
    const std::size_t free = memory_.size() + backend_.memory().available();
    const std::size_t room = (free - std::min(free, kept)) / blockBytes;
    const std::size_t blocks = std::clamp<std::size_t>(room, 1, wanted);
    makeRoom(backend_, memory_, blocks * blockBytes);
    times_.upload += watch.restart();

    glycine::cuda::ClustalWork work{};
    work.codes = deviceSequences_.codes.data();
    work.begins = deviceSequences_.begins.data();
    work.table = table_.data();
    work.extend = clustalPenalties(sequences_.alphabet, 1, 1).extend;
    work.hasIdentities = !results[1].empty();
    work.memory = reinterpret_cast<std::int32_t*>(memory_.data());
    work.rows = static_cast<std::uint32_t>(rows);
    work.columns = static_cast<std::uint32_t>(columns);
    work.blocks = static_cast<std::uint32_t>(blocks);
    TileProgress reported(sequences_, tile, progress);
    const glycine::cuda::WorkListener worked = [&](double done) { reported.advance(done); };
    glycine::cuda::PacedReport report(worked, 1);
    for (std::size_t p = 0; p < portions.size(); ++p) {
        work.tasks = deviceTasks.data() + portions[p].tasks.begin;
        work.taskCount = static_cast<std::uint32_t>(portions[p].tasks.size());
        work.nextTask = counters.data() + p;
        work.results = deviceFound.data() + portions[p].tasks.begin;
        glycine::cuda::launchClustal({stream_.handle(), backend_.multiprocessors()}, work);
        report.queued(stream_, portions[p].cells);
    }
    report.settleAll();
    times_.compute += watch.restart();

    std::vector<ClustalFound> found(tasks.size());
    copyToHost(backend_, deviceFound.data(), found.size(), found.data());
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const std::size_t row = tasks[k].second - tile.rows.begin,
                          column = tasks[k].first - tile.columns.begin;
        putResult(results, row, column, {found[k].score, found[k].identities});
    }
    times_.download += watch.seconds();
}

constexpr const char* kThesis =
    "C. S. Khaladkar, An Efficient Implementation of Needleman Wunsch Algorithm on Graphical Processing "
    "Units, University of Western Australia (2009)";

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cuda", {"integers"},
        {{Variant::InterTask,
          "one sequence with 32 others of about its length, a pair in each thread of a warp; few long pairs "
          "in a block each",
          "after Y. Liu, D. L. Maskell & B. Schmidt, CUDASW++, BMC Research Notes 2:73 (2009)",
          {},
          true},
         {Variant::Antidiagonal,
          "one pair after another, 16 × 16 cells per block, an anti-diagonal of blocks per launch", kThesis},
         {Variant::AntidiagonalResident, "the same with all sequences on the device before the first pair",
          kThesis},
         {Variant::CalculateMatrix,
          "scores 1, -1, -2: the printed kernels, a pair's matrix in global memory, sent and fetched with "
          "its sequences",
          std::string(kThesis) + ", figures 5.2 to 5.6"},
         {Variant::CalculateMatrixResident,
          "the same with sequences and the matrix on the device, the score of a pair fetched",
          std::string(kThesis) + ", figures 5.2 to 5.6"}});
    return table;
}

bool isAntidiagonal(Variant variant) {
    return variant == Variant::Antidiagonal || variant == Variant::AntidiagonalResident;
}

bool isPrinted(Variant variant) {
    return variant == Variant::CalculateMatrix || variant == Variant::CalculateMatrixResident;
}

/// The four passes of a thread take about 60 ns per cell of a pair, however many other threads run. A
/// processor takes pairs one after another, each about a hundred times as fast.
bool areFewAndLong(const PairwiseRequest& request) {
    constexpr std::size_t kFewSequences = 32, kLongSequence = 1000;
    return request.sequences > 0 && request.sequences < kFewSequences && request.longest > kLongSequence;
}

class CudaEngine final : public PairwiseEngine {
  public:
    explicit CudaEngine(CudaBackend& backend) : backend_(backend) {}

    Support supports(const PairwiseRequest& request) const override {
        backend_.makeCurrent();
        if (const Support known = variants().supports(request.variant); !known) return known;
        const bool isClustal = request.scoring.method == PairMethod::ClustalW;
        if (isPrinted(request.variant)) {
            if (!isThesisScoring(request.scoring))
                return Support::misuse(
                    fmt::format("'cuda {}' has the thesis' scores alone: 1, -1, gaps of -2 a letter",
                                toString(request.variant)));
            if (request.longest > kMaxPrintedLetters)
                return Support::no(fmt::format("a matrix of 32-bit numbers is for {} letters at most, not {}",
                                               kMaxPrintedLetters, request.longest));
        }
        if (isClustal && isAntidiagonal(request.variant))
            return Support::misuse(fmt::format("'cuda {}' does not align as ClustalW does; intertask does",
                                               toString(request.variant)));
        if (const Support fit = scoresFit(request); !fit) return fit;
        const std::size_t needed = isClustal                         ? ClustalThreadsRun::leastBytes(request)
                                   : isAntidiagonal(request.variant) ? AntidiagonalRun::leastBytes(request)
                                   : isPrinted(request.variant)      ? PrintedRun::leastBytes(request)
                                                                     : InterTaskRun::leastBytes(request);
        const std::size_t available = backend_.memory().available();
        if (needed > available)
            return Support::no(
                lackOfDeviceMemory("alignments of pairs", static_cast<double>(needed), available));
        if (isClustal && areFewAndLong(request))
            return Support::slowly("few long pairs as ClustalW aligns them leave most of its threads idle");
        return Support::yes();
    }
    std::size_t preferredTile(const PairwiseRequest& request) const override {
        return evenTile(request.sequences, kLargestTile);
    }
    std::unique_ptr<PairwiseRun> start(const Sequences& sequences, const PairwiseRequest& request) override {
        backend_.makeCurrent();
        if (request.scoring.method == PairMethod::ClustalW)
            return std::make_unique<ClustalThreadsRun>(backend_, sequences);
        if (isAntidiagonal(request.variant))
            return std::make_unique<AntidiagonalRun>(backend_, sequences, request.scoring, request.variant);
        if (isPrinted(request.variant))
            return std::make_unique<PrintedRun>(backend_, sequences, request.variant);
        return std::make_unique<InterTaskRun>(backend_, sequences, request.scoring);
    }
    std::optional<KernelUse> kernelOf(Variant variant) const override {
        if (!isPrinted(variant)) return {};
        return glycine::cuda::kernelUse(backend_, glycine::cuda::calculateMatrixKernel(), 16 * 16, 0);
    }

  private:
    CudaBackend& backend_;
};

}  // namespace

Implementation<PairwiseEngine> pairwiseEngine() {
    return implementWith<PairwiseEngine, CudaEngine, CudaBackend>(variants());
}

}  // namespace glycine::pairwise::cuda
