#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/patterns.hpp"
#include "kernels_cuda/crossapen/crossapen_patterns.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::crossapen::cuda {

namespace {

using glycine::cuda::DeviceBuffer;
using glycine::cuda::kCrossingCounts;
using glycine::cuda::PatternShape;
using Word = std::uint64_t;

/// Samples of the channels of a batch, some 40 bytes of device memory each. Progress is reported between
/// batches.
constexpr std::size_t kSamplesAtOnce = std::size_t{1} << 24;
/// Comparisons of samples per launch of Cross-PermEn, so that progress is reported.
constexpr double kPatternWorkAtOnce = 1e11;
static_assert(kLongestPattern == 12, "the kernels have templates for m up to 12");
constexpr std::size_t kMaxPairsAtOnce = std::size_t{1} << 20;

/// Bits of the codes of patterns.
int bitsOf(const PatternRule& rule) {
    if (rule.measure != Measure::DispEn) return static_cast<int>(glycine::cuda::kOrderBits * rule.m);
    Word patterns = 1;
    for (unsigned k = 0; k < rule.m; ++k) patterns *= rule.classes;
    return std::bit_width(patterns - 1);
}

std::size_t pairsAtOnce(const PatternShape& shape) {
    const double comparisons = static_cast<double>(shape.templates()) * shape.m * shape.m;
    return static_cast<std::size_t>(
        std::clamp(kPatternWorkAtOnce / comparisons, 1.0,
                   static_cast<double>(std::min(shape.channels * shape.channels, kMaxPairsAtOnce))));
}

/// Device memory for PermEn or DispEn of so many channels.
std::size_t bytesForChannels(const PatternShape& shape, const PatternRule& rule) {
    const std::size_t patterns = shape.channels * shape.templates();
    const std::size_t ofSample = rule.measure == Measure::DispEn ? sizeof(std::uint32_t) : sizeof(double);
    return shape.channels * shape.samples * ofSample + patterns * (2 * sizeof(Word) + sizeof(std::uint32_t)) +
           glycine::cuda::bytesForKeySort(shape.channels, shape.templates());
}

/// Device memory for Cross-PermEn.
std::size_t bytesForPairs(const PatternShape& shape) {
    return shape.channels * (shape.samples * sizeof(double) + shape.templates() * sizeof(Word)) +
           pairsAtOnce(shape) * kCrossingCounts * sizeof(std::uint32_t);
}

class PatternRun {
  public:
    PatternRun(const glycine::cuda::CudaBackend& backend, std::span<const AnyEpoch> items,
               const PatternRule& rule, std::span<const MatrixView<PatternEntropy>> results,
               std::size_t channels, std::size_t samples, Progress& progress)
        : backend_(backend),
          items_(items),
          rule_(rule),
          results_(results),
          progress_(progress),
          threads_(omp_get_max_threads()),
          channels_(channels),
          samples_(samples) {}

    /// PermEn, DispEn.
    void countChannels() {
        const std::size_t all = items_.size() * channels_;
        const std::size_t most = std::clamp<std::size_t>(kSamplesAtOnce / samples_, 1, all);
        const std::size_t atOnce = largestFitting(most, [&](std::size_t n) {
            return bytesForChannels(shapeOf(n), rule_) <= backend_.memory().available();
        });
        if (atOnce == 0) throw UnavailableError("patterns of a channel do not fit into device memory");
        rule_.measure == Measure::DispEn ? countBatches<std::uint32_t>(atOnce) : countBatches<double>(atOnce);
    }

    /// Cross-PermEn.
    void countPairs() {
        const PatternShape shape = shapeOf(channels_);
        const std::size_t all = channels_ * channels_;
        const std::size_t atOnce = pairsAtOnce(shape);
        Matrix<double> host(channels_, samples_);
        const DeviceBuffer<double> signals(backend_.memory(), host.size());
        const DeviceBuffer<Word> orders(backend_.memory(), channels_ * shape.templates());
        const DeviceBuffer<std::uint32_t> counts(backend_.memory(), atOnce * kCrossingCounts);
        Matrix<std::uint32_t> found(atOnce, kCrossingCounts);
        for (std::size_t item = 0; item < items_.size(); ++item) {
            upload<double>({item * channels_, (item + 1) * channels_}, host, signals);
            launchOrders(launch(), shape, signals.data(), orders.data());
            for (const Range pairs : splitRange(all, atOnce)) {
                launchCrossings(launch(), shape, orders.data(), signals.data(), pairs.begin, pairs.size(),
                                counts.data());
                stream_.synchronize();
                times_.compute += watch_.restart();
                copyToHost(backend_, counts.data(), pairs.size() * kCrossingCounts, found.data());
                parallelFor(threads_, pairs.size(), [&](std::size_t k, std::size_t) {
                    const std::size_t pair = pairs.begin + k;
                    results_[item](pair / channels_, pair % channels_) =
                        entropyOfCounts(std::span<const std::uint32_t>(found.row(k), kCrossingCounts),
                                        shape.templates(), backend_.device());
                });
                times_.download += watch_.restart();
                progress_.advance(static_cast<double>(pairs.size() * samples_));
            }
        }
    }

    const MatchTimes& times() const { return times_; }

  private:
    PatternShape shapeOf(std::size_t channels) const { return {channels, samples_, rule_.m, rule_.delay}; }
    glycine::cuda::Launch launch() const { return {stream_.handle(), backend_.multiprocessors()}; }

    /// Fills the samples, or with an integral T the classes, of a channel. Returns whether it has patterns.
    template <class T>
    bool fill(std::size_t number, T* target) const {
        return std::visit(
            [&]<class Sample>(const Epoch<Sample>& epoch) {
                const std::span<const Sample> signal(epoch.signals.row(number % channels_), samples_);
                if constexpr (std::is_integral_v<T>) {
                    const std::vector<T> classes = dispersionClasses(signal, rule_);
                    if (classes.empty()) std::fill_n(target, samples_, T(0));
                    std::copy(classes.begin(), classes.end(), target);
                    return !classes.empty();
                } else {
                    std::copy(signal.begin(), signal.end(), target);
                    return true;
                }
            },
            items_[number / channels_]);
    }

    /// Uploads channels, numbered through all items. Returns for each whether it has patterns.
    template <class T>
    std::vector<char> upload(const Range& channels, Matrix<T>& host, const DeviceBuffer<T>& device) {
        std::vector<char> areDefined(channels.size());
        parallelFor(threads_, channels.size(), [&](std::size_t c, std::size_t) {
            areDefined[c] = fill(channels.begin + c, host.row(c)) ? 1 : 0;
        });
        times_.prepare += watch_.restart();
        copyToDevice(backend_, host.data(), channels.size() * samples_, device.data());
        times_.upload += watch_.restart();
        return areDefined;
    }

    /// Of `atOnce` channels each.
    template <class T>
    void countBatches(std::size_t atOnce) {
        const PatternShape most = shapeOf(atOnce);
        const std::size_t templates = most.templates();
        Matrix<T> host(atOnce, samples_);
        Matrix<std::uint32_t> found(atOnce, templates);
        const DeviceBuffer<T> signals(backend_.memory(), host.size());
        const DeviceBuffer<Word> codes(backend_.memory(), atOnce * templates);
        const DeviceBuffer<Word> sorted(backend_.memory(), atOnce * templates);
        const DeviceBuffer<std::uint32_t> lengths(backend_.memory(), atOnce * templates);
        const DeviceBuffer<std::byte> workspace(backend_.memory(),
                                                glycine::cuda::bytesForKeySort(atOnce, templates));
        for (const Range batch : splitRange(items_.size() * channels_, atOnce)) {
            const std::vector<char> areDefined = upload(batch, host, signals);
            const PatternShape shape = shapeOf(batch.size());
            if constexpr (std::is_integral_v<T>)
                launchDispersions(launch(), shape, signals.data(), rule_.classes, codes.data());
            else
                launchOrders(launch(), shape, signals.data(), codes.data());
            launchKeySort(launch(), batch.size(), templates, bitsOf(rule_), codes.data(), sorted.data(),
                          workspace.data());
            launchRunLengths(launch(), batch.size(), templates, sorted.data(), lengths.data());
            stream_.synchronize();
            times_.compute += watch_.restart();
            copyToHost(backend_, lengths.data(), batch.size() * templates, found.data());
            parallelFor(threads_, batch.size(), [&](std::size_t c, std::size_t) {
                const std::size_t number = batch.begin + c;
                const PatternEntropy entropy = entropyOfCounts(
                    std::span<const std::uint32_t>(found.row(c), templates), templates, backend_.device());
                std::fill_n(results_[number / channels_].row(number % channels_), channels_,
                            areDefined[c] != 0 ? entropy : kUndefinedPatterns);
            });
            times_.download += watch_.restart();
            progress_.advance(static_cast<double>(batch.size() * channels_ * samples_));
        }
    }

    const glycine::cuda::CudaBackend& backend_;
    std::span<const AnyEpoch> items_;
    PatternRule rule_;
    std::span<const MatrixView<PatternEntropy>> results_;
    Progress& progress_;
    int threads_;
    std::size_t channels_;
    std::size_t samples_;
    glycine::cuda::Stream stream_;
    MatchTimes times_;
    Stopwatch watch_;
};

class CudaPatterns final : public PatternEngine {
  public:
    explicit CudaPatterns(glycine::cuda::CudaBackend& backend) : backend_(backend) {}

    Support supports(const PatternRequest& request) const override {
        if (Support any = supportsPatterns(request); !any) return any;
        if (request.channels == 0 || request.samples == 0) return Support::yes();
        const bool isCross = request.rule.measure == Measure::CrossPermEn;
        const PatternShape shape{isCross ? request.channels : 1, request.samples, request.rule.m,
                                 request.rule.delay};
        backend_.makeCurrent();
        const std::size_t bytes = isCross ? bytesForPairs(shape) : bytesForChannels(shape, request.rule);
        if (bytes > backend_.memory().available())
            return Support::no(lackOfDeviceMemory(
                fmt::format("holding patterns of {} channels of {} samples", shape.channels, shape.samples),
                static_cast<double>(bytes), backend_.memory().available()));
        return Support::yes();
    }

    MatchOutcome count(std::span<const AnyEpoch> items, const PatternRule& rule,
                       std::span<const MatrixView<PatternEntropy>> results, Progress& progress) override {
        return countOnDevice(items, rule, results, [&](std::size_t channels, std::size_t samples) {
            backend_.makeCurrent();
            return PatternRun(backend_, items, rule, results, channels, samples, progress);
        });
    }

  private:
    glycine::cuda::CudaBackend& backend_;
};

}  // namespace

Implementation<PatternEngine> patternEngine() {
    static const VariantTable<Variant> variants(
        "cuda", {"float64"},
        {{Variant::Patterns, "patterns as numbers, sorted by CUB; crossings counted in shared memory",
          "Bandt and Pompe 2002; Shi et al. 2015; Rostaghi and Azami 2016"}});
    return implementWith<PatternEngine, CudaPatterns, glycine::cuda::CudaBackend>(variants);
}

}  // namespace glycine::crossapen::cuda
