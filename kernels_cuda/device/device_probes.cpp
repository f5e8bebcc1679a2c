#include "kernels_cuda/device/device_probes.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_probe_kernels.hpp"
#include "kernels_cuda/device/matrix_rate.hpp"

namespace glycine::cuda {

namespace {

/// As many as a multiprocessor holds at once: 2,048 threads.
constexpr unsigned kBlocksEach = 8;

/// Queues a portion in a stream.
using Queue = std::function<void(StreamHandle)>;

/// Seconds of the device's own clock for so many portions.
double deviceSeconds(const Stream& stream, const Queue& queue, std::size_t portions) {
    const Event begin(Event::Kind::Timing), end(Event::Kind::Timing);
    begin.record(stream);
    for (std::size_t portion = 0; portion < portions; ++portion) queue(stream.handle());
    end.record(stream);
    end.synchronize();
    return Event::secondsBetween(begin, end);
}

/// Chains in the registers of all threads.
struct Chains {
    unsigned blocks;
    DeviceBuffer<double> sums;
    Stream stream;
    explicit Chains(const CudaBackend& backend)
        : blocks(static_cast<unsigned>(backend.multiprocessors()) * kBlocksEach),
          sums(backend.memory(), std::size_t{blocks} * kProbeThreads) {}
};

/// What each thread does in a portion, what it must leave, within a tolerance, and how many operations that
/// is.
struct ChainWay {
    std::function<void(StreamHandle, unsigned blocks, double* sums)> launch;
    double expected = 0;
    double tolerance = 0;
    double amount = 0;
};

/// `ways` do the same; the fastest one counts.
DeviceProbe chainProbe(const CudaBackend& backend, std::string name, std::string unit, std::string how,
                       std::vector<ChainWay> ways) {
    const auto begin = [&backend, name, ways]() -> DeviceProbe::Runner {
        backend.makeCurrent();
        const auto chains = std::make_shared<Chains>(backend);
        const auto runnerOf = [&](const ChainWay& way) -> DeviceProbe::Runner {
            return [&backend, chains, name, way](std::size_t portions) {
                backend.makeCurrent();
                GLYCINE_CUDA(cudaMemset(chains->sums.data(), 0, chains->sums.size() * sizeof(double)));
                GLYCINE_CUDA(cudaDeviceSynchronize());
                const double seconds = deviceSeconds(
                    chains->stream,
                    [&](StreamHandle stream) { way.launch(stream, chains->blocks, chains->sums.data()); },
                    portions);
                std::vector<double> found(chains->sums.size());
                GLYCINE_CUDA(cudaMemcpy(found.data(), chains->sums.data(), found.size() * sizeof(double),
                                        cudaMemcpyDeviceToHost));
                for (std::size_t thread = 0; thread < found.size(); ++thread)
                    if (!(std::abs(found[thread] - way.expected) <= way.tolerance))
                        requireProbeResult(fmt::format("{}, thread {}", name, thread), found[thread],
                                           way.expected);
                return ProbeRun{
                    way.amount * static_cast<double>(found.size()) * static_cast<double>(portions) / 1e9,
                    seconds};
            };
        };
        std::vector<DeviceProbe::Runner> runners;
        for (const ChainWay& way : ways) runners.push_back(runnerOf(way));
        return fastestOf(std::move(runners));
    };
    return {std::move(name), std::move(unit), std::move(how), begin};
}

/// What chains of launchProbeMinima leave, both numbers of a word counted. Whole numbers, which all formats
/// hold.
double expectedChains(int start, int step, int numbersAWord) {
    std::array<int, kProbeChains> c;
    c.fill(start);
    for (unsigned round = 0; round < kProbeRounds; ++round)
        for (unsigned j = 0; j < kProbeChains; ++j)
            for (const unsigned other : {(j + 1) % kProbeChains, (j + 2) % kProbeChains})
                c[j] = std::min(c[j], c[other] + step);
    double sum = 0;
    for (const int number : c) sum += number;
    return sum * numbersAWord;
}

/// The same of sums.
double expectedSums(int start, int step, int numbersAWord) {
    double sum = 0;
    for (unsigned j = 0; j < kProbeSums; ++j) {
        const auto weight = [&](unsigned which) { return -step * static_cast<int>(7 * which % kProbeSums); };
        int least = 32000;
        int x = start, y = start - 5;
        for (unsigned round = 0; round < kProbeRounds; ++round) {
            x += step;
            y += 2 * step;
            least = std::min({least, x + weight(j), y + weight((j + 1) % kProbeSums)});
        }
        sum += least;
    }
    return sum * numbersAWord;
}

DeviceProbe minimaProbe(const CudaBackend& backend, ProbeNumbers numbers, const char* format) {
    constexpr int kStart = 20000, kStep = -1;
    const int numbersAWord = numbers == ProbeNumbers::Int16 ? 2 : 1;
    const auto wayOf = [&](MinimaWay way, bool isOfSums) {
        return ChainWay{[=](StreamHandle stream, unsigned blocks, double* sums) {
                            launchProbeMinima(stream, numbers, way, blocks, kStart, kStep, sums);
                        },
                        isOfSums ? expectedSums(kStart, kStep, numbersAWord)
                                 : expectedChains(kStart, kStep, numbersAWord),
                        0, 2.0 * numbersAWord * (isOfSums ? kProbeSums : kProbeChains) * kProbeRounds};
    };
    std::vector<ChainWay> ways{wayOf(MinimaWay::Chains, false), wayOf(MinimaWay::Sums, true)};
    if (numbers == ProbeNumbers::Int32) {
        ways.push_back(wayOf(MinimaWay::ChainsInOne, false));
        ways.push_back(wayOf(MinimaWay::SumsInOne, true));
    }
    return chainProbe(backend, probeName(kAddMin, format), "G/s",
                      "an addition and a minimum each (or a maximum), in registers, two minima by one "
                      "instruction where the device has it; chains or sums, whichever is faster",
                      std::move(ways));
}

DeviceProbe multiplyAddProbe(const CudaBackend& backend, bool isFloat64) {
    return chainProbe(backend, probeName(kMultiplyAdd, isFloat64 ? "float64" : "float32"), "G/s",
                      "fused, in registers",
                      {{[=](StreamHandle stream, unsigned blocks, double* sums) {
                            launchProbeMultiplyAdds(stream, isFloat64, blocks, 0.75, 0.25, sums);
                        },
                        kProbeChains, 1e-5, 1.0 * kProbeChains * kProbeRounds}});
}

DeviceProbe logProbe(const CudaBackend& backend, bool isFloat64) {
    constexpr double kFixed = 3.1461932206205825;  // x = log x + 2
    return chainProbe(backend, probeName(kLog, isFloat64 ? "float64" : "float32"), "G/s",
                      isFloat64 ? "in registers, with an addition each"
                                : "the device's own approximation, in registers, with an addition each",
                      {{[=](StreamHandle stream, unsigned blocks, double* sums) {
                            launchProbeLogs(stream, isFloat64, blocks, 2, sums);
                        },
                        kProbeChains * kFixed, isFloat64 ? 1e-10 : 1e-3, 1.0 * kProbeChains * kProbeRounds}});
}

DeviceProbe countProbe(const CudaBackend& backend) {
    constexpr std::uint32_t kFactor = 2654435769U;
    double expected = 0;
    for (std::uint32_t round = 0; round < kProbeRounds; ++round)
        for (std::uint32_t j = 0; j < kProbeChains; ++j)
            expected += std::popcount((j + 1) * kFactor ^ round * 668265263U);
    const auto way = [expected](bool carrySave) {
        return ChainWay{[=](StreamHandle stream, unsigned blocks, double* sums) {
                            launchProbeCounts(stream, carrySave, blocks, kFactor, sums);
                        },
                        expected, 0, 32.0 * kProbeChains * kProbeRounds};
    };
    return chainProbe(backend, std::string(kPopulationCount), "Gbit/s",
                      "XOR with a word and count, by instructions or carry-save adders, whichever is "
                      "faster; in registers",
                      {way(false), way(true)});
}

DeviceProbe matrixProbe(const CudaBackend& backend, MatrixNumbers numbers, const char* format,
                        const char* how, double share = 1) {
    const auto begin = [&backend, numbers, share]() -> DeviceProbe::Runner {
        if (matrixRate(backend, numbers) <= 0)
            throw UnavailableError("tensor cores come with compute capability 8.0");
        return [&backend, numbers, share](std::size_t) {
            const double expected = expectedMatrixSum(numbers, 8);
            requireProbeResult("matrix product", matrixSum(backend, numbers, 8), expected);
            if (const auto sum = warpgroupSum(backend, numbers, 8))
                requireProbeResult("matrix product of warpgroups", sum->found, sum->expected);
            // A rate of the device's clock, from runs of its own length.
            return ProbeRun{share * matrixRate(backend, numbers), 1};
        };
    };
    return {probeName(kMatrixProduct, format), "G/s", how, begin};
}

DeviceProbe copyProbe(const CudaBackend& backend) {
    const auto begin = [&backend] {
        backend.makeCurrent();
        const std::size_t words =
            std::min<std::size_t>(std::size_t{256} << 20U, backend.memory().available() / 4) / sizeof(float);
        struct Arrays {
            DeviceBuffer<float> each[2];
            Stream stream;
        };
        const auto arrays = std::make_shared<Arrays>();
        std::vector<float> pattern(words);
        for (std::size_t i = 0; i < words; ++i) pattern[i] = static_cast<float>(i % 65521);
        for (auto& array : arrays->each) array = DeviceBuffer<float>(backend.memory(), words);
        GLYCINE_CUDA(cudaMemcpy(arrays->each[0].data(), pattern.data(), words * sizeof(float),
                                cudaMemcpyHostToDevice));
        return [&backend, arrays, words](std::size_t portions) {
            backend.makeCurrent();
            GLYCINE_CUDA(cudaMemset(arrays->each[1].data(), 0, words * sizeof(float)));
            GLYCINE_CUDA(cudaDeviceSynchronize());
            std::size_t from = 0;
            const double seconds = deviceSeconds(
                arrays->stream,
                [&](StreamHandle stream) {
                    GLYCINE_CUDA(cudaMemcpyAsync(arrays->each[1 - from].data(), arrays->each[from].data(),
                                                 words * sizeof(float), cudaMemcpyDeviceToDevice, stream));
                    from = 1 - from;
                },
                portions);
            constexpr std::size_t kLooked = 1024;
            std::vector<float> found(kLooked);
            for (const auto& array : arrays->each)
                for (const std::size_t first : {std::size_t{0}, words / 2, words - kLooked}) {
                    GLYCINE_CUDA(cudaMemcpy(found.data(), array.data() + first, kLooked * sizeof(float),
                                            cudaMemcpyDeviceToHost));
                    for (std::size_t i = 0; i < kLooked; ++i)
                        requireProbeResult("copy bandwidth", found[i],
                                           static_cast<float>((first + i) % 65521));
                }
            return ProbeRun{
                2.0 * static_cast<double>(words * sizeof(float)) * static_cast<double>(portions) / 1e9,
                seconds};
        };
    };
    return {std::string(kCopyBandwidth), "GB/s",
            "arrays of 256 MiB within the device's memory, bytes read and bytes written counted", begin};
}

DeviceProbe transferProbe(const CudaBackend& backend, bool isUpload) {
    const auto begin = [&backend, isUpload] {
        backend.makeCurrent();
        constexpr std::size_t kBytes = std::size_t{64} << 20U;
        struct Memory {
            PinnedBuffer sent{kBytes}, received{kBytes};
            DeviceBuffer<std::byte> device;
            Stream stream;
        };
        const auto memory = std::make_shared<Memory>();
        memory->device = DeviceBuffer<std::byte>(backend.memory(), kBytes);
        for (std::size_t i = 0; i < kBytes; ++i) memory->sent.data()[i] = std::byte(i * 7 + (i >> 12U));
        GLYCINE_CUDA(cudaMemcpy(memory->device.data(), memory->sent.data(), kBytes, cudaMemcpyHostToDevice));
        return [&backend, memory, isUpload](std::size_t portions) {
            backend.makeCurrent();
            std::memset(memory->received.data(), 0, kBytes);
            if (isUpload) GLYCINE_CUDA(cudaMemset(memory->device.data(), 0, kBytes));
            GLYCINE_CUDA(cudaDeviceSynchronize());
            const double seconds = deviceSeconds(
                memory->stream,
                [&](StreamHandle stream) {
                    if (isUpload)
                        GLYCINE_CUDA(cudaMemcpyAsync(memory->device.data(), memory->sent.data(), kBytes,
                                                     cudaMemcpyHostToDevice, stream));
                    else
                        GLYCINE_CUDA(cudaMemcpyAsync(memory->received.data(), memory->device.data(), kBytes,
                                                     cudaMemcpyDeviceToHost, stream));
                },
                portions);
            if (isUpload)
                GLYCINE_CUDA(cudaMemcpy(memory->received.data(), memory->device.data(), kBytes,
                                        cudaMemcpyDeviceToHost));
            if (std::memcmp(memory->sent.data(), memory->received.data(), kBytes) != 0)
                throw DeviceError("a transfer changed bytes");
            return ProbeRun{static_cast<double>(kBytes) * static_cast<double>(portions) / 1e9, seconds};
        };
    };
    return {isUpload ? "upload" : "download", "GB/s",
            isUpload ? "from page-locked memory of the host to the device"
                     : "from the device to page-locked memory of the host",
            begin};
}

DeviceProbe launchProbe(const CudaBackend& backend) {
    const auto begin = [&backend] {
        backend.makeCurrent();
        struct Place {
            DeviceBuffer<unsigned> stored;
            Stream stream;
        };
        const auto place = std::make_shared<Place>();
        place->stored = DeviceBuffer<unsigned>(backend.memory(), 1);
        return [&backend, place](std::size_t portions) {
            constexpr unsigned kLaunches =
                512;  // of a batch: no queue is full, and its end is nothing beside them
            backend.makeCurrent();
            GLYCINE_CUDA(cudaMemset(place->stored.data(), 0, sizeof(unsigned)));
            GLYCINE_CUDA(cudaDeviceSynchronize());
            ProbeRun run{static_cast<double>(portions * kLaunches)};
            for (std::size_t batch = 0; batch < portions; ++batch) {
                // The last kernel stores the batch's number, when all before it have ended.
                const auto number = static_cast<unsigned>(batch + 1);
                const Stopwatch watch;
                for (unsigned launch = 1; launch < kLaunches; ++launch)
                    launchProbeNothing(place->stream.handle(), 0, place->stored.data());
                launchProbeNothing(place->stream.handle(), number, place->stored.data());
                place->stream.synchronize();
                const double seconds = watch.seconds();
                run.seconds += seconds;
                run.least = batch == 0 ? seconds / kLaunches : std::min(run.least, seconds / kLaunches);
            }
            unsigned found = 0;
            GLYCINE_CUDA(cudaMemcpy(&found, place->stored.data(), sizeof found, cudaMemcpyDeviceToHost));
            requireProbeResult("launch overhead, batches that ran", found, static_cast<double>(portions));
            return run;
        };
    };
    return {
        std::string(kLaunchOverhead), "µs",
        "kernels with next to nothing in them, one behind the other in a stream; the best of batches of 512",
        begin};
}

}  // namespace

std::vector<DeviceProbe> deviceProbes(const CudaBackend& backend) {
    std::vector<DeviceProbe> probes;
    probes.push_back(copyProbe(backend));
    for (const auto& [numbers, format] :
         {std::pair(ProbeNumbers::Float32, "float32"), std::pair(ProbeNumbers::Float64, "float64"),
          std::pair(ProbeNumbers::Int32, "int32"), std::pair(ProbeNumbers::Int16, "int16")})
        probes.push_back(minimaProbe(backend, numbers, format));
    for (const bool isFloat64 : {false, true}) probes.push_back(multiplyAddProbe(backend, isFloat64));
    constexpr const char* kTensorCores = "tensor cores: `mma`, or `wgmma` where that is faster";
    probes.push_back(matrixProbe(backend, MatrixNumbers::Tf32, "float32",
                                 "tensor cores, three products of tf32 for each of float32", 1.0 / 3));
    probes.push_back(matrixProbe(backend, MatrixNumbers::Float64, "float64", "tensor cores: `mma`"));
    probes.push_back(matrixProbe(backend, MatrixNumbers::Tf32, "tf32", kTensorCores));
    probes.push_back(matrixProbe(backend, MatrixNumbers::Float16, "fp16", kTensorCores));
    probes.push_back(matrixProbe(backend, MatrixNumbers::Int8, "int8", kTensorCores));
    probes.push_back(
        matrixProbe(backend, MatrixNumbers::Bits, "bits",
                    "tensor cores: `mma`, or `wgmma` where that is faster, AND and population count"));
    probes.push_back(countProbe(backend));
    for (const bool isFloat64 : {false, true}) probes.push_back(logProbe(backend, isFloat64));
    probes.push_back(launchProbe(backend));
    for (const bool isUpload : {true, false}) probes.push_back(transferProbe(backend, isUpload));
    return probes;
}

}  // namespace glycine::cuda
