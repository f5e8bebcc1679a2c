#pragma once

#include <memory>

#include "engine/bounds/shared_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::bounds::cuda {

/// Bytes of device memory that the first worker of a layout needs, with all its blocks in the host's memory.
std::size_t leastDeviceBytes(const BlockLayout& layout, NumberFormat format, bool hasLower,
                             const glycine::cuda::CudaBackend& backend);

/// A worker with its blocks in the memory of its device, or those in the host's that have no room there.
/// Throws UnavailableError where neither has enough.
std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, glycine::cuda::CudaBackend& backend);

}  // namespace glycine::bounds::cuda
