#pragma once

#include <cstddef>

#include "engine/core/implementation.hpp"

namespace glycine {

/// Arrays in the memory of devices that others have allocated, as CuPy and PyTorch do.
class DeviceArrays {
  public:
    virtual ~DeviceArrays() = default;
    /// Copies bytes to the host once their device has done what is queued on it. Throws UsageError unless
    /// `source` is memory of a device, DeviceError where it cannot be read.
    virtual void copyToHost(const void* source, std::size_t bytes, void* target) = 0;
};

template <>
ImplementationList<DeviceArrays>& implementations<DeviceArrays>();

namespace cuda {
Implementation<DeviceArrays> deviceArrays();
}

}  // namespace glycine
