#include "kernels_cuda/device/device_probes.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_probe_kernels.hpp"
#include "kernels_cuda/device/matrix_rate.hpp"

namespace glycine::cuda {

namespace {

/// As many blocks as a multiprocessor holds at once: 2,048 threads.
constexpr unsigned kBlocksEach = 8;

/// Queues a portion in a stream.
using Queue = std::function<void(StreamHandle)>;

/// Seconds on the device's clock for this many portions.
double deviceSeconds(const Stream& stream, const Queue& queue, std::size_t portions) {
    const Event begin(Event::Kind::Timing), end(Event::Kind::Timing);
    begin.record(stream);
    for (std::size_t portion = 0; portion < portions; ++portion) queue(stream.handle());
    end.record(stream);
    end.synchronize();
    return Event::secondsBetween(begin, end);
}

/// State of the kernels that work in registers.
struct Chains {
    unsigned blocks;
    DeviceBuffer<double> sums;
    Stream stream;
    explicit Chains(const CudaBackend& backend)
        : blocks(static_cast<unsigned>(backend.multiprocessors()) * kBlocksEach),
          sums(backend.memory(), std::size_t{blocks} * kProbeThreads) {}
};

DeviceProbe::Runner runnerOf(const CudaBackend& backend, std::shared_ptr<Chains> chains,
                             const std::string& name, const RegisterKernel& kernel) {
    return [&backend, chains = std::move(chains), name, kernel](std::size_t portions) {
        backend.makeCurrent();
        GLYCINE_CUDA(cudaMemset(chains->sums.data(), 0, chains->sums.size() * sizeof(double)));
        GLYCINE_CUDA(cudaDeviceSynchronize());
        const double seconds = deviceSeconds(
            chains->stream,
            [&](StreamHandle stream) { kernel.launch(stream, chains->blocks, chains->sums.data()); },
            portions);
        std::vector<double> found(chains->sums.size());
        GLYCINE_CUDA(cudaMemcpy(found.data(), chains->sums.data(), found.size() * sizeof(double),
                                cudaMemcpyDeviceToHost));
        for (std::size_t thread = 0; thread < found.size(); ++thread)
            if (!(std::abs(found[thread] - kernel.expected) <= kernel.tolerance))
                requireProbeResult(fmt::format("{}, thread {}", name, thread), found[thread],
                                   kernel.expected);
        return ProbeRun{
            kernel.amount * static_cast<double>(found.size()) * static_cast<double>(portions) / 1e9, seconds};
    };
}

/// Uses the fastest of registerKernels() for this kind and format.
DeviceProbe registerProbe(const CudaBackend& backend, std::string_view kind, std::string_view format,
                          std::string how, std::string unit = "G/s") {
    const std::string name = format.empty() ? std::string(kind) : probeName(kind, format);
    return {name, std::move(unit), std::move(how), [&backend, kind, format, name] {
                backend.makeCurrent();
                const auto chains = std::make_shared<Chains>(backend);
                std::vector<DeviceProbe::Runner> runners;
                for (const RegisterKernel& kernel : registerKernels())
                    if (kernel.kind == kind && kernel.format == format)
                        runners.push_back(runnerOf(backend, chains, name, kernel));
                return fastestOf(std::move(runners));
            }};
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
            // The rate by the device's clock, from runs whose length matrixRate chooses.
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
            // Launches per batch: few enough to fill no queue, enough to make waiting for the end negligible.
            constexpr unsigned kLaunches = 512;
            backend.makeCurrent();
            GLYCINE_CUDA(cudaMemset(place->stored.data(), 0, sizeof(unsigned)));
            GLYCINE_CUDA(cudaDeviceSynchronize());
            const ProbeRun run = timedBatches(portions, kLaunches, [&](std::size_t batch) {
                // The last kernel stores the batch's number after all previous ones have ended.
                for (unsigned launch = 1; launch <= kLaunches; ++launch)
                    launchProbeNothing(place->stream.handle(),
                                       launch < kLaunches ? 0 : static_cast<unsigned>(batch + 1),
                                       place->stored.data());
                place->stream.synchronize();
            });
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
    std::vector<DeviceProbe> probes{copyProbe(backend)};
    for (const char* format : {"float32", "float64", "int32", "int16"})
        probes.push_back(registerProbe(backend, kAddMin, format,
                                       "an addition and a minimum each (or a maximum), in registers, two "
                                       "minima by one instruction where the device has it; chains or sums, "
                                       "whichever is faster"));
    for (const char* format : {"float32", "float64"})
        probes.push_back(registerProbe(backend, kMultiplyAdd, format, "fused, in registers"));
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
    probes.push_back(registerProbe(backend, kPopulationCount, "",
                                   "XOR with a word and count, by instructions or carry-save adders, "
                                   "whichever is faster; in registers",
                                   "Gbit/s"));
    probes.push_back(registerProbe(backend, kLog, "float32",
                                   "the device's own approximation, in registers, with an addition each"));
    probes.push_back(registerProbe(backend, kLog, "float64", "in registers, with an addition each"));
    probes.push_back(launchProbe(backend));
    for (const bool isUpload : {true, false}) probes.push_back(transferProbe(backend, isUpload));
    return probes;
}

}  // namespace glycine::cuda
