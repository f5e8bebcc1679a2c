#pragma once

#include <cstddef>

// Kernels that nvcc compiles, as C++17, include this header, too.
namespace glycine {

/// Numbers in the memory of a CUDA device, whoever has allocated it: element (i, k) lies
/// i · rowStep + k · columnStep bytes behind `data`, where steps may be negative or 0.
struct DeviceMatrix {
    const void* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::ptrdiff_t rowStep = 0;
    std::ptrdiff_t columnStep = 0;
    char kind = 'f';  ///< of the numbers, as NumPy has it: i, u or f
    std::size_t itemBytes = sizeof(float);
    int device = 0;  ///< as CUDA numbers them
};

}  // namespace glycine
