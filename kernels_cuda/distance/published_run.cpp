#include "kernels_cuda/distance/published_run.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/stopwatch.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::distance::cuda {

namespace {

using glycine::cuda::Comparison;
using glycine::cuda::Event;

constexpr std::size_t kLeastSide = 64;
constexpr std::size_t kMostSide = 16384;
constexpr std::size_t kPortionsAhead = 2;

/// Side of the largest square of integers that fits.
std::size_t pieceSide(std::size_t instances, std::size_t available) {
    const auto fitting = static_cast<std::size_t>(std::sqrt(static_cast<double>(available) / sizeof(int)));
    return std::min({std::max(fitting, kLeastSide), kMostSide, instances});
}

}  // namespace

PublishedRun::PublishedRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source,
                           CountNeeds needs, Variant variant, glycine::cuda::PublishedKernel kernel)
    : backend_(backend),
      source_(source),
      needs_(needs),
      variant_(variant),
      data_(backend, kernel, source.shape().instances, source.shape().attributes),
      side_(pieceSide(source.shape().instances, backend.memory().available())),
      counts_(backend.memory(), side_ * side_) {}

std::size_t PublishedRun::bytes(glycine::cuda::PublishedKernel kernel, const DiscreteShape& shape) {
    const std::size_t side = std::min(kLeastSide, shape.instances);
    return glycine::cuda::PublishedData::bytes(kernel, shape.instances, shape.attributes) +
           side * side * sizeof(int);
}

void PublishedRun::loadAll(Progress& progress) {
    if (isLoaded_) return;
    const DiscreteShape& shape = source_.shape();
    Stopwatch watch;
    for (const Range band : splitRange(shape.instances, data_.instancesAtOnce())) {
        progress.throwIfCancelled();
        watch.restart();
        Matrix<std::uint8_t> symbols(band.size(), shape.attributes);
        source_.readSymbols(band, {0, shape.attributes}, symbols.view());
        times_.pack += watch.restart();
        data_.load(symbols.data(), shape.attributes, band.begin, band.size());
        times_.upload += watch.restart();
    }
    isLoaded_ = true;
}

void PublishedRun::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    static_assert(glycine::cuda::kMissingValue == kMissingSymbol);
    backend_.makeCurrent();
    loadAll(progress);
    const bool hasMissing = source_.shape().hasMissing;
    const double pairs = static_cast<double>(tile.rows.size()) * static_cast<double>(tile.columns.size());
    glycine::cuda::WorkSplit split(
        static_cast<double>(tile.pairs()) * static_cast<double>(source_.shape().attributes),
        pairs * (1 + int{needs_.opposite} + int{needs_.valid}));
    countInto(counts.differing, hasMissing ? Comparison::DifferingPresent : Comparison::Differing, tile,
              progress, split);
    if (needs_.opposite) countInto(counts.opposite, Comparison::Opposite, tile, progress, split);
    if (needs_.valid) countInto(counts.valid, Comparison::Present, tile, progress, split);
}

void PublishedRun::countInto(MatrixView<std::uint32_t> results, Comparison comparison, const PairTile& tile,
                             Progress& progress, glycine::cuda::WorkSplit& split) {
    const glycine::cuda::WorkListener worked = [&](double done) { progress.advance(done); };
    const Event begin(Event::Kind::Timing);
    const Event end(Event::Kind::Timing);
    for (const Range rows : splitRange(tile.rows.size(), side_)) {
        for (const Range columns : splitRange(tile.columns.size(), side_)) {
            const glycine::cuda::MatrixOnDevice<int> device{counts_.data(), columns.size()};
            const double work =
                split.next(static_cast<double>(rows.size()) * static_cast<double>(columns.size()));
            glycine::cuda::PacedReport report(worked, kPortionsAhead);
            // While the counts are zeroed, the kernel is launched: `begin` is right before it.
            data_.prepare(device, rows.size(), columns.size(), stream_);
            begin.record(stream_);
            data_.count(comparison, tile.rows.begin + rows.begin, rows.size(),
                        tile.columns.begin + columns.begin, columns.size(), device, work, stream_, report);
            end.record(stream_);
            report.settleAll();
            end.synchronize();
            times_.compute += Event::secondsBetween(begin, end);
            const Stopwatch watch;
            // Counts are never negative: the same bits.
            backend_.transfer().download(reinterpret_cast<const std::uint32_t*>(device.data), device.stride,
                                         results.row(rows.begin) + columns.begin, results.rowStride(),
                                         rows.size(), columns.size());
            times_.download += watch.seconds();
        }
    }
}

}  // namespace glycine::distance::cuda
