#include "kernels_cuda/pairwise/antidiagonal_run.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "kernels_cuda/device/linear_transfer.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/pairwise/intertask_run.hpp"

namespace glycine::pairwise::cuda {

using glycine::cuda::AntidiagonalBorder;
using glycine::cuda::AntidiagonalPair;
using glycine::cuda::DeviceBuffer;

namespace {

/// Launches between two reports: some hundredths of a second.
constexpr std::size_t kLaunchesAtOnce = 8192;

/// Columns of a tile's row whose pairs are wanted.
std::size_t wantedColumns(const pairs::PairTile& tile, std::size_t row) {
    return tile.isDiagonal() ? row : tile.columns.size();
}

}  // namespace

std::size_t AntidiagonalRun::leastBytes(const PairwiseRequest& request) {
    const std::size_t longest = std::max<std::size_t>(request.longest, 1);
    const bool isResident = request.variant == Variant::AntidiagonalResident;
    const std::size_t side = isResident ? std::max<std::size_t>(request.sequences, 1) : 1;
    // Results of a tile, which may be cut smaller than all pairs.
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
    if (results_.size() < tile.rows.size() * stride) {
        results_ = {};
        results_ = DeviceBuffer<long long>(backend_.memory(), tile.rows.size() * stride);
    }
    const glycine::cuda::WorkListener worked = [&](double cells) { progress.advance(cells); };
    glycine::cuda::PacedReport report(worked, 1);
    std::size_t launches = 0;
    double cells = 0;
    const auto tell = [&] {
        report.queued(stream_, std::exchange(cells, 0));
        launches = 0;
    };
    for (std::size_t r = 0; r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < wantedColumns(tile, r); ++c) {
            const std::size_t row = tile.rows.begin + r, column = tile.columns.begin + c;
            AntidiagonalPair pair = pairOf(row, column);
            pair.rows = codes_.data() + begins_[row];
            pair.columns = codes_.data() + begins_[column];
            pair.result = results_.data() + r * stride + c;
            glycine::cuda::launchAntidiagonals({stream_.handle(), backend_.multiprocessors()},
                                               recurrenceOf(scoring_), pair);
            cells += static_cast<double>(pair.rowCount) * static_cast<double>(pair.columnCount);
            launches += glycine::cuda::antidiagonalLaunches(pair.rowCount, pair.columnCount);
            if (launches >= kLaunchesAtOnce) tell();
        }
    tell();
    report.settleAll();
    times_.compute += watch.restart();
    backend_.transfer().download(results_.data(), stride, numbers.data(), stride, tile.rows.size(), stride);
    times_.download += watch.seconds();
}

void AntidiagonalRun::computeSent(const pairs::PairTile& tile, Matrix<long long>& numbers,
                                  TileProgress& progress) {
    Stopwatch watch;
    for (std::size_t r = 0; r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < wantedColumns(tile, r); ++c) {
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
    TileProgress told(sequences_, tile, progress);
    Matrix<long long> numbers(tile.rows.size(), tile.columns.size());
    if (isResident())
        computeResident(tile, numbers, told);
    else
        computeSent(tile, numbers, told);

    const Stopwatch watch;
    parallelFor(omp_get_max_threads(), tile.rows.size(), [&](std::size_t r, std::size_t) {
        for (std::size_t c = 0; c < wantedColumns(tile, r); ++c) {
            const PairResult found = scoring_.method == PairMethod::Local
                                         ? numbers_.local(numbers(r, c))
                                         : numbers_.global(numbers(r, c), codesOf(tile.rows.begin + r).size(),
                                                           codesOf(tile.columns.begin + c).size());
            if (!results[0].empty()) results[0](r, c) = static_cast<std::int32_t>(found.score);
            if (!results[1].empty()) results[1](r, c) = static_cast<std::int32_t>(found.identities);
        }
    });
    times_.download += watch.seconds();
}

}  // namespace glycine::pairwise::cuda
