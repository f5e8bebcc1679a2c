#include "kernels_cuda/crossapen/device_epochs.hpp"

#include <vector>

#include "engine/crossapen/pair_workspace.hpp"
#include "kernels_cuda/crossapen/match_run.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_matrix_kernels.hpp"

namespace glycine::crossapen::cuda {

namespace {

using glycine::cuda::DeviceBuffer;
using glycine::cuda::SignalUse;

template <class T>
class CudaEpochs final : public EpochsOnDevice {
  public:
    CudaEpochs(glycine::cuda::CudaBackend& backend, const DeviceEpochs& epochs, Range some,
               const EntropyOptions& options)
        : stride_(glycine::cuda::signalStride(epochs.first.columns)),
          channels_(epochs.first.rows),
          signals_(backend.memory(), some.size() * channels_ * stride_) {
        const glycine::cuda::CurrentDeviceGuard current(epochs.first);
        const DeviceBuffer<SignalUse> uses(backend.memory(), some.size() * channels_);
        const DeviceMatrix& first = epochs.first;
        const char* const data =
            static_cast<const char*>(first.data) + static_cast<std::ptrdiff_t>(some.begin) * epochs.step;
        glycine::cuda::launchPreparation(
            nullptr, {data, epochs.step, first.rowStep, first.columnStep, first.itemBytes == sizeof(double)},
            {some.size(), channels_, first.columns, isNormalised(options),
             options.deviation == Deviation::Sample},
            signals_.data(), uses.data());
        std::vector<SignalUse> found(uses.size());
        GLYCINE_CUDA(cudaMemcpy(found.data(), uses.data(), uses.size(), cudaMemcpyDefault));
        for (const SignalUse use : found)
            uses_.push_back(use == SignalUse::Usable      ? ChannelUse::Usable
                            : use == SignalUse::Constant  ? ChannelUse::Constant
                            : use == SignalUse::NotFinite ? ChannelUse::NotFinite
                                                          : ChannelUse::BeyondFormat);
    }
    ChannelUse useOf(std::size_t epoch, std::size_t channel) const override {
        return uses_[epoch * channels_ + channel];
    }
    const void* signal(std::size_t epoch, std::size_t channel) const override {
        return signals_.data() + (epoch * channels_ + channel) * stride_;
    }

  private:
    std::size_t stride_;
    std::size_t channels_;
    DeviceBuffer<T> signals_;
    std::vector<ChannelUse> uses_;
};

}  // namespace

std::unique_ptr<EpochsOnDevice> prepareOnDevice(glycine::cuda::CudaBackend& backend,
                                                const DeviceEpochs& epochs, Range some,
                                                const EntropyOptions& options) {
    const DeviceMatrix& first = epochs.first;
    const std::size_t itemBytes = options.format == NumberFormat::Float32 ? sizeof(float) : sizeof(double);
    const std::size_t bytes =
        some.size() * first.rows * (glycine::cuda::signalStride(first.columns) * itemBytes + 1);
    const bool isTaken = first.kind == 'f' && glycine::cuda::isReadable(first) &&
                         epochs.step % static_cast<std::ptrdiff_t>(first.itemBytes) == 0 &&
                         first.device == backend.deviceIndex() && bytes <= backend.memory().available() / 2;
    if (!isTaken) return nullptr;
    if (options.format == NumberFormat::Float32)
        return std::make_unique<CudaEpochs<float>>(backend, epochs, some, options);
    return std::make_unique<CudaEpochs<double>>(backend, epochs, some, options);
}

}  // namespace glycine::crossapen::cuda
