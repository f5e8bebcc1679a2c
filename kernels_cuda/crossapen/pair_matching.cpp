#include "kernels_cuda/crossapen/pair_matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_ranks.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

std::size_t signalElements(const MatchShape& shape) {
    return shape.signals() * signalStride(shape.samples);
}
std::size_t boundElements(const MatchShape& shape, bool hasPairBounds) {
    return hasPairBounds ? shape.pairs() : shape.epochs;
}

/// Shared memory of a block by default, without opting in to more.
constexpr std::size_t kPlainSharedMemory = 48 * 1024;
/// Limit of CUB's counts and of a grid's indices.
constexpr std::size_t kMaxElements = std::numeric_limits<std::int32_t>::max();

std::size_t largestSharedMemory(const CudaBackend& backend) {
    int bytes = 0;
    GLYCINE_CUDA(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, backend.deviceIndex()));
    return std::size_t(bytes);
}

/// Makes launches of about `comparisons` comparisons per multiprocessor: some hundredths of a second on an
/// H200, less than a second on a small GPU.
template <class LaunchOne>
void forEachPortion(const CudaBackend& backend, const MatchShape& shape, std::size_t units,
                    double comparisons, double work, const Stream& stream, PacedReport& report,
                    const LaunchOne& launchOne) {
    const double samples = double(shape.samples);
    const double ofUnit = double(shape.pairs()) * samples * samples / double(units);
    const double wanted = std::max(1.0, comparisons * backend.multiprocessors() / ofUnit);
    const std::size_t step = std::size_t(std::min(wanted, double(kMaxElements)));
    WorkSplit split(work, double(units));
    for (std::size_t first = 0; first < units; first += step) {
        const std::size_t count = std::min(step, units - first);
        launchOne(first, count);
        report.queued(stream, split.next(double(count)));
    }
}

/// Double precision is slow on GPUs that are not made for computing.
template <class T>
constexpr double portion(double comparisons) {
    return sizeof(T) == sizeof(double) ? comparisons / 8 : comparisons;
}

template <class T>
class PublishedLauncher final : public MatchLauncher<T> {
  public:
    PublishedLauncher(const CudaBackend& backend, crossapen::Variant variant, const MatchShape& largest)
        : backend_(backend), variant_(variant), shifted_(backend.memory(), elements(variant, largest)) {}
    static std::size_t bytes(crossapen::Variant variant, const MatchShape& largest) {
        return elements(variant, largest) * sizeof(T);
    }

    /// Copies are uploaded from the host, as published: "the time needed to copy … is increased" (3.4).
    void prepare(const MatchProblem<T>& problem, const T* signals, const Stream& stream) override {
        if (variant_ == crossapen::Variant::Shifted)
            sendShifted(launch(stream), signals, copyStride(problem.shape), problem.shape.m, shifted_.data());
    }
    void match(const MatchProblem<T>& problem, double work, const Stream& stream,
               PacedReport& report) override {
        forEachPortion(backend_, problem.shape, publishedUnits(problem.shape), portion<T>(5e8), work, stream,
                       report, [&](std::size_t first, std::size_t count) {
                           launchPublishedMatching(launch(stream), variant_, problem, first, count,
                                                   shifted_.data(), copyStride(problem.shape));
                       });
    }

  private:
    static std::size_t copyStride(const MatchShape& shape) {
        return shape.signals() * signalStride(shape.samples);
    }
    static std::size_t elements(crossapen::Variant variant, const MatchShape& largest) {
        return variant == crossapen::Variant::Shifted ? (largest.m + 1) * copyStride(largest) : 0;
    }
    Launch launch(const Stream& stream) const { return {stream.handle(), backend_.multiprocessors()}; }

    const CudaBackend& backend_;
    crossapen::Variant variant_;
    DeviceBuffer<T> shifted_;
};

template <class T>
class DiagonalLauncher final : public MatchLauncher<T> {
  public:
    explicit DiagonalLauncher(const CudaBackend& backend) : backend_(backend) {}
    void prepare(const MatchProblem<T>&, const T*, const Stream&) override {}
    void match(const MatchProblem<T>& problem, double work, const Stream& stream,
               PacedReport& report) override {
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        forEachPortion(
            backend_, problem.shape, diagonalUnits(problem.shape), portion<T>(1.5e9), work, stream, report,
            [&](std::size_t first, std::size_t count) { launchDiagonal(launch, problem, first, count); });
    }

  private:
    const CudaBackend& backend_;
};

/// Sorted segments of all signals.
template <class T>
class Sorting {
  public:
    Sorting(const CudaBackend& backend, const SegmentShape& largest)
        : backend_(backend),
          shape_(largest),
          values_(backend.memory(), largest.elements()),
          times_(backend.memory(), largest.elements()),
          workspace_(backend.memory(), bytesForSorting<T>(largest)) {}
    static std::size_t bytes(const SegmentShape& largest) {
        return largest.elements() * (sizeof(T) + sizeof(std::uint16_t)) + bytesForSorting<T>(largest);
    }

    void sort(const MatchProblem<T>& problem, const Stream& stream) {
        shape_.signals = problem.shape.signals();
        launchSort({stream.handle(), backend_.multiprocessors()}, problem.signals, shape_, values_.data(),
                   times_.data(), workspace_.data());
    }
    const SegmentShape& shape() const { return shape_; }
    SortedSegments<T> sorted() const { return {values_.data(), times_.data()}; }

  private:
    const CudaBackend& backend_;
    SegmentShape shape_;
    DeviceBuffer<T> values_;
    DeviceBuffer<std::uint16_t> times_;
    DeviceBuffer<unsigned char> workspace_;
};

template <class T>
class BitsetLauncher final : public MatchLauncher<T> {
  public:
    BitsetLauncher(const CudaBackend& backend, const MatchShape& largest)
        : backend_(backend),
          plan_(planOf(backend, largest)),
          sorting_(backend, segmentsOf(backend, largest)) {}
    static std::size_t bytes(const CudaBackend& backend, const MatchShape& largest) {
        return Sorting<T>::bytes(segmentsOf(backend, largest));
    }

    void prepare(const MatchProblem<T>& problem, const T*, const Stream& stream) override {
        sorting_.sort(problem, stream);
    }
    void match(const MatchProblem<T>& problem, double work, const Stream& stream,
               PacedReport& report) override {
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        const SegmentShape& segments = sorting_.shape();
        forEachPortion(backend_, problem.shape, bitsetUnits(problem.shape, segments, plan_), 5e9, work,
                       stream, report, [&](std::size_t first, std::size_t count) {
                           launchBitset(launch, problem, segments, plan_, sorting_.sorted(), first, count);
                       });
    }

  private:
    static BitsetPlan planOf(const CudaBackend& backend, const MatchShape& shape) {
        return planBitset(shape, sizeof(T), largestSharedMemory(backend));
    }
    static SegmentShape segmentsOf(const CudaBackend& backend, const MatchShape& shape) {
        return {shape.signals(), shape.samples, shape.m, planOf(backend, shape).length()};
    }

    const CudaBackend& backend_;
    BitsetPlan plan_;
    Sorting<T> sorting_;
};

template <class T>
class DominanceLauncher final : public MatchLauncher<T> {
  public:
    DominanceLauncher(const CudaBackend& backend, const MatchShape& largest)
        : backend_(backend),
          plan_(planDominance(largest, sizeof(T), largestSharedMemory(backend))),
          sorting_(backend, segmentsOf(largest)),
          grids_(backend.memory(), gridWords(largest)),
          ranks_(backend.memory(), 2 * samples(largest) + cellRanks(largest)) {
        tables_.grids = grids_.data();
        tables_.successors = ranks_.data();
        tables_.ranks = tables_.successors + samples(largest);
        tables_.predecessors = tables_.ranks + samples(largest);
    }
    static std::size_t bytes(const MatchShape& largest) {
        return Sorting<T>::bytes(segmentsOf(largest)) + gridWords(largest) * sizeof(std::uint32_t) +
               (2 * samples(largest) + cellRanks(largest)) * sizeof(std::uint16_t);
    }

    void prepare(const MatchProblem<T>& problem, const T*, const Stream& stream) override {
        sorting_.sort(problem, stream);
    }
    void match(const MatchProblem<T>& problem, double work, const Stream& stream,
               PacedReport& report) override {
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        const SortedSegments<T> sorted = sorting_.sorted();
        launchRankTables(launch, problem.shape, sorted.times, tables_);
        forEachPortion(backend_, problem.shape, dominanceUnits(problem.shape, plan_), 2e10, work, stream,
                       report, [&](std::size_t first, std::size_t count) {
                           launchDominance(launch, problem, plan_, sorted.values, tables_, first, count);
                       });
    }

  private:
    static SegmentShape segmentsOf(const MatchShape& shape) {
        return {shape.signals(), shape.samples, shape.m, shape.samples};
    }
    static std::size_t samples(const MatchShape& shape) { return shape.signals() * shape.samples; }
    static std::size_t gridWords(const MatchShape& shape) {
        return shape.signals() * dominanceGridWords(shape.samples);
    }
    static std::size_t cellRanks(const MatchShape& shape) {
        return shape.signals() * rankCells(shape.samples) * kRankCell;
    }

    const CudaBackend& backend_;
    DominancePlan plan_;
    Sorting<T> sorting_;
    DeviceBuffer<std::uint32_t> grids_;
    DeviceBuffer<std::uint16_t> ranks_;
    RankTables tables_;
};

}  // namespace

template <class T>
MatchBatch<T>::MatchBatch(const CudaBackend& backend, const MatchShape& largest, bool hasPairBounds)
    : shape_(largest),
      hasPairBounds_(hasPairBounds),
      signalElements_(signalElements(largest)),
      input_((signalElements_ + boundElements(largest, hasPairBounds)) * sizeof(T)),
      output_(largest.pairs() * sizeof(crossapen::MatchStatistics)),
      deviceInput_(backend.memory(), input_.bytes() / sizeof(T)),
      deviceTotals_(backend.memory(), largest.pairs()) {}

template <class T>
std::size_t MatchBatch<T>::bytes(const MatchShape& largest, bool hasPairBounds) {
    return (signalElements(largest) + boundElements(largest, hasPairBounds)) * sizeof(T) +
           largest.pairs() * sizeof(crossapen::MatchStatistics);
}

template <class T>
void MatchBatch<T>::start(std::size_t epochs, const T* there, const std::int64_t* logs,
                          MatchLauncher<T>& launcher, const MatchStreams& streams, double work,
                          PacedReport& report) {
    MatchProblem<T> problem;
    problem.shape = shape_;
    problem.shape.epochs = epochs;
    problem.signals = deviceInput_.data();
    problem.bounds = deviceInput_.data() + signalElements_;
    problem.hasPairBounds = hasPairBounds_;
    problem.logs = logs;
    problem.totals = deviceTotals_.data();

    const auto upload = [&](std::size_t first, const T* source, std::size_t elements) {
        GLYCINE_CUDA(cudaMemcpyAsync(deviceInput_.data() + first, source, elements * sizeof(T),
                                     cudaMemcpyDefault, streams.upload.handle()));
    };
    uploading_.record(streams.upload);
    upload(0, there != nullptr ? there : signals(), signalElements(problem.shape));
    upload(signalElements_, bounds(), boundElements(problem.shape, hasPairBounds_));
    uploaded_.record(streams.upload);

    const std::size_t totalBytes = problem.shape.pairs() * sizeof(crossapen::MatchStatistics);
    streams.compute.waitFor(uploaded_);
    sorting_.record(streams.compute);
    launcher.prepare(problem, signals(), streams.compute);
    matching_.record(streams.compute);
    GLYCINE_CUDA(cudaMemsetAsync(deviceTotals_.data(), 0, totalBytes, streams.compute.handle()));
    launcher.match(problem, work, streams.compute, report);
    matched_.record(streams.compute);

    streams.download.waitFor(matched_);
    downloading_.record(streams.download);
    GLYCINE_CUDA(cudaMemcpyAsync(output_.data(), deviceTotals_.data(), totalBytes, cudaMemcpyDeviceToHost,
                                 streams.download.handle()));
    downloaded_.record(streams.download);
}

template <class T>
const crossapen::MatchStatistics* MatchBatch<T>::wait(BatchTimes& times) const {
    downloaded_.synchronize();
    times.upload += Event::secondsBetween(uploading_, uploaded_);
    times.sort += Event::secondsBetween(sorting_, matching_);
    times.match += Event::secondsBetween(matching_, matched_);
    times.download += Event::secondsBetween(downloading_, downloaded_);
    return reinterpret_cast<const crossapen::MatchStatistics*>(output_.data());
}

template class MatchBatch<float>;
template class MatchBatch<double>;

DeviceBuffer<std::int64_t> uploadLogarithms(const CudaBackend& backend,
                                            const std::vector<std::int64_t>& logarithms) {
    DeviceBuffer<std::int64_t> table(backend.memory(), logarithms.size());
    GLYCINE_CUDA(cudaMemcpy(table.data(), logarithms.data(), logarithms.size() * sizeof(std::int64_t),
                            cudaMemcpyHostToDevice));
    // The streams of a run do not wait for the default stream, which may still be copying.
    GLYCINE_CUDA(cudaDeviceSynchronize());
    return table;
}

std::string unsupportedReason(const CudaBackend& backend, crossapen::Variant variant, const MatchShape& shape,
                              std::size_t sampleBytes) {
    switch (variant) {
        case crossapen::Variant::Halo:
        case crossapen::Variant::Shifted:
            if (publishedSharedBytes(variant, shape.m, sampleBytes) <= kPlainSharedMemory) return {};
            return fmt::format("templates of {} samples do not fit the kernel's {} KiB of shared memory",
                               shape.m, kPlainSharedMemory / 1024);
        case crossapen::Variant::Diagonal:
            if (shape.m <= kLongestDiagonal) return {};
            return fmt::format("the variant 'diagonal' takes templates of {} samples at most, not {}",
                               kLongestDiagonal, shape.m);
        case crossapen::Variant::Bitset:
            if (shape.samples == 0) return {};
            if (planBitset(shape, sampleBytes, largestSharedMemory(backend)).words > 0) return {};
            return fmt::format("templates of {} samples are too long for the bit sets of this device",
                               shape.m);
        case crossapen::Variant::Dominance:
            if (shape.m != 1)
                return fmt::format("the variant 'dominance' takes templates of 1 sample, not {}", shape.m);
            if (shape.samples <= kMaxRankedSamples) return {};
            return fmt::format("the variant 'dominance' takes epochs of {} samples at most, not {}",
                               kMaxRankedSamples, shape.samples);
        default:
            return {};
    }
}

std::optional<KernelUse> kernelOf(const CudaBackend& backend, crossapen::Variant variant) {
    if (variant != crossapen::Variant::Registers && variant != crossapen::Variant::Halo &&
        variant != crossapen::Variant::Shifted)
        return {};
    return kernelUse(backend, publishedKernel(variant), kPublishedThreads,
                     publishedSharedBytes(variant, 1, sizeof(float)));
}

template <class T>
std::size_t bytesForLauncher(const CudaBackend& backend, crossapen::Variant variant,
                             const MatchShape& largest) {
    switch (variant) {
        case crossapen::Variant::Bitset:
            return BitsetLauncher<T>::bytes(backend, largest);
        case crossapen::Variant::Dominance:
            return DominanceLauncher<T>::bytes(largest);
        case crossapen::Variant::Diagonal:
            return 0;
        default:
            return PublishedLauncher<T>::bytes(variant, largest);
    }
}

template <class T>
std::unique_ptr<MatchLauncher<T>> makeMatchLauncher(const CudaBackend& backend, crossapen::Variant variant,
                                                    const MatchShape& largest) {
    switch (variant) {
        case crossapen::Variant::Bitset:
            return std::make_unique<BitsetLauncher<T>>(backend, largest);
        case crossapen::Variant::Dominance:
            return std::make_unique<DominanceLauncher<T>>(backend, largest);
        case crossapen::Variant::Diagonal:
            return std::make_unique<DiagonalLauncher<T>>(backend);
        default:
            return std::make_unique<PublishedLauncher<T>>(backend, variant, largest);
    }
}

template std::size_t bytesForLauncher<float>(const CudaBackend&, crossapen::Variant, const MatchShape&);
template std::size_t bytesForLauncher<double>(const CudaBackend&, crossapen::Variant, const MatchShape&);
template std::unique_ptr<MatchLauncher<float>> makeMatchLauncher(const CudaBackend&, crossapen::Variant,
                                                                 const MatchShape&);
template std::unique_ptr<MatchLauncher<double>> makeMatchLauncher(const CudaBackend&, crossapen::Variant,
                                                                  const MatchShape&);

}  // namespace glycine::cuda
