#pragma once

#include <memory>

#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::bench {

/// The CUDA device that benchmarks run on; null without one.
inline cuda::CudaBackend* cudaDevice() {
    static const auto backend = [] {
        try {
            return std::make_unique<cuda::CudaBackend>(BackendOptions{});
        } catch (const UnavailableError&) {
            return std::unique_ptr<cuda::CudaBackend>();
        }
    }();
    return backend.get();
}

}  // namespace glycine::bench
