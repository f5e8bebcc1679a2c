#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "engine/core/device_matrix.hpp"
#include "engine/core/implementation.hpp"

namespace glycine {

/// Real numbers, without a look at them from the host.
struct NumberSummary {
    bool areFinite = true;
    double widest = 0;   ///< largest difference between a number and the first one of its column
    double highest = 0;  ///< largest absolute value
};

/// Arrays in the memory of devices that others have allocated, as CuPy and PyTorch do. What is done to them
/// comes after what their device had queued. Does not need the backend that it was made with any longer.
class DeviceArrays {
  public:
    virtual ~DeviceArrays() = default;
    static constexpr std::string_view kAlgorithm = "device arrays";
    static ImplementationList<DeviceArrays>& implementations();
    /// The device that has this memory, as CUDA numbers them. Throws UsageError unless one has.
    virtual int deviceOf(const void* memory) const = 0;
    /// Copies bytes to the host once their device has done what is queued on it. Throws UsageError unless
    /// `source` is memory of a device, DeviceError where it cannot be read.
    virtual void copyToHost(const void* source, std::size_t bytes, void* target) const = 0;
    /// The reverse; `target` is memory of a device.
    virtual void copyToDevice(const void* source, std::size_t bytes, void* target) const = 0;
    /// Copies some rows, whose numbers come to lie one behind another.
    virtual void copyRows(const DeviceMatrix& matrix, std::span<const std::size_t> rows,
                          void* target) const = 0;
    /// The rows of the first matrix and those of the second, one behind another, in memory of their device
    /// that the pointer owns. Throws UsageError for other types, and for memory of two devices.
    virtual std::shared_ptr<void> join(const DeviceMatrix& first, const DeviceMatrix& second) const = 0;
    /// Of float32 or float64.
    virtual NumberSummary summarize(const DeviceMatrix& matrix) const = 0;
};

namespace cuda {
Implementation<DeviceArrays> deviceArrays();
}

}  // namespace glycine
