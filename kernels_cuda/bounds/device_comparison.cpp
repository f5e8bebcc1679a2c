#include "engine/bounds/device_comparison.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/bounds/blocked_smoothing.hpp"
#include "engine/layout/row1x4.hpp"
#include "kernels_cuda/bounds/device_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/gl_interop.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::bounds {

namespace {

using glycine::cuda::CudaBackend;

/// The four matrices of a comparison, all in layout Row1x4.
struct GlSide {
    glycine::gl::RenderTexture rawUpper;
    glycine::gl::RenderTexture rawLower;
    glycine::gl::RenderTexture upper;
    glycine::gl::RenderTexture lower;
};

glycine::gl::RenderTexture uploadRows(glycine::gl::GlBackend& backend, MatrixView<const float> matrix,
                                      float padding) {
    glycine::gl::RenderTexture texture(
        backend.textures(),
        {glycine::gl::TextureFormat::RGBA32F, static_cast<int>(layout::row1x4Width(matrix.columns())),
         static_cast<int>(matrix.rows())});
    texture.texture().upload(layout::packRow1x4(matrix, padding).data());
    return texture;
}

GlSide smoothOnGl(glycine::gl::GlBackend& backend, MatrixView<const float> upper,
                  MatrixView<const float> lower, double& seconds, Progress& progress) {
    glycine::gl::RenderTexture rawUpper = uploadRows(backend, upper, kUnknownUpper<float>);
    glycine::gl::RenderTexture rawLower = uploadRows(backend, lower, 0.0F);
    backend.finish();
    const Stopwatch watch;
    gl::StripProducts products(backend, false);
    const std::size_t n = upper.rows();
    progress.begin("upper bounds on gl", static_cast<double>(roundUp(n, layout::kStripBlock)));
    const gl::StripMatrix u =
        products.close(products.fromRows(rawUpper.texture(), n, kUnknownUpper<float>), progress);
    progress.begin("lower bounds on gl", 2.0 * static_cast<double>(roundUp(n, layout::kStripBlock)));
    const gl::StripMatrix l =
        smoothLowerStrips(products, u, products.fromRows(rawLower.texture(), n, 0.0F), nullptr, progress);
    GlSide side{std::move(rawUpper), std::move(rawLower), products.toRows(u), products.toRows(l)};
    backend.canary().check("smoothing bounds");
    seconds = watch.seconds();
    return side;
}

/// A matrix of GL's in CUDA's reach, `stride` elements a row.
class SharedMatrix {
  public:
    virtual ~SharedMatrix() = default;
    virtual float* data() const = 0;
    std::size_t stride() const { return stride_; }

  protected:
    explicit SharedMatrix(std::size_t stride) : stride_(stride) {}

  private:
    std::size_t stride_;
};

/// A GL buffer, filled on the device and registered: CUDA works in GL's memory.
class BufferInPlace final : public SharedMatrix {
  public:
    BufferInPlace(const CudaBackend& backend, const glycine::gl::RenderTexture& source)
        : SharedMatrix(4 * static_cast<std::size_t>(source.shape().width)),
          buffer_(GL_PIXEL_PACK_BUFFER, source.shape().bytes(), GL_DYNAMIC_COPY) {
        glycine::gl::copyToBuffer(source.framebuffer(), 0, source.shape().format, source.texture().extent(),
                                  buffer_);
        registered_.emplace(backend, buffer_.name());
        mapped_.emplace(*registered_);
    }
    float* data() const override { return mapped_->as<float>(); }

  private:
    glycine::gl::Buffer buffer_;
    std::optional<glycine::cuda::RegisteredBuffer> registered_;
    std::optional<glycine::cuda::MappedBuffer> mapped_;
};

/// A GL texture, registered and read where it lies.
class ImageInPlace final : public SharedMatrix {
  public:
    ImageInPlace(const CudaBackend& backend, const glycine::gl::RenderTexture& source)
        : SharedMatrix(4 * static_cast<std::size_t>(source.shape().width)),
          matrix_(backend.memory(), stride() * static_cast<std::size_t>(source.shape().height)) {
        const glycine::cuda::RegisteredImage registered(backend, source.texture().name());
        const glycine::cuda::MappedImage mapped(registered);
        glycine::cuda::importImage(backend, mapped, matrix_.data(), stride(), mapped.height(), stride());
    }
    float* data() const override { return matrix_.data(); }

  private:
    glycine::cuda::DeviceBuffer<float> matrix_;
};

/// A copy through host memory.
class StagedCopy final : public SharedMatrix {
  public:
    StagedCopy(const CudaBackend& backend, const glycine::gl::RenderTexture& source)
        : SharedMatrix(4 * static_cast<std::size_t>(source.shape().width)),
          matrix_(backend.memory(), stride() * static_cast<std::size_t>(source.shape().height)) {
        Matrix<float> host(static_cast<std::size_t>(source.shape().height), stride());
        glycine::gl::readPixels(source.framebuffer(), 0, source.shape().format, source.texture().extent(),
                                host.data());
        glycine::cuda::StagedTransfer transfer(backend);
        transfer.upload(host.data(), stride(), matrix_.data(), stride(), host.rows(), stride(),
                        glycine::cuda::StagedTransfer::Part::Whole);
    }
    float* data() const override { return matrix_.data(); }

  private:
    glycine::cuda::DeviceBuffer<float> matrix_;
};

template <class Input, class Output>
void smoothOnCudaAndCompare(CudaBackend& backend, const GlSide& side, std::size_t n,
                            DeviceDifference& difference) {
    Stopwatch watch;
    const Input upper(backend, side.rawUpper);
    const Input lower(backend, side.rawLower);
    difference.handoverSeconds += watch.restart();
    glycine::cuda::smoothUpperInPlace(backend, upper.data(), n, upper.stride());
    glycine::cuda::smoothLowerInPlace(backend, lower.data(), lower.stride(), upper.data(), upper.stride(), n);
    backend.finish();
    difference.cudaSeconds = watch.restart();
    const Output glUpper(backend, side.upper);
    const Output glLower(backend, side.lower);
    difference.handoverSeconds += watch.restart();
    difference.upper = glycine::cuda::maxAbsDifference(backend, upper.data(), upper.stride(), glUpper.data(),
                                                       glUpper.stride(), n);
    difference.lower = glycine::cuda::maxAbsDifference(backend, lower.data(), lower.stride(), glLower.data(),
                                                       glLower.stride(), n);
}

double bytesOf(const GlSide& side) {
    double bytes = 0;
    for (const glycine::gl::RenderTexture* one : {&side.rawUpper, &side.rawLower, &side.upper, &side.lower})
        bytes += static_cast<double>(one->shape().bytes());
    return bytes;
}

/// Hands the same matrices over through the host, which is what working in place saves. Both ways must give
/// CUDA the same numbers: otherwise there is nothing to compare times of.
double stagedHandover(CudaBackend& backend, const GlSide& side) {
    const auto matrices = {&side.rawUpper, &side.rawLower, &side.upper, &side.lower};
    double seconds = 0;
    for (const glycine::gl::RenderTexture* one : matrices) {
        glFinish();
        const Stopwatch watch;
        const StagedCopy staged(backend, *one);
        backend.finish();
        seconds += watch.seconds();
        const ImageInPlace inPlace(backend, *one);
        if (glycine::cuda::maxAbsDifference(backend, staged.data(), staged.stride(), inPlace.data(),
                                            inPlace.stride(),
                                            static_cast<std::size_t>(one->shape().height)) != 0)
            throw DeviceError("a matrix that went through the host differs from the one in OpenGL's memory");
    }
    return seconds;
}

}  // namespace

struct DeviceComparison::Implementation {
    explicit Implementation(const BackendOptions& options) : gl(options), cuda(cudaOptions(options)) {}

    /// The CUDA device is the one that draws for the context just made, where there is one.
    static BackendOptions cudaOptions(BackendOptions options) {
        const std::vector<int> drawing = glycine::cuda::devicesOfCurrentGlContext();
        if (!drawing.empty()) options.device = drawing.front();
        return options;
    }

    glycine::gl::GlBackend gl;
    CudaBackend cuda;
    InteropMode mode = InteropMode::Direct;
    std::string reason;
};

DeviceComparison::DeviceComparison(const BackendOptions& options, InteropMode mode)
    : implementation_(std::make_unique<Implementation>(options)) {
    const Support shared = glycine::cuda::canShareWithGl(implementation_->cuda);
    if (mode == InteropMode::Direct && !shared)
        throw UnavailableError("CUDA cannot use this OpenGL context's memory in place: " + shared.reason());
    implementation_->mode =
        mode == InteropMode::Staged || !shared ? InteropMode::Staged : InteropMode::Direct;
    if (mode == InteropMode::Automatic) implementation_->reason = shared.reason();
}

DeviceComparison::~DeviceComparison() = default;

InteropMode DeviceComparison::mode() const {
    return implementation_->mode;
}

std::string DeviceComparison::description() const {
    if (implementation_->mode == InteropMode::Direct) return "in place";
    return implementation_->reason.empty() ? "through the host"
                                           : fmt::format("through the host ({})", implementation_->reason);
}

DeviceDifference DeviceComparison::compare(MatrixView<const float> upper, MatrixView<const float> lower,
                                           Progress& progress) {
    glycine::gl::GlBackend& glBackend = implementation_->gl;
    const std::size_t n = upper.rows();
    const std::size_t largest = gl::largestTile(glBackend);
    if (n > largest || n > static_cast<std::size_t>(glBackend.gl().limits.maxTextureSize))
        throw UnavailableError(fmt::format("{} atoms do not fit one texture of this device", n));
    DeviceDifference difference;
    const GlSide side = smoothOnGl(glBackend, upper, lower, difference.glSeconds, progress);
    difference.handoverBytes = bytesOf(side);
    if (implementation_->mode == InteropMode::Direct) {
        smoothOnCudaAndCompare<BufferInPlace, ImageInPlace>(implementation_->cuda, side, n, difference);
        difference.stagedSeconds = stagedHandover(implementation_->cuda, side);
    } else
        smoothOnCudaAndCompare<StagedCopy, StagedCopy>(implementation_->cuda, side, n, difference);
    return difference;
}

}  // namespace glycine::bounds
