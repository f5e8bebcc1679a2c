#pragma once

#include <optional>

#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/launch.hpp"

namespace glycine::cuda {

/// Number formats of tensor cores. Sums of tf32 and fp16 are float32, those of int8 and bits int32. Products
/// of bits are ANDs.
enum class MatrixNumbers { Float64, Tf32, Float16, Int8, Bits };

/// Peak multiply-adds of the tensor cores in 10⁹ per second, with operands in place, by the device's clock.
/// The faster of `mma` with operands in registers and `wgmma` (all formats but float64, on compute capability
/// 9.0) with operands in shared memory. No kernel that uses these instructions is faster. 0 below compute
/// capability 8.0, which lacks them. Takes some hundredths of a second.
double matrixRate(const CudaBackend& backend, MatrixNumbers numbers);

/// Computed by one warp: the sum over its registers after `rounds` products of matrices with all elements 1
/// and 2⁻⁶ (int8 and bits: 1 and 1).
double matrixSum(const CudaBackend& backend, MatrixNumbers numbers, unsigned rounds);
/// Expected result of matrixSum: four sums of 16 × 8 elements, each rounds · depth · 2⁻⁶, or rounds · depth.
/// Depth: 16; for tf32 8, int8 32, bits 256.
double expectedMatrixSum(MatrixNumbers numbers, unsigned rounds);

/// A sum and its expected value.
struct MatrixSum {
    double found = 0;
    double expected = 0;
};
/// The same for `wgmma`: over all sums of a block after `rounds` products of matrices of ones; this equals
/// the number of multiply-adds. Nothing if matrixRate does not use `wgmma`.
std::optional<MatrixSum> warpgroupSum(const CudaBackend& backend, MatrixNumbers numbers, unsigned rounds);

// Launches that are compiled only for compute capability 9.0a.

inline constexpr unsigned kWarpgroupRateThreads = 256;
/// Queues products of tf32, fp16, int8 or bits with `wgmma`. `found` has one number per thread, the sum over
/// its registers. With `ones`, all elements are 1, which makes the sums predictable. Otherwise their bits
/// vary, because the power that they draw affects the clock. Returns the number of multiply-adds.
double launchWarpgroupProducts(StreamHandle stream, MatrixNumbers numbers, bool ones, unsigned blocks,
                               unsigned rounds, double* found);

}  // namespace glycine::cuda
