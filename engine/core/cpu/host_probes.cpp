#include "engine/core/cpu/host_probes.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>

#include "engine/core/cpu/chains.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/multiply_add_rate.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/system/machine.hpp"

namespace glycine::cpu {

namespace {

/// Seconds from the moment when all threads have started until all have run `work(thread)`.
template <class Work>
double secondsOfThreads(const HostBackend& backend, const Work& work) {
    Stopwatch watch;
#pragma omp parallel num_threads(backend.threads())
    {
#pragma omp barrier
#pragma omp single
        watch.restart();
        work(static_cast<std::size_t>(omp_get_thread_num()));
    }
    return watch.seconds();
}

std::string withThreads(const HostBackend& backend, std::string_view what) {
    return fmt::format("{}, {}, {}", what, toString(backend.instructions()),
                       formatCount(static_cast<std::size_t>(backend.threads()), "thread"));
}

/// Runs `portions` portions and returns how many parts had a wrong result. Called by each thread.
using Work = std::function<std::size_t(std::size_t thread, std::size_t portions)>;

/// Runs `work` on all threads. A portion of one thread is `amount`, in 10⁹ of the unit.
DeviceProbe::Runner runnerOf(const HostBackend& backend, std::string checked, double amount, Work work) {
    return [&backend, checked = std::move(checked), amount, work = std::move(work)](std::size_t portions) {
        std::atomic<std::size_t> wrong = 0;
        const double seconds =
            secondsOfThreads(backend, [&](std::size_t thread) { wrong += work(thread, portions); });
        requireProbeResult(checked, static_cast<double>(wrong), 0);
        return ProbeRun{amount * static_cast<double>(portions) * backend.threads(), seconds};
    };
}

template <class T>
DeviceProbe minimaProbe(const HostBackend& backend, std::string_view format,
                        std::size_t (*ChainKernels::*member)(T, T, const T*, std::size_t), T start) {
    const std::string name = probeName(kAddMin, format);
    const ChainKernels kernels = kernelFor<ChainKernels>(backend.instructions());
    const double amount = kChains * kChainRounds * static_cast<double>(kernels.registerBytes / sizeof(T));
    return {name, "G/s", withThreads(backend, "an addition and a minimum each (or a maximum), in registers"),
            [=, &backend] {
                const ChainValues<T> expected = expectedMinima<T>(start, T{-1});
                return runnerOf(backend, name + ", portions that went wrong", amount / 1e9,
                                [=](std::size_t, std::size_t portions) {
                                    return (kernels.*member)(start, T{-1}, expected.data(), portions);
                                });
            }};
}

DeviceProbe multiplyAddProbe(const HostBackend& backend, MultiplyAddNumbers numbers,
                             std::string_view format) {
    // Enough rounds to bring the chains to 1 and keep them there.
    constexpr std::size_t kRounds = std::size_t{1} << 15;
    const std::string name = probeName(kMultiplyAdd, format);
    const auto begin = [&backend, numbers, name] {
        std::size_t each = 0;
        chainMultiplyAdds(backend.instructions(), numbers, 1, each);
        const auto numbersAThread = static_cast<double>(each);
        const auto work = [=, &backend](std::size_t, std::size_t portions) {
            std::size_t wrong = 0;
            for (std::size_t portion = 0; portion < portions; ++portion) {
                std::size_t count = 0;
                const double sum = chainMultiplyAdds(backend.instructions(), numbers, kRounds, count);
                if (!(std::abs(sum / numbersAThread - 1) < 1e-3)) ++wrong;
            }
            return wrong;
        };
        return runnerOf(backend, name + ", portions that went wrong", kRounds * numbersAThread / 1e9, work);
    };
    return {name, "G/s", withThreads(backend, "in registers, none waits for another"), begin};
}

struct alignas(64) CountedWords {
    std::uint64_t words[kCountedWords];
};

DeviceProbe countProbe(const HostBackend& backend) {
    const ChainKernels kernels = kernelFor<ChainKernels>(backend.instructions());
    const auto begin = [&backend, kernels] {
        const auto data = std::make_shared<CountedWords>();
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < kCountedWords; ++i)
            data->words[i] = (i + 1) * std::uint64_t{0x9e3779b97f4a7c15};
        for (std::uint64_t round = 0; round < kCountRounds; ++round)
            for (const std::uint64_t word : data->words)
                expected += static_cast<std::uint64_t>(std::popcount(word ^ round));
        std::vector<DeviceProbe::Runner> ways;
        for (const auto count : {kernels.countByAdders, kernels.countByInstruction})
            if (count != nullptr)
                ways.push_back(runnerOf(backend, "population count, threads that counted wrong",
                                        64. * kCountedWords * kCountRounds / 1e9,
                                        [=](std::size_t, std::size_t portions) -> std::size_t {
                                            return count(data->words, portions) != expected * portions;
                                        }));
        return fastestOf(std::move(ways));
    };
    return {std::string(kPopulationCount), "Gbit/s",
            withThreads(backend, kernels.countByInstruction != nullptr
                                     ? "XOR with a word and count, by instructions or carry-save adders, "
                                       "whichever is faster; words in the nearest cache"
                                     : "XOR with a word and count, by carry-save adders; words in the "
                                       "nearest cache"),
            begin};
}

template <class T>
DeviceProbe logProbe(const HostBackend& backend, std::string_view format,
                     void (*ChainKernels::*member)(const T*, T*), double tolerance) {
    const std::string name = probeName(kLog, format);
    const ChainKernels kernels = kernelFor<ChainKernels>(backend.instructions());
    const auto begin = [&backend, kernels, member, name, tolerance] {
        std::vector<T> numbers(kLogNumbers);
        for (std::size_t i = 0; i < kLogNumbers; ++i)
            numbers[i] = static_cast<T>(i + 1) / static_cast<T>(kLogNumbers);
        const auto work = [=](std::size_t, std::size_t portions) {
            std::vector<T> found(kLogNumbers);
            for (std::size_t portion = 0; portion < portions; ++portion)
                (kernels.*member)(numbers.data(), found.data());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < kLogNumbers; ++i)
                if (!(std::abs(static_cast<double>(found[i]) - std::log(static_cast<double>(numbers[i]))) <=
                      tolerance))
                    ++wrong;
            return wrong;
        };
        return runnerOf(backend, name + ", logarithms that are wrong", kLogNumbers / 1e9, work);
    };
    return {name, "G/s", withThreads(backend, "by the C library, numbers in the nearest cache"), begin};
}

/// One or two arrays far larger than the caches, first touched by the threads that use them.
class LargeArrays {
  public:
    LargeArrays(const HostBackend& backend, std::size_t count)
        : threads_(static_cast<std::size_t>(backend.threads())) {
        constexpr std::size_t kLeast = std::size_t{64} << 20U, kMax = std::size_t{1} << 30U;
        words_ = std::clamp(4 * lastCacheBytes(), kLeast, kMax) / sizeof(std::uint64_t);
        requireHostMemory("measuring memory bandwidth", static_cast<double>(count) * bytes());
        for (std::size_t k = 0; k < count; ++k) arrays_[k].reset(new std::uint64_t[words_]);
        secondsOfThreads(backend, [this](std::size_t thread) {
            for (std::size_t i = first(thread); i < first(thread + 1); ++i) {
                arrays_[0][i] = patternAt(i);
                if (arrays_[1]) arrays_[1][i] = 0;
            }
        });
    }
    static std::uint64_t patternAt(std::size_t index) { return index * 3 + 1; }
    /// Of the patterns at the first `words` indices, below 2³².
    static std::uint64_t sumOfPatterns(std::uint64_t words) { return words * (words - 1) / 2 * 3 + words; }
    double bytes() const { return static_cast<double>(words_) * sizeof(std::uint64_t); }
    std::size_t first(std::size_t thread) const { return words_ * thread / threads_; }
    std::uint64_t* array(std::size_t which) const { return arrays_[which].get(); }
    std::size_t words() const { return words_; }

  private:
    std::size_t threads_;
    std::size_t words_ = 0;
    std::unique_ptr<std::uint64_t[]> arrays_[2];
};

DeviceProbe copyProbe(const HostBackend& backend) {
    const auto begin = [&backend] {
        const auto arrays = std::make_shared<LargeArrays>(backend, 2);
        return [&backend, arrays](std::size_t portions) {
            std::atomic<std::size_t> wrong = 0;
            std::memset(arrays->array(1), 0, static_cast<std::size_t>(arrays->bytes()));
            const double seconds = secondsOfThreads(backend, [&](std::size_t thread) {
                const std::size_t first = arrays->first(thread), count = arrays->first(thread + 1) - first;
                for (std::size_t portion = 0; portion < portions; ++portion)
                    std::memcpy(arrays->array(1 - portion % 2) + first, arrays->array(portion % 2) + first,
                                count * sizeof(std::uint64_t));
            });
            secondsOfThreads(backend, [&](std::size_t thread) {
                std::size_t own = 0;
                for (const std::size_t which : {std::size_t{0}, std::size_t{1}})
                    for (std::size_t i = arrays->first(thread); i < arrays->first(thread + 1); ++i)
                        own += arrays->array(which)[i] != LargeArrays::patternAt(i) ? 1 : 0;
                wrong += own;
            });
            requireProbeResult("copy bandwidth, words that are wrong", static_cast<double>(wrong), 0);
            return ProbeRun{2 * arrays->bytes() * static_cast<double>(portions) / 1e9, seconds};
        };
    };
    return {std::string(kCopyBandwidth), "GB/s",
            withThreads(backend,
                        "arrays of at least four times the last cache, bytes read and bytes written counted"),
            begin};
}

DeviceProbe readProbe(const HostBackend& backend) {
    const auto begin = [&backend] {
        const auto arrays = std::make_shared<LargeArrays>(backend, 1);
        const std::uint64_t expected = LargeArrays::sumOfPatterns(arrays->words());
        return [&backend, arrays, expected](std::size_t portions) {
            std::atomic<std::uint64_t> sum = 0;
            const double seconds = secondsOfThreads(backend, [&](std::size_t thread) {
                const std::uint64_t* words = arrays->array(0);
                std::uint64_t own = 0;
                for (std::size_t portion = 0; portion < portions; ++portion) {
                    std::uint64_t once = 0;
                    asm volatile("" : : "r"(words) : "memory");  // read again each time
                    for (std::size_t i = arrays->first(thread); i < arrays->first(thread + 1); ++i)
                        once += words[i];
                    own += once;
                }
                sum += own;
            });
            if (sum != expected * portions)
                throw DeviceError("read bandwidth: the sum of the words is wrong");
            return ProbeRun{arrays->bytes() * static_cast<double>(portions) / 1e9, seconds};
        };
    };
    return {"read bandwidth", "GB/s",
            withThreads(backend, "the sum of an array of at least four times the last cache"), begin};
}

DeviceProbe regionProbe(const HostBackend& backend) {
    const auto begin = [&backend] {
        return [&backend](std::size_t portions) {
            struct alignas(64) Count {
                std::size_t value = 0;
            };
            constexpr std::size_t kRegions = 64;  // per batch
            std::vector<Count> counts(static_cast<std::size_t>(backend.threads()));
            const ProbeRun run = timedBatches(portions, kRegions, [&](std::size_t) {
                for (std::size_t region = 0; region < kRegions; ++region) {
#pragma omp parallel num_threads(backend.threads())
                    ++counts[static_cast<std::size_t>(omp_get_thread_num())].value;
                }
            });
            for (const Count& count : counts)
                requireProbeResult("launch overhead, regions that a thread was in",
                                   static_cast<double>(count.value), run.amount);
            return run;
        };
    };
    return {std::string(kLaunchOverhead), "µs",
            withThreads(backend, "an OpenMP region with next to nothing in it, the best of batches of 64"),
            begin};
}

}  // namespace

std::vector<DeviceProbe> hostProbes(const HostBackend& backend) {
    std::vector<DeviceProbe> probes;
    probes.push_back(copyProbe(backend));
    probes.push_back(readProbe(backend));
    probes.push_back(minimaProbe<float>(backend, "float32", &ChainKernels::minimaFloat, 0x1p20F));
    probes.push_back(minimaProbe<double>(backend, "float64", &ChainKernels::minimaDouble, 0x1p20));
    probes.push_back(minimaProbe<std::int32_t>(backend, "int32", &ChainKernels::minimaInt32, 1 << 20));
    probes.push_back(minimaProbe<std::int16_t>(backend, "int16", &ChainKernels::minimaInt16, 30000));
    for (const auto& [numbers, format] : {std::pair(MultiplyAddNumbers::Float32, "float32"),
                                          std::pair(MultiplyAddNumbers::Float64, "float64")}) {
        probes.push_back(multiplyAddProbe(backend, numbers, format));
        // The processor's matrix instructions are not used, so the figures are the same.
        probes.push_back(probes.back());
        probes.back().name = probeName(kMatrixProduct, format);
        probes.back().how = withThreads(backend, "multiply-adds in registers: vectors, no matrix unit");
    }
    for (const char* format : {"tf32", "fp16"})
        probes.push_back(
            absentProbe(probeName(kMatrixProduct, format), "G/s", "no variant has these numbers on a cpu"));
    probes.push_back(countProbe(backend));
    probes.push_back(logProbe<float>(backend, "float32", &ChainKernels::logFloat, 1e-5));
    probes.push_back(logProbe<double>(backend, "float64", &ChainKernels::logDouble, 1e-12));
    probes.push_back(regionProbe(backend));
    for (const char* name : {"upload", "download"})
        probes.push_back(absentProbe(name, "GB/s", "the processor works where the data are"));
    return probes;
}

}  // namespace glycine::cpu
