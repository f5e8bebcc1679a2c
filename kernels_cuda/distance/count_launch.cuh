#pragma once

#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/block_tile.cuh"

namespace glycine::cuda {

/// Sets the counts of a portion to 0.
inline void clearResults(const Launch& launch, const PairPortion& portion, std::size_t columns,
                         const CountsOnDevice& counts) {
    for (std::uint32_t* matrix : {counts.differing, counts.opposite, counts.valid})
        if (matrix != nullptr)
            GLYCINE_CUDA(cudaMemset2DAsync(matrix + portion.firstRow * counts.stride,
                                           counts.stride * sizeof(std::uint32_t), 0,
                                           columns * sizeof(std::uint32_t), portion.rowCount, launch.stream));
}

}  // namespace glycine::cuda
