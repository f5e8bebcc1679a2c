#include <cuda_gl_interop.h>
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/gl_interop.hpp"
#include "kernels_cuda/device/gl_interop_kernels.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kTexture2D = 0x0DE1;  // GL_TEXTURE_2D

unsigned registrationFlags(GlAccess access) {
    switch (access) {
        case GlAccess::ReadOnly:
            return cudaGraphicsRegisterFlagsReadOnly;
        case GlAccess::WriteDiscard:
            return cudaGraphicsRegisterFlagsWriteDiscard;
        case GlAccess::ReadWrite:
            break;
    }
    return cudaGraphicsRegisterFlagsNone;
}

cudaGraphicsResource* registerImage(const CudaBackend& backend, unsigned texture) {
    backend.makeCurrent();
    cudaGraphicsResource* resource = nullptr;
    GLYCINE_CUDA(cudaGraphicsGLRegisterImage(&resource, texture, kTexture2D,
                                             cudaGraphicsRegisterFlagsSurfaceLoadStore));
    return resource;
}

cudaGraphicsResource* registerBuffer(const CudaBackend& backend, unsigned buffer, GlAccess access) {
    backend.makeCurrent();
    cudaGraphicsResource* resource = nullptr;
    GLYCINE_CUDA(cudaGraphicsGLRegisterBuffer(&resource, buffer, registrationFlags(access)));
    return resource;
}

template <class T>
void checkImage(const MappedImage& image, std::size_t rows, std::size_t columns) {
    if (image.holdsIntegers() == std::is_same_v<T, float>)
        throw DeviceError(fmt::format("the registered texture holds {}, expected {}",
                                      image.holdsIntegers() ? "integers" : "floating-point numbers",
                                      image.holdsIntegers() ? "floating-point numbers" : "integers"));
    if (image.height() < rows || image.width() * image.components() < columns)
        throw DeviceError(
            fmt::format("the registered texture is {} x {} texels of {} components, too small for a "
                        "{} x {} matrix",
                        image.width(), image.height(), image.components(), rows, columns));
}

}  // namespace

std::vector<int> devicesOfCurrentGlContext() {
    unsigned count = 0;
    int devices[16] = {};
    const cudaError_t status = cudaGLGetDevices(&count, devices, 16, cudaGLDeviceListAll);
    if (status != cudaSuccess) {
        cudaGetLastError();  // a valid answer: clears the error, so that no later call reports it
        return {};
    }
    return {devices, devices + std::min(count, 16u)};
}

Support canShareWithGl(const CudaBackend& backend) {
    backend.makeCurrent();
    const std::vector<int> devices = devicesOfCurrentGlContext();
    if (devices.empty()) return Support::no("the current OpenGL context does not draw on an NVIDIA device");
    if (std::find(devices.begin(), devices.end(), backend.deviceIndex()) == devices.end())
        return Support::no(
            fmt::format("the current OpenGL context draws on CUDA device {}, the cuda backend uses {}",
                        devices.front(), backend.deviceIndex()));
    return Support::yes();
}

void RegisteredResource::Release::operator()(cudaGraphicsResource* resource) const {
    cudaGraphicsUnregisterResource(resource);
}

RegisteredImage::RegisteredImage(const CudaBackend& backend, unsigned texture)
    : RegisteredResource(registerImage(backend, texture)) {}

RegisteredBuffer::RegisteredBuffer(const CudaBackend& backend, unsigned buffer, GlAccess access)
    : RegisteredResource(registerBuffer(backend, buffer, access)) {}

Mapping::Mapping(const RegisteredResource& resource) : resource_(resource.handle()) {
    GLYCINE_CUDA(cudaGraphicsMapResources(1, &resource_, nullptr));
    // Mapping waits for GL only in the default stream, on which the streams of this folder do not wait.
    const cudaError_t status = cudaStreamSynchronize(nullptr);
    if (status == cudaSuccess) return;
    cudaGraphicsUnmapResources(1, &resource_, nullptr);
    check(status, "cudaStreamSynchronize");
}

Mapping::~Mapping() {
    cudaGraphicsUnmapResources(1, &resource_, nullptr);
}

MappedImage::MappedImage(const RegisteredImage& image) : mapping_(image) {
    cudaArray_t array = nullptr;
    GLYCINE_CUDA(cudaGraphicsSubResourceGetMappedArray(&array, image.handle(), 0, 0));
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    GLYCINE_CUDA(cudaArrayGetInfo(&format, &extent, &flags, array));
    components_ = (format.x != 0) + (format.y != 0) + (format.z != 0) + (format.w != 0);
    if (format.x != 32 || (components_ != 1 && components_ != 4))
        throw DeviceError(
            fmt::format("the registered texture has {} components of {} bits; expected 1 or 4 of 32",
                        components_, format.x));
    holdsIntegers_ = format.f != cudaChannelFormatKindFloat;
    width_ = extent.width;
    height_ = extent.height;
    cudaResourceDesc description{};
    description.resType = cudaResourceTypeArray;
    description.res.array.array = array;
    GLYCINE_CUDA(cudaCreateSurfaceObject(&surface_, &description));
}

MappedImage::~MappedImage() {
    cudaDestroySurfaceObject(surface_);
}

MappedBuffer::MappedBuffer(const RegisteredBuffer& buffer) : mapping_(buffer) {
    GLYCINE_CUDA(cudaGraphicsResourceGetMappedPointer(&data_, &bytes_, buffer.handle()));
}

template <class T>
void importImage(const CudaBackend& backend, const MappedImage& image, T* matrix, std::size_t stride,
                 std::size_t rows, std::size_t columns) {
    checkImage<T>(image, rows, columns);
    backend.makeCurrent();
    launchImportImage(ImageOnDevice{image.surface(), image.width(), image.height(), image.components()},
                      matrix, stride, rows, columns);
    GLYCINE_CUDA(cudaStreamSynchronize(nullptr));
}

template <class T>
void exportImage(const CudaBackend& backend, const T* matrix, std::size_t stride, std::size_t rows,
                 std::size_t columns, T padding, const MappedImage& image) {
    checkImage<T>(image, rows, columns);
    backend.makeCurrent();
    launchExportImage(matrix, stride, rows, columns, padding,
                      ImageOnDevice{image.surface(), image.width(), image.height(), image.components()});
    GLYCINE_CUDA(cudaStreamSynchronize(nullptr));
}

#define GLYCINE_INSTANTIATE(T)                                                                           \
    template void importImage<T>(const CudaBackend&, const MappedImage&, T*, std::size_t, std::size_t,   \
                                 std::size_t);                                                           \
    template void exportImage<T>(const CudaBackend&, const T*, std::size_t, std::size_t, std::size_t, T, \
                                 const MappedImage&);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
