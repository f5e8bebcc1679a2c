#pragma once

#include <cstddef>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/alignment/posterior/third_sequences.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::align::cuda {

/// PosteriorRun::madeConsistent on the device, from the posteriors that have stayed there or, where that
/// takes no more than `mostPortionBytes`, are brought there; else posteriors with some third sequences after
/// another are there, as many as there is memory for, and no more than that. Throws UnavailableError where
/// there is too little of it for a single one.
PosteriorSet madeConsistent(glycine::cuda::CudaBackend& backend, const PosteriorSet& posteriors,
                            const ConsistencyRound& round, Progress& progress,
                            std::size_t mostPortionBytes = std::size_t{4} << 30);

}  // namespace glycine::align::cuda
