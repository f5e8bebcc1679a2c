#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/sequences/sequences.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"

namespace glycine::pairwise::cuda {

/// Sequences in device memory.
struct DeviceSequences {
    glycine::cuda::DeviceBuffer<std::uint8_t> codes;    ///< one sequence behind the other
    glycine::cuda::DeviceBuffer<std::uint64_t> begins;  ///< of each sequence, and behind the last one

    /// What so many sequences of so many letters take.
    static std::size_t bytesOf(std::size_t sequences, std::size_t letters) {
        return sequences * letters + (sequences + 1) * sizeof(std::uint64_t);
    }
};
DeviceSequences sequencesOnDevice(const glycine::cuda::CudaBackend& backend, const Sequences& sequences);

}  // namespace glycine::pairwise::cuda
