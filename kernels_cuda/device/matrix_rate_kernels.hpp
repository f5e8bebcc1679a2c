#pragma once

#include "kernels_cuda/device/launch.hpp"
#include "kernels_cuda/device/matrix_rate.hpp"

/// Launches of matrix_rate.cu that are compiled for compute capability 9.0a alone.
namespace glycine::cuda {

inline constexpr unsigned kWarpgroupRateThreads = 256;
/// Queues products of tf32, fp16, int8 or bits by `wgmma`; `found` has a number for each thread, the sum over
/// its registers. `ones`: all elements are 1, so that this tells something; else their bits differ, since
/// what they cost in power counts. Returns how many multiply-adds they are.
double launchWarpgroupProducts(StreamHandle stream, MatrixNumbers numbers, bool ones, unsigned blocks,
                               unsigned rounds, double* found);

}  // namespace glycine::cuda
