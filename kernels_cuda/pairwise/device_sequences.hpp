#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/sequences/sequences.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::pairwise::cuda {

/// Sequences in device memory.
struct DeviceSequences {
    glycine::cuda::DeviceBuffer<std::uint8_t> codes;    ///< one sequence after another
    glycine::cuda::DeviceBuffer<std::uint64_t> begins;  ///< offset of each sequence, and the end

    /// Bytes of this many sequences of this length.
    static std::size_t bytesOf(std::size_t sequences, std::size_t letters) {
        return sequences * letters + (sequences + 1) * sizeof(std::uint64_t);
    }
};
DeviceSequences sequencesOnDevice(const glycine::cuda::CudaBackend& backend, const Sequences& sequences);

/// Provides room for at least `size` elements; existing contents may be lost.
template <class T>
void makeRoom(const glycine::cuda::CudaBackend& backend, glycine::cuda::DeviceBuffer<T>& buffer,
              std::size_t size) {
    if (buffer.size() >= size) return;
    buffer = {};
    buffer = glycine::cuda::DeviceBuffer<T>(backend.memory(), size);
}

/// Replaces the contents by `values`. A buffer that has room stays, because releasing device memory waits for
/// the device.
template <class T>
void refill(const glycine::cuda::CudaBackend& backend, glycine::cuda::DeviceBuffer<T>& buffer,
            const std::vector<T>& values) {
    makeRoom(backend, buffer, std::max<std::size_t>(values.size(), 1));
    glycine::cuda::copyToDevice(backend, values.data(), values.size(), buffer.data());
}

// ---- portions of tasks

/// Tasks of one launch.
struct TaskPortion {
    Range tasks;
    double cells = 0;
};

/// Tasks 0 … `count` − 1 in order, in portions of at least `least` cells each, except the last one. `cellsOf`
/// returns the cells of a task.
template <class CellsOf>
std::vector<TaskPortion> portionsOf(std::size_t count, double least, const CellsOf& cellsOf) {
    std::vector<TaskPortion> portions;
    for (std::size_t k = 0; k < count; ++k) {
        if (portions.empty() || portions.back().cells >= least) portions.push_back({{k, k}});
        portions.back().tasks.end = k + 1;
        portions.back().cells += cellsOf(k);
    }
    return portions;
}

}  // namespace glycine::pairwise::cuda
