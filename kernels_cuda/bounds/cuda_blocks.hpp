#pragma once

#include <memory>

#include "engine/bounds/shared_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::bounds::cuda {

/// A worker with its blocks in the memory of its device. Throws UnavailableError where they have no room.
std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, glycine::cuda::CudaBackend& backend);

}  // namespace glycine::bounds::cuda
