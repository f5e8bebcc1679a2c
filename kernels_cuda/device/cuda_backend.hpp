#pragma once

#include <memory>
#include <string>

#include "engine/core/backend.hpp"
#include "engine/core/kernel_use.hpp"
#include "kernels_cuda/device/device_memory.hpp"

namespace glycine::cuda {

class StagedTransfer;

/// One NVIDIA GPU, used through the CUDA runtime. The runtime is linked statically, so the program also
/// starts without a driver and reports why "cuda" is unavailable.
class CudaBackend final : public Backend {
  public:
    /// Uses the device `options.device` of `listDevices()`, or the one with the highest multiprocessors ×
    /// clock. Throws UnavailableError without a driver or device, UsageError for an index that is not in the
    /// list.
    explicit CudaBackend(const BackendOptions& options);
    static std::unique_ptr<CudaBackend> make(const BackendOptions& options) {
        return std::make_unique<CudaBackend>(options);
    }
    ~CudaBackend() override;
    CudaBackend(const CudaBackend&) = delete;
    CudaBackend& operator=(const CudaBackend&) = delete;

    std::string_view name() const override { return "cuda"; }
    std::string device() const override { return device_; }
    std::string driver() const override { return driver_; }
    const Capabilities& capabilities() const override { return capabilities_; }
    std::size_t deviceBytesInUse() const override { return memory_.used(); }
    void finish() override;

    /// Index of the device in CUDA's order.
    int deviceIndex() const { return index_; }
    /// PCI bus address of the device: "0000:3b:00.0".
    std::string pciBusId() const override;
    std::vector<DeviceProbe> probes() override;
    int multiprocessors() const { return multiprocessors_; }
    /// 90 for compute capability 9.0.
    int computeCapability() const { return computeCapability_; }
    MemoryBudget& memory() const { return memory_; }
    /// Copies between host and device (staged_transfer.hpp), one matrix at a time. Its page-locked buffers
    /// take long to allocate, so they live as long as the backend.
    StagedTransfer& transfer() const { return *transfer_; }
    /// Every thread that works for this backend must call this first, because CUDA's current device is per
    /// thread.
    void makeCurrent() const;

  private:
    int index_ = 0;
    int multiprocessors_ = 0;
    int computeCapability_ = 0;
    std::string device_;
    std::string driver_;
    Capabilities capabilities_;
    mutable MemoryBudget memory_;
    std::unique_ptr<StagedTransfer> transfer_;
};

/// One line per device, in the order of `BackendOptions::device`. Throws UnavailableError without a driver.
std::vector<std::string> listDevices();

/// `kernel` is a function of the CUDA runtime; `dynamicBytes` is the dynamic shared memory of its launch.
KernelUse kernelUse(const CudaBackend& backend, const void* kernel, unsigned threads,
                    std::size_t dynamicBytes);

/// Creates the context of the device that a CudaBackend with these options uses; this takes some tenths of a
/// second. Throws as that constructor does, or DeviceError.
void wakeDevice(const BackendOptions& options);

}  // namespace glycine::cuda
