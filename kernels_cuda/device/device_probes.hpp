#pragma once

#include <vector>

#include "engine/core/device_probe.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::cuda {

/// Performance of the backend's device: memory bandwidth, arithmetic in registers, matrix products on tensor
/// cores, the cost of a launch, and transfers from and to page-locked memory. Arithmetic uses the
/// instructions of Glycine's kernels. Times are by the device's clock, except for launches. The backend must
/// outlive the running probes.
std::vector<DeviceProbe> deviceProbes(const CudaBackend& backend);

}  // namespace glycine::cuda
