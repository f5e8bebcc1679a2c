#pragma once

#include <memory>

#include "engine/bounds/shared_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::bounds::cuda {

/// Worker `self` of those that share the matrices, with its blocks in the memory of its device. Throws
/// UnavailableError where they have no room.
std::unique_ptr<BlockWorker> makeBlockWorker(NumberFormat format, const BlockLayout& layout, std::size_t self,
                                             bool withLower, glycine::cuda::CudaBackend& backend);

}  // namespace glycine::bounds::cuda
