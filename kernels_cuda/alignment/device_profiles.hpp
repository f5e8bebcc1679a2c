#pragma once

#include <cstddef>
#include <memory>

#include "engine/alignment/clustal/profile_paths.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::align::cuda {

/// Passes over profiles on the device, a block each, all of a level in one launch. `mostBytes`: for pairs
/// that are there at once; 0: as the device has room. The backend outlives them.
std::unique_ptr<clustalw::ProfilePasses> profilePassesOn(const glycine::cuda::CudaBackend& backend,
                                                         std::size_t mostBytes = 0);

}  // namespace glycine::align::cuda
