#pragma once

#include <optional>

#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/launch.hpp"

namespace glycine::cuda {

/// Numbers that tensor cores multiply; sums of tf32 and fp16 are float32, those of int8 and bits int32.
/// Products of bits are ANDs.
enum class MatrixNumbers { Float64, Tf32, Float16, Int8, Bits };

/// Multiply-adds in 10⁹ a second of tensor cores whose operands are there already, by the device's own clock:
/// `mma` with operands in registers, or `wgmma` (all but float64, on compute capability 9.0) with operands in
/// shared memory, whichever is faster. No kernel that multiplies matrices so is faster. 0 before compute
/// capability 8.0, which has none of these. Takes some hundredths of a second.
double matrixRate(const CudaBackend& backend, MatrixNumbers numbers);

/// What one warp finds: the sum over its registers after `rounds` products of matrices whose elements are all
/// 1 and 2⁻⁶; of int8 and bits 1 and 1.
double matrixSum(const CudaBackend& backend, MatrixNumbers numbers, unsigned rounds);
/// What it must find: four sums of 16 × 8 elements, each rounds · depth · 2⁻⁶, or rounds · depth. Depth: 16,
/// of tf32 8, of int8 32, of bits 256.
double expectedMatrixSum(MatrixNumbers numbers, unsigned rounds);

/// What a sum is, and what it must be.
struct MatrixSum {
    double found = 0;
    double expected = 0;
};
/// The same of `wgmma`: of all sums of a block after `rounds` products of matrices of ones, which are as many
/// as multiply-adds. Nothing where matrixRate does without it.
std::optional<MatrixSum> warpgroupSum(const CudaBackend& backend, MatrixNumbers numbers, unsigned rounds);

// Launches of matrix_rate.cu that are compiled for compute capability 9.0a alone.

inline constexpr unsigned kWarpgroupRateThreads = 256;
/// Queues products of tf32, fp16, int8 or bits by `wgmma`; `found` has a number for each thread, the sum over
/// its registers. `ones`: all elements are 1, so that this tells something; else their bits differ, since
/// what they cost in power counts. Returns how many multiply-adds they are.
double launchWarpgroupProducts(StreamHandle stream, MatrixNumbers numbers, bool ones, unsigned blocks,
                               unsigned rounds, double* found);

}  // namespace glycine::cuda
