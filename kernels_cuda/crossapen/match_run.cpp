#include "kernels_cuda/crossapen/match_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/crossapen/pair_entropies.hpp"

namespace glycine::crossapen::cuda {

namespace {

/// Bytes of a slot: enough to keep the device busy for longer than a launch and a wait take.
constexpr std::size_t kSlotBytes = std::size_t{16} << 20;

/// Portions of work that are queued ahead of the one being waited for.
constexpr std::size_t kPortionsAhead = 2;
/// Samples of a batch that the device can index with 32 bits.
constexpr std::size_t kMaxSamples = std::size_t{1} << 30;
/// Threads for packing and unpacking. More do not copy faster.
constexpr std::size_t kMaxThreads = 8;
/// Below this size, a single thread finishes before others would have started.
constexpr std::size_t kParallelBytes = std::size_t{1} << 20;

int threadsFor(std::size_t bytes) {
    if (bytes < kParallelBytes) return 1;
    return static_cast<int>(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads));
}

glycine::cuda::MatchShape withEpochs(glycine::cuda::MatchShape shape, std::size_t epochs) {
    shape.epochs = epochs;
    return shape;
}

/// The exclusive bound for matches: ≤ r is equivalent to < the number after r.
template <class T>
T openBound(T tolerance, bool isStrict) {
    return isStrict ? tolerance : std::nextafter(tolerance, std::numeric_limits<T>::infinity());
}

}  // namespace

BatchPlan planBatches(const BatchDemand& demand, std::size_t epochs, std::size_t mostEpochs,
                      std::size_t available) {
    const auto slotsFor = [&](std::size_t ofBatch) { return ofBatch < epochs ? std::size_t{2} : 1; };
    const std::size_t most = largestFitting(std::min(epochs, mostEpochs), [&](std::size_t ofBatch) {
        const bool isSmall = ofBatch == 1 || demand.ofSlot(ofBatch) <= kSlotBytes;
        return isSmall && slotsFor(ofBatch) * demand.ofSlot(ofBatch) + demand.ofTables(ofBatch) <= available;
    });
    BatchPlan plan;
    if (most == 0) {
        // A single slot with one epoch at a time, if two slots do not fit.
        plan.needed = demand.ofSlot(1) + demand.ofTables(1);
        plan.epochs = plan.needed <= available ? 1 : 0;
        return plan;
    }
    const std::size_t batches = (epochs + most - 1) / most;
    plan.epochs = (epochs + batches - 1) / batches;
    plan.slots = std::min<std::size_t>(batches, 2);
    return plan;
}

template <class T>
BatchPlan planRun(const glycine::cuda::CudaBackend& backend, const RunShape& shape, std::size_t available) {
    const glycine::cuda::MatchShape& all = shape.all;
    const BatchDemand demand{
        [&](std::size_t epochs) {
            return glycine::cuda::MatchBatch<T>::bytes(withEpochs(all, epochs), shape.hasPairBounds);
        },
        [&](std::size_t epochs) {
            return glycine::cuda::bytesForLauncher<T>(backend, shape.variant, withEpochs(all, epochs)) +
                   (all.samples + 1) * sizeof(LogSum);
        }};
    const std::size_t mostEpochs =
        std::max<std::size_t>(1, kMaxSamples / (all.channels * glycine::cuda::signalStride(all.samples)));
    return planBatches(demand, all.epochs, mostEpochs, available);
}

template BatchPlan planRun<float>(const glycine::cuda::CudaBackend&, const RunShape&, std::size_t);
template BatchPlan planRun<double>(const glycine::cuda::CudaBackend&, const RunShape&, std::size_t);

template <class T>
MatchRun<T>::MatchRun(glycine::cuda::CudaBackend& backend, const RunShape& shape, const BatchPlan& plan)
    : backend_(backend),
      shape_(shape),
      batches_(splitRange(shape.all.epochs, plan.epochs)),
      logs_(glycine::cuda::uploadLogarithms(backend, LogTable(shape.all.samples).values())),
      launcher_(
          glycine::cuda::makeMatchLauncher<T>(backend, shape.variant, withEpochs(shape.all, plan.epochs))) {
    for (std::size_t slot = 0; slot < plan.slots; ++slot)
        slots_.emplace_back(backend, withEpochs(shape.all, plan.epochs), shape.hasPairBounds);
}

template <class T>
MatchTimes MatchRun<T>::match(std::span<const AnyEpoch> epochs, bool isStrict,
                              std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) {
    const Stopwatch whole;
    const double workOfPair =
        static_cast<double>(shape_.all.samples) * static_cast<double>(shape_.all.samples);
    const glycine::cuda::WorkListener worked = [&](double work) { progress.advance(work); };
    glycine::cuda::PacedReport report(worked, kPortionsAhead);
    glycine::cuda::BatchTimes onDevice;
    double packing = 0;
    double unpacking = 0;
    const auto finish = [&](std::size_t b) {
        const MatchStatistics* totals = slots_[b % slots_.size()].wait(onDevice);
        const Stopwatch watch;
        unpack(totals, statistics.subspan(batches_[b].begin, batches_[b].size()));
        unpacking += watch.seconds();
    };
    try {
        for (std::size_t b = 0; b < batches_.size(); ++b) {
            if (b >= slots_.size()) finish(b - slots_.size());
            progress.throwIfCancelled();
            glycine::cuda::MatchBatch<T>& slot = slots_[b % slots_.size()];
            const Range range = batches_[b];
            const Stopwatch watch;
            pack(epochs.subspan(range.begin, range.size()), isStrict, slot);
            packing += watch.seconds();
            const double pairs = static_cast<double>(withEpochs(shape_.all, range.size()).pairs());
            // The signals of all items are contiguous in device memory.
            const T* const there = std::get<Epoch<T>>(epochs[range.begin]).onDevice;
            slot.start(range.size(), there, logs_.data(), *launcher_, streams_, pairs * workOfPair, report);
        }
        report.settleAll();
        for (std::size_t b = batches_.size() - std::min(batches_.size(), slots_.size()); b < batches_.size();
             ++b)
            finish(b);
    } catch (...) {
        backend_.finish();  // no transfer may be pending on buffers that are reused
        throw;
    }
    // Sorting and matching are exclusive on the device. Transfers count, in proportion, only where they do
    // not overlap these.
    MatchTimes times;
    times.prepare = onDevice.sort;
    times.compute = onDevice.match;
    const double exposed = std::max(0.0, whole.seconds() - times.prepare - times.compute);
    const double in = packing + onDevice.upload;
    const double out = unpacking + onDevice.download;
    times.upload = exposed * in / (in + out);
    times.download = exposed - times.upload;
    return times;
}

template <class T>
void MatchRun<T>::pack(std::span<const AnyEpoch> epochs, bool isStrict,
                       const glycine::cuda::MatchBatch<T>& batch) const {
    const std::size_t channels = shape_.all.channels;
    const std::size_t samples = shape_.all.samples;
    const std::size_t stride = glycine::cuda::signalStride(samples);
    parallelFor(threadsFor(epochs.size() * channels * stride * sizeof(T)), epochs.size(),
                [&](std::size_t e, std::size_t) {
                    const auto& epoch = std::get<Epoch<T>>(epochs[e]);
                    for (std::size_t channel = 0; channel < channels && epoch.onDevice == nullptr;
                         ++channel) {
                        T* row = batch.signals() + (e * channels + channel) * stride;
                        std::copy_n(epoch.signals.row(channel), samples, row);
                        std::fill(row + samples, row + stride, std::numeric_limits<T>::quiet_NaN());
                    }
                    const std::size_t bounds = shape_.hasPairBounds ? channels * channels : 1;
                    for (std::size_t p = 0; p < bounds; ++p)
                        batch.bounds()[e * bounds + p] =
                            openBound(epoch.toleranceOf(p / channels, p % channels), isStrict);
                });
}

template <class T>
void MatchRun<T>::unpack(const MatchStatistics* totals,
                         std::span<const MatrixView<MatchStatistics>> statistics) const {
    const std::size_t channels = shape_.all.channels;
    parallelFor(threadsFor(statistics.size() * channels * channels * sizeof(MatchStatistics)),
                statistics.size() * channels, [&](std::size_t row, std::size_t) {
                    MatchStatistics* target = statistics[row / channels].row(row % channels);
                    std::copy_n(totals + row * channels, channels, target);
                });
}

template class MatchRun<float>;
template class MatchRun<double>;

}  // namespace glycine::crossapen::cuda
