#include <type_traits>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/gl_interop_kernels.hpp"

namespace glycine::cuda {

namespace {

template <class T, int components>
using Texel =
    std::conditional_t<components == 1, T, std::conditional_t<std::is_same_v<T, float>, float4, int4>>;

/// One thread per texel.
template <class T, int components>
__global__ void importKernel(cudaSurfaceObject_t surface, T* matrix, std::size_t stride, std::size_t rows,
                             std::size_t columns) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const std::size_t column = std::size_t(x) * components;
    if (y >= rows || column >= columns) return;
    // Surface addresses count bytes in x.
    const auto texel = surf2Dread<Texel<T, components>>(surface, x * int(sizeof(Texel<T, components>)), y);
    T* target = matrix + y * stride + column;
    if constexpr (components == 1) {
        *target = texel;
    } else {
        const T part[4] = {texel.x, texel.y, texel.z, texel.w};
        for (int i = 0; i < 4; ++i)
            if (column + i < columns) target[i] = part[i];
    }
}

template <class T, int components>
__global__ void exportKernel(const T* matrix, std::size_t stride, std::size_t rows, std::size_t columns,
                             T padding, ImageOnDevice image) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= image.width || y >= image.height) return;
    const cudaSurfaceObject_t surface = image.surface;
    const std::size_t column = std::size_t(x) * components;
    const auto element = [&](int i) {
        return y < rows && column + i < columns ? matrix[y * stride + column + i] : padding;
    };
    if constexpr (components == 1)
        surf2Dwrite(element(0), surface, x * int(sizeof(T)), y);
    else
        surf2Dwrite(Texel<T, 4>{element(0), element(1), element(2), element(3)}, surface,
                    x * int(sizeof(Texel<T, 4>)), y);
}

const dim3 kCopyThreads(32, 8);
dim3 blocksFor(std::size_t width, std::size_t height) {
    return dim3(unsigned((width + kCopyThreads.x - 1) / kCopyThreads.x),
                unsigned((height + kCopyThreads.y - 1) / kCopyThreads.y));
}

}  // namespace

template <class T>
void launchImportImage(const ImageOnDevice& image, T* matrix, std::size_t stride, std::size_t rows,
                       std::size_t columns) {
    const dim3 blocks = blocksFor(image.width, image.height);
    if (image.components == 1)
        importKernel<T, 1><<<blocks, kCopyThreads>>>(image.surface, matrix, stride, rows, columns);
    else
        importKernel<T, 4><<<blocks, kCopyThreads>>>(image.surface, matrix, stride, rows, columns);
    checkLaunch("import image");
}

template <class T>
void launchExportImage(const T* matrix, std::size_t stride, std::size_t rows, std::size_t columns, T padding,
                       const ImageOnDevice& image) {
    const dim3 blocks = blocksFor(image.width, image.height);
    if (image.components == 1)
        exportKernel<T, 1><<<blocks, kCopyThreads>>>(matrix, stride, rows, columns, padding, image);
    else
        exportKernel<T, 4><<<blocks, kCopyThreads>>>(matrix, stride, rows, columns, padding, image);
    checkLaunch("export image");
}

#define GLYCINE_INSTANTIATE(T)                                                                           \
    template void launchImportImage<T>(const ImageOnDevice&, T*, std::size_t, std::size_t, std::size_t); \
    template void launchExportImage<T>(const T*, std::size_t, std::size_t, std::size_t, T,               \
                                       const ImageOnDevice&);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
