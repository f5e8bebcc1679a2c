#include "kernels_cuda/device/cuda_backend.hpp"

#include <fmt/format.h>

#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/system/machine.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_probes.hpp"
#include "kernels_cuda/device/gl_interop.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::cuda {

namespace {

/// Number of devices. Throws UnavailableError with CUDA's reason if there is no driver or no device.
int deviceCount() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
        cudaGetLastError();  // clears the error, so that no later call reports it
        throw UnavailableError(fmt::format("no NVIDIA driver or no usable device: {} ({})",
                                           cudaGetErrorString(status), cudaGetErrorName(status)));
    }
    if (count == 0) throw UnavailableError("the NVIDIA driver is there, but it shows no device");
    return count;
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    GLYCINE_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

cudaDeviceProp properties(int device) {
    cudaDeviceProp result{};
    GLYCINE_CUDA(cudaGetDeviceProperties(&result, device));
    return result;
}

int fastestDevice(int count) {
    int best = 0;
    double bestRate = -1;
    for (int device = 0; device < count; ++device) {
        const double rate = double(attribute(cudaDevAttrMultiProcessorCount, device)) *
                            attribute(cudaDevAttrClockRate, device);
        if (rate > bestRate) {
            best = device;
            bestRate = rate;
        }
    }
    return best;
}

int wantedDevice(const BackendOptions& options, int count) {
    if (!options.device) return fastestDevice(count);
    if (*options.device < 0 || *options.device >= count)
        throw UsageError(fmt::format("cuda: there is no device {}; devices are numbered 0 to {}",
                                     *options.device, count - 1));
    return *options.device;
}

std::string describeDriver() {
    int driver = 0;
    int runtime = 0;
    GLYCINE_CUDA(cudaDriverGetVersion(&driver));
    GLYCINE_CUDA(cudaRuntimeGetVersion(&runtime));
    const std::string module = nvidiaModuleVersion();
    return fmt::format("{}CUDA driver {}.{}, runtime {}.{}", module.empty() ? "" : "NVIDIA " + module + ", ",
                       driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

Capabilities describeCapabilities(int device, const cudaDeviceProp& facts, std::size_t memoryLimit) {
    const std::string cause = "cudaGetDeviceProperties";
    Capabilities result;
    result.limits.push_back({"compute capability", fmt::format("{}.{}", facts.major, facts.minor), cause});
    result.limits.push_back({"multiprocessors", std::to_string(facts.multiProcessorCount), cause});
    result.limits.push_back({"clock",
                             fmt::format("{:.0f} MHz", attribute(cudaDevAttrClockRate, device) * 1e-3),
                             "cudaDevAttrClockRate"});
    result.limits.push_back({"memory", fmt::format("{:.0f} MiB", facts.totalGlobalMem / kMebibyte), cause});
    if (memoryLimit != 0)
        result.limits.push_back(
            {"memory used at most", fmt::format("{:.1f} MiB", memoryLimit / kMebibyte), "set by the user"});
    result.limits.push_back({"L2 cache", fmt::format("{:.1f} MiB", facts.l2CacheSize / kMebibyte), cause});
    result.limits.push_back(
        {"shared memory a block", fmt::format("{} KiB", facts.sharedMemPerBlockOptin / 1024), cause});
    const bool dpx = facts.major >= 9;
    result.features.push_back({"DPX add-and-minimum in one instruction", dpx ? "yes" : "no",
                               dpx ? "compute capability 9.0 or later" : "needs compute capability 9.0"});
    result.features.push_back({"asynchronous copy to shared memory", facts.major >= 8 ? "yes" : "no",
                               "compute capability 8.0 or later"});
    result.features.push_back(
        {"interoperation with OpenGL", "yes", "built in; each context is checked for lying on this device"});
    return result;
}

}  // namespace

std::vector<std::string> listDevices() {
    std::vector<std::string> lines;
    const int count = deviceCount();
    for (int device = 0; device < count; ++device) {
        const cudaDeviceProp facts = properties(device);
        lines.push_back(fmt::format("{}, {:.0f} MiB, compute capability {}.{}", facts.name,
                                    facts.totalGlobalMem / kMebibyte, facts.major, facts.minor));
    }
    return lines;
}

void wakeDevice(const BackendOptions& options) {
    GLYCINE_CUDA(cudaSetDevice(wantedDevice(options, deviceCount())));
    GLYCINE_CUDA(cudaFree(nullptr));
}

CudaBackend::CudaBackend(const BackendOptions& options) : memory_(options.maxDeviceBytes) {
    const int count = deviceCount();
    const std::vector<int> drawing =
        options.drawsCurrentContext ? devicesOfCurrentGlContext() : std::vector<int>();
    index_ = !drawing.empty() ? drawing.front() : wantedDevice(options, count);
    const cudaError_t status = cudaSetDevice(index_);  // creates the context
    if (status != cudaSuccess)
        throw UnavailableError(fmt::format("CUDA device {} cannot be used: {} ({})", index_,
                                           cudaGetErrorString(status), cudaGetErrorName(status)));
    const cudaDeviceProp facts = properties(index_);
    multiprocessors_ = facts.multiProcessorCount;
    computeCapability_ = 10 * facts.major + facts.minor;
    device_ = facts.name;
    driver_ = describeDriver();
    capabilities_ = describeCapabilities(index_, facts, options.maxDeviceBytes);
    transfer_ = std::make_unique<StagedTransfer>(*this);
}

CudaBackend::~CudaBackend() = default;

std::vector<DeviceProbe> CudaBackend::probes() {
    return deviceProbes(*this);
}

void CudaBackend::finish() {
    makeCurrent();
    GLYCINE_CUDA(cudaDeviceSynchronize());
}

std::string CudaBackend::pciBusId() const {
    char name[32] = "";
    GLYCINE_CUDA(cudaDeviceGetPCIBusId(name, sizeof name, index_));
    return name;
}

void CudaBackend::makeCurrent() const {
    GLYCINE_CUDA(cudaSetDevice(index_));
}

KernelUse kernelUse(const CudaBackend& backend, const void* kernel, unsigned threads,
                    std::size_t dynamicBytes) {
    backend.makeCurrent();
    cudaFuncAttributes attributes{};
    GLYCINE_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    int blocks = 0;
    GLYCINE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, int(threads), dynamicBytes));
    return {
        threads, unsigned(attributes.numRegs), attributes.sharedSizeBytes + dynamicBytes,
        double(blocks) * threads / attribute(cudaDevAttrMaxThreadsPerMultiProcessor, backend.deviceIndex())};
}

}  // namespace glycine::cuda
