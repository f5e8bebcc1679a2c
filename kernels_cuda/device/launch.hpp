#pragma once

#include <cstddef>

#include "engine/core/host_device.hpp"
#include "kernels_cuda/device/device_memory.hpp"

/// Parameters common to all launches, for host and device code.
namespace glycine::cuda {

/// The target of a launch.
struct Launch {
    StreamHandle stream;
    int multiprocessors;  ///< of the device: small work is cut finer to keep all of them busy
};

/// A row-major matrix in device memory.
template <class T>
struct MatrixOnDevice {
    T* data;
    std::size_t stride;
    GLYCINE_HOST_DEVICE T* at(std::size_t row, std::size_t column) const {
        return data + row * stride + column;
    }
};

}  // namespace glycine::cuda
