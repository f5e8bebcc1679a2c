#include "engine/core/device_arrays.hpp"

#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

class CudaArrays final : public DeviceArrays {
  public:
    explicit CudaArrays(const CudaBackend& backend) : backend_(backend) {}

    void copyToHost(const void* source, std::size_t bytes, void* target) override {
        backend_.makeCurrent();
        cudaPointerAttributes attributes{};
        GLYCINE_CUDA(cudaPointerGetAttributes(&attributes, source));
        if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
            throw UsageError("an array says that it lies on a CUDA device, but its memory is on none");
        GLYCINE_CUDA(cudaSetDevice(attributes.device));
        GLYCINE_CUDA(cudaDeviceSynchronize());
        GLYCINE_CUDA(cudaMemcpy(target, source, bytes, cudaMemcpyDefault));
        backend_.makeCurrent();
    }

  private:
    const CudaBackend& backend_;
};

}  // namespace

Implementation<DeviceArrays> deviceArrays() {
    return {"cuda", {}, [](Backend& backend) -> std::unique_ptr<DeviceArrays> {
                return std::make_unique<CudaArrays>(dynamic_cast<CudaBackend&>(backend));
            }};
}

}  // namespace glycine::cuda
