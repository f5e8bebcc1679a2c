#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels_cuda/device/cuda_backend.hpp"

struct cudaGraphicsResource;

/// OpenGL textures and buffers, used by CUDA in place. Everything here uses the OpenGL context that is
/// current on the calling thread, which must be on the backend's device (see canShareWithGl). Names of GL
/// objects are plain numbers, so no OpenGL header is needed. Errors are DeviceError, naming the CUDA call.
namespace glycine::cuda {

/// CUDA's indices of the devices that draw for the current OpenGL context, whether from EGL, GLX or GLFW.
/// With the first one as BackendOptions::device, CUDA and OpenGL can share memory. Empty if no context is
/// current, or if it is not on an NVIDIA device.
std::vector<int> devicesOfCurrentGlContext();

/// Whether `backend` can use objects of the current OpenGL context in place, or the reason why not.
Support canShareWithGl(const CudaBackend& backend);

/// CUDA's access to a GL buffer while it is mapped.
enum class GlAccess {
    ReadWrite,
    ReadOnly,
    WriteDiscard,  ///< earlier contents may be lost
};

/// A GL object registered with CUDA. It must be destroyed before the GL object and the context.
class RegisteredResource {
  public:
    cudaGraphicsResource* handle() const { return resource_.get(); }

  protected:
    explicit RegisteredResource(cudaGraphicsResource* resource) : resource_(resource) {}

  private:
    struct Release {
        void operator()(cudaGraphicsResource* resource) const;
    };
    std::unique_ptr<cudaGraphicsResource, Release> resource_;
};

/// A two-dimensional texture: RGBA32F, R32F, RGBA32I or R32I.
class RegisteredImage : public RegisteredResource {
  public:
    /// `texture`: name of a texture with target GL_TEXTURE_2D and storage.
    RegisteredImage(const CudaBackend& backend, unsigned texture);
};

/// A buffer object.
class RegisteredBuffer : public RegisteredResource {
  public:
    RegisteredBuffer(const CudaBackend& backend, unsigned buffer, GlAccess access = GlAccess::ReadWrite);
};

/// Keeps a resource mapped; OpenGL must not use it meanwhile. Mapping waits for earlier GL commands, and
/// unmapping makes GL wait for earlier CUDA work.
class Mapping {
  public:
    explicit Mapping(const RegisteredResource& resource);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

  private:
    cudaGraphicsResource* resource_;
};

/// A mapped texture, for reading and writing single texels.
class MappedImage {
  public:
    explicit MappedImage(const RegisteredImage& image);
    ~MappedImage();
    std::size_t width() const { return width_; }    ///< texels
    std::size_t height() const { return height_; }  ///< texels
    int components() const { return components_; }  ///< 1 or 4, of 4 bytes each
    bool holdsIntegers() const { return holdsIntegers_; }
    unsigned long long surface() const { return surface_; }

  private:
    Mapping mapping_;
    unsigned long long surface_ = 0;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    int components_ = 0;
    bool holdsIntegers_ = false;
};

/// A mapped buffer: device memory, used in place.
class MappedBuffer {
  public:
    explicit MappedBuffer(const RegisteredBuffer& buffer);
    std::size_t bytes() const { return bytes_; }
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }

  private:
    Mapping mapping_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Copies a texture into a matrix in device memory; returns when the copy is complete. T is float or
/// std::int32_t, like the texture's format. One component: texel (x, y) is column x of row y (layout Scalar).
/// Four components: texel (x, y) holds columns 4x … 4x + 3 of row y (layout Row1x4). Texels beyond rows ×
/// columns are ignored. Throws DeviceError if the texture is too small or has another number type.
template <class T>
void importImage(const CudaBackend& backend, const MappedImage& image, T* matrix, std::size_t stride,
                 std::size_t rows, std::size_t columns);

/// The reverse. Writes every texel, with `padding` beyond rows × columns.
template <class T>
void exportImage(const CudaBackend& backend, const T* matrix, std::size_t stride, std::size_t rows,
                 std::size_t columns, T padding, const MappedImage& image);

}  // namespace glycine::cuda
