#pragma once

#include <cstddef>
#include <cstdint>

/// Launches for gl_interop.hpp, on the default stream. T is float or std::int32_t.
namespace glycine::cuda {

struct ImageOnDevice {
    unsigned long long surface;
    std::size_t width, height;  ///< texels
    int components;             ///< 1 or 4
};

/// See importImage and exportImage.
template <class T>
void launchImportImage(const ImageOnDevice& image, T* matrix, std::size_t stride, std::size_t rows,
                       std::size_t columns);
template <class T>
void launchExportImage(const T* matrix, std::size_t stride, std::size_t rows, std::size_t columns, T padding,
                       const ImageOnDevice& image);

}  // namespace glycine::cuda
