#pragma once

#include <cstddef>
#include <memory>

#include "engine/alignment/clustal/profile_paths.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::align::cuda {

/// Passes over profiles on the device, one per block, all passes of a level in one launch. `mostBytes`: limit
/// for the pairs loaded at once; 0: limited by the device's free memory. The backend must outlive the passes.
std::unique_ptr<clustalw::ProfilePasses> profilePassesOn(const glycine::cuda::CudaBackend& backend,
                                                         std::size_t mostBytes = 0);

}  // namespace glycine::align::cuda
