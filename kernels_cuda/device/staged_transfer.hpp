#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"

namespace glycine::cuda {

/// Copies matrices between pageable host memory and the device through page-locked buffers. Several threads
/// fill (or empty) buffers while the device copies others: a single thread is slower than the bus, and the
/// device cannot copy pageable memory itself.
class StagedTransfer {
  public:
    /// `threads` = 0: as many as pay off (at most 8). Buffers are allocated on first use and kept.
    explicit StagedTransfer(const CudaBackend& backend, int threads = 0);

    enum class Part {
        Whole,
        UpperTriangle,  ///< elements on and above the diagonal, and some below it
    };
    /// Copies `rows` × `columns` elements to the device; returns when the copy is complete. Strides in
    /// elements.
    template <class T>
    void upload(const T* host, std::size_t hostStride, T* device, std::size_t deviceStride, std::size_t rows,
                std::size_t columns, Part part) {
        copy({const_cast<T*>(host), hostStride * sizeof(T), device, deviceStride * sizeof(T), rows, columns,
              sizeof(T), part, true});
    }
    /// Copies `rows` × `columns` elements to the host; returns when the copy is complete. Writes nothing
    /// else.
    template <class T>
    void download(const T* device, std::size_t deviceStride, T* host, std::size_t hostStride,
                  std::size_t rows, std::size_t columns) {
        copy({host, hostStride * sizeof(T), const_cast<T*>(device), deviceStride * sizeof(T), rows, columns,
              sizeof(T), Part::Whole, false});
    }

  private:
    struct Job {
        void* host;
        std::size_t hostPitch;
        void* device;
        std::size_t devicePitch;
        std::size_t rows, columns, elementBytes;
        Part part;
        bool toDevice;
    };
    /// State of one thread: two buffers used alternately.
    struct Lane {
        Stream stream;
        Event copied[2];
        PinnedBuffer buffer[2];
    };
    struct Chunk;
    void copy(const Job& job);
    void runLane(Lane& lane, const Job& job, const std::function<bool(Chunk&)>& nextChunk) const;

    const CudaBackend& backend_;
    std::size_t threads_;
    std::size_t bufferBytes_ = 0;
    std::vector<Lane> lanes_;
};

// Copies of arrays. The buffers of StagedTransfer hold whole rows, so a long array is copied as a matrix.

/// Elements per row.
inline constexpr std::size_t kLinearRow = std::size_t{1} << 16;

template <class T>
void copyToDevice(const CudaBackend& backend, const T* values, std::size_t size, T* target) {
    using Part = StagedTransfer::Part;
    const std::size_t rows = size / kLinearRow, whole = rows * kLinearRow;
    if (rows > 0)
        backend.transfer().upload(values, kLinearRow, target, kLinearRow, rows, kLinearRow, Part::Whole);
    if (whole < size)
        backend.transfer().upload(values + whole, size - whole, target + whole, size - whole, 1, size - whole,
                                  Part::Whole);
}

template <class T>
void copyToHost(const CudaBackend& backend, const T* values, std::size_t size, T* target) {
    const std::size_t rows = size / kLinearRow, whole = rows * kLinearRow;
    if (rows > 0) backend.transfer().download(values, kLinearRow, target, kLinearRow, rows, kLinearRow);
    if (whole < size)
        backend.transfer().download(values + whole, size - whole, target + whole, size - whole, 1,
                                    size - whole);
}

/// Allocates at least one element, so that the address is valid.
template <class T>
DeviceBuffer<T> onDevice(const CudaBackend& backend, const std::vector<T>& values) {
    DeviceBuffer<T> buffer(backend.memory(), std::max<std::size_t>(values.size(), 1));
    copyToDevice(backend, values.data(), values.size(), buffer.data());
    return buffer;
}

}  // namespace glycine::cuda
