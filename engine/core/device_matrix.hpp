#pragma once

#include <cstddef>

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine {

/// Numbers in the memory of a CUDA device, not owned. Element (i, k) is i · rowStep + k · columnStep bytes
/// after `data`; steps may be negative or 0.
struct DeviceMatrix {
    const void* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::ptrdiff_t rowStep = 0;
    std::ptrdiff_t columnStep = 0;
    char kind = 'f';  ///< NumPy's kind code of the numbers: i, u or f
    std::size_t itemBytes = sizeof(float);
    int device = 0;  ///< in CUDA's numbering
};

}  // namespace glycine
