#pragma once

#include <memory>

#include "engine/bounds/shared_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::bounds::cuda {

/// Whether the device has room for the first worker of a layout, with all its blocks in the host's memory and
/// with lower bounds.
Support supportsShare(const BlockLayout& layout, NumberFormat format, glycine::cuda::CudaBackend& backend);

/// A worker with its blocks in the memory of its device, or those in the host's that have no room there.
/// Throws UnavailableError where neither has enough.
std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, glycine::cuda::CudaBackend& backend);

}  // namespace glycine::bounds::cuda
