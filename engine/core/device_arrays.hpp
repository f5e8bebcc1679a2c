#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "engine/core/device_matrix.hpp"
#include "engine/core/implementation.hpp"

namespace glycine {

/// Summary of real numbers that the host has not read.
struct NumberSummary {
    bool areFinite = true;
    double widest = 0;   ///< largest difference between a number and the first number of its column
    double highest = 0;  ///< largest absolute value
};

/// Arrays in device memory allocated by other libraries, such as CuPy and PyTorch. Operations on an array run
/// after the work already queued on its device. An object does not need the backend that created it any
/// longer.
class DeviceArrays {
  public:
    virtual ~DeviceArrays() = default;
    static constexpr std::string_view kAlgorithm = "device arrays";
    static ImplementationList<DeviceArrays>& implementations();
    /// The device that owns this memory, in CUDA's numbering. Throws UsageError if no device owns it.
    virtual int deviceOf(const void* memory) const = 0;
    /// Copies bytes to the host after the device has finished its queued work. Throws UsageError unless
    /// `source` is device memory, DeviceError if it cannot be read.
    virtual void copyToHost(const void* source, std::size_t bytes, void* target) const = 0;
    /// Copies in the other direction; `target` is device memory.
    virtual void copyToDevice(const void* source, std::size_t bytes, void* target) const = 0;
    /// Copies some rows, packed one after another.
    virtual void copyRows(const DeviceMatrix& matrix, std::span<const std::size_t> rows,
                          void* target) const = 0;
    /// The rows of the first matrix followed by those of the second, in memory of their device that the
    /// pointer owns. Throws UsageError if the types differ or the memory belongs to two devices.
    virtual std::shared_ptr<void> join(const DeviceMatrix& first, const DeviceMatrix& second) const = 0;
    /// Requires float32 or float64.
    virtual NumberSummary summarize(const DeviceMatrix& matrix) const = 0;
};

namespace cuda {
Implementation<DeviceArrays> deviceArrays();
}

}  // namespace glycine
