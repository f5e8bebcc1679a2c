#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

/// Copies of arrays between host and device. StagedTransfer has buffers for whole rows, and long arrays are
/// none: they are copied as matrices.
namespace glycine::cuda {

/// Elements of a row.
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

/// At least one element, so that it lies somewhere.
template <class T>
DeviceBuffer<T> onDevice(const CudaBackend& backend, const std::vector<T>& values) {
    DeviceBuffer<T> buffer(backend.memory(), std::max<std::size_t>(values.size(), 1));
    copyToDevice(backend, values.data(), values.size(), buffer.data());
    return buffer;
}

}  // namespace glycine::cuda
