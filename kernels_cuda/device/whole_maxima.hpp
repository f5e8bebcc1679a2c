#pragma once

#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// Maxima of integers.
namespace glycine::cuda {

GLYCINE_HOST_DEVICE inline std::int32_t larger(std::int32_t a, std::int32_t b) {
    return a > b ? a : b;
}
/// max(a + b, c)
GLYCINE_HOST_DEVICE inline std::int32_t addLarger(std::int32_t a, std::int32_t b, std::int32_t c) {
#ifdef __CUDA_ARCH__
    return __viaddmax_s32(a, b, c);
#else
    return larger(a + b, c);
#endif
}

}  // namespace glycine::cuda
