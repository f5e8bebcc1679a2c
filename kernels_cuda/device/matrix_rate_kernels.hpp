#pragma once

#include "kernels_cuda/device/launch.hpp"

/// Launches of matrix_rate.cu that are compiled for compute capability 9.0a alone.
namespace glycine::cuda {

inline constexpr unsigned kWarpgroupRateThreads = 256;
/// Queues products of tf32 or fp16 numbers by `wgmma`; `found` has a number for each thread. Returns how many
/// multiply-adds they are.
double launchWarpgroupProducts(StreamHandle stream, bool isFloat16, unsigned blocks, unsigned rounds,
                               double* found);

}  // namespace glycine::cuda
