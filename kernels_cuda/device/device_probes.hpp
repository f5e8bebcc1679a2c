#pragma once

#include <vector>

#include "engine/core/device_probe.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::cuda {

/// What the backend's device can do: memory bandwidth, arithmetic in registers by the instructions that
/// Glycine's kernels use, products of matrices on tensor cores, the cost of a launch, transfers from and to
/// page-locked memory; by the device's own clock, but for launches. The backend outlives what the probes
/// start.
std::vector<DeviceProbe> deviceProbes(const CudaBackend& backend);

}  // namespace glycine::cuda
