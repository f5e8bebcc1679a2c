#include "engine/bounds/device_comparison.hpp"

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "kernels_cuda/bounds/device_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/gl_interop.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::bounds::cuda {

namespace {

using glycine::cuda::CudaBackend;

/// A GL buffer, filled on the device and registered with CUDA, which works in GL's memory.
class BufferInPlace {
  public:
    BufferInPlace(const CudaBackend& backend, MatrixHolder& holder, HeldMatrix which)
        : stride_(holder.texture(which).stride),
          registered_(backend, holder.bufferWith(which)),
          mapped_(registered_) {}
    float* data() const { return mapped_.as<float>(); }
    std::size_t stride() const { return stride_; }

  private:
    std::size_t stride_;
    glycine::cuda::RegisteredBuffer registered_;
    glycine::cuda::MappedBuffer mapped_;
};

/// A GL texture, registered with CUDA and read in place.
class ImageInPlace {
  public:
    ImageInPlace(const CudaBackend& backend, MatrixHolder& holder, HeldMatrix which)
        : stride_(holder.texture(which).stride),
          matrix_(backend.memory(), stride_ * holder.texture(which).rows) {
        const glycine::cuda::RegisteredImage registered(backend, holder.texture(which).name);
        const glycine::cuda::MappedImage mapped(registered);
        glycine::cuda::importImage(backend, mapped, matrix_.data(), stride_, mapped.height(), stride_);
    }
    float* data() const { return matrix_.data(); }
    std::size_t stride() const { return stride_; }

  private:
    std::size_t stride_;
    glycine::cuda::DeviceBuffer<float> matrix_;
};

/// A copy through host memory.
class StagedCopy {
  public:
    StagedCopy(const CudaBackend& backend, MatrixHolder& holder, HeldMatrix which)
        : stride_(holder.texture(which).stride),
          matrix_(backend.memory(), stride_ * holder.texture(which).rows) {
        Matrix<float> host(holder.texture(which).rows, stride_);
        holder.read(which, host.data());
        glycine::cuda::StagedTransfer transfer(backend);
        transfer.upload(host.data(), stride_, matrix_.data(), stride_, host.rows(), stride_,
                        glycine::cuda::StagedTransfer::Part::Whole);
    }
    float* data() const { return matrix_.data(); }
    std::size_t stride() const { return stride_; }

  private:
    std::size_t stride_;
    glycine::cuda::DeviceBuffer<float> matrix_;
};

class SmoothingMatrixUser final : public MatrixUser {
  public:
    explicit SmoothingMatrixUser(CudaBackend& backend) : backend_(backend) {}

    Support canShare() const override { return glycine::cuda::canShareWithGl(backend_); }

    DeviceDifference compare(MatrixHolder& holder, std::size_t n, InteropMode mode) override {
        DeviceDifference difference;
        if (mode == InteropMode::Direct) {
            smoothAndCompare<BufferInPlace, ImageInPlace>(holder, n, difference);
            difference.stagedSeconds = stagedHandover(holder);
        } else
            smoothAndCompare<StagedCopy, StagedCopy>(holder, n, difference);
        return difference;
    }

  private:
    template <class Input, class Output>
    void smoothAndCompare(MatrixHolder& holder, std::size_t n, DeviceDifference& difference) {
        Stopwatch watch;
        const Input upper(backend_, holder, HeldMatrix::RawUpper);
        const Input lower(backend_, holder, HeldMatrix::RawLower);
        difference.handoverSeconds += watch.restart();
        glycine::cuda::smoothUpperInPlace(backend_, upper.data(), n, upper.stride());
        glycine::cuda::smoothLowerInPlace(backend_, lower.data(), lower.stride(), upper.data(),
                                          upper.stride(), n);
        backend_.finish();
        difference.cudaSeconds = watch.restart();
        const Output glUpper(backend_, holder, HeldMatrix::Upper);
        const Output glLower(backend_, holder, HeldMatrix::Lower);
        difference.handoverSeconds += watch.restart();
        difference.upper = glycine::cuda::maxAbsDifference(backend_, upper.data(), upper.stride(),
                                                           glUpper.data(), glUpper.stride(), n);
        difference.lower = glycine::cuda::maxAbsDifference(backend_, lower.data(), lower.stride(),
                                                           glLower.data(), glLower.stride(), n);
    }

    /// Transfers the same matrices through the host, to measure the time that in-place access saves. Both
    /// ways must give CUDA the same numbers, or the times are not comparable.
    double stagedHandover(MatrixHolder& holder) {
        double seconds = 0;
        for (const HeldMatrix which : kHeldMatrices) {
            holder.finish();
            const Stopwatch watch;
            const StagedCopy staged(backend_, holder, which);
            backend_.finish();
            seconds += watch.seconds();
            const ImageInPlace inPlace(backend_, holder, which);
            if (glycine::cuda::maxAbsDifference(backend_, staged.data(), staged.stride(), inPlace.data(),
                                                inPlace.stride(), holder.texture(which).rows) != 0)
                throw DeviceError(
                    "a matrix that went through the host differs from the one in OpenGL's memory");
        }
        return seconds;
    }

    CudaBackend& backend_;
};

}  // namespace

Implementation<MatrixUser> matrixUser() {
    return {"cuda", {}, [](Backend& backend) -> std::unique_ptr<MatrixUser> {
                return std::make_unique<SmoothingMatrixUser>(dynamic_cast<CudaBackend&>(backend));
            }};
}

}  // namespace glycine::bounds::cuda
