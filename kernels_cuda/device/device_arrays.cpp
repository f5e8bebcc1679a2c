#include "engine/core/device_arrays.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_matrix_kernels.hpp"

namespace glycine::cuda {

bool isReadable(const DeviceMatrix& numbers) {
    const std::size_t bytes = numbers.itemBytes;
    const bool isKnown = numbers.kind == 'f' ? bytes == sizeof(float) || bytes == sizeof(double)
                                             : (numbers.kind == 'i' || numbers.kind == 'u') &&
                                                   std::has_single_bit(bytes) && bytes <= 8;
    const auto size = static_cast<std::ptrdiff_t>(bytes);
    return isKnown && numbers.rows > 0 && numbers.columns > 0 && numbers.rowStep % size == 0 &&
           numbers.columnStep % size == 0 && reinterpret_cast<std::uintptr_t>(numbers.data) % bytes == 0;
}

CurrentDeviceGuard::CurrentDeviceGuard(const DeviceMatrix& numbers) {
    GLYCINE_CUDA(cudaGetDevice(&before_));
    GLYCINE_CUDA(cudaSetDevice(numbers.device));
    GLYCINE_CUDA(cudaDeviceSynchronize());
}

CurrentDeviceGuard::~CurrentDeviceGuard() {
    cudaSetDevice(before_);
}

namespace {

/// Bytes gathered on the device at once.
constexpr std::size_t kBytesAtOnce = std::size_t{64} << 20;

class CudaArrays final : public DeviceArrays {
  public:
    explicit CudaArrays(const CudaBackend& backend) { backend.makeCurrent(); }

    int deviceOf(const void* memory) const override {
        cudaPointerAttributes attributes{};
        GLYCINE_CUDA(cudaPointerGetAttributes(&attributes, memory));
        if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
            throw UsageError("an array claims to be on a CUDA device, but its memory is not");
        return attributes.device;
    }

    void copyToHost(const void* source, std::size_t bytes, void* target) const override {
        const CurrentDeviceGuard current({.device = deviceOf(source)});
        GLYCINE_CUDA(cudaMemcpy(target, source, bytes, cudaMemcpyDefault));
    }

    void copyToDevice(const void* source, std::size_t bytes, void* target) const override {
        const CurrentDeviceGuard current({.device = deviceOf(target)});
        GLYCINE_CUDA(cudaMemcpy(target, source, bytes, cudaMemcpyDefault));
    }

    void copyRows(const DeviceMatrix& matrix, std::span<const std::size_t> rows,
                  void* target) const override {
        const CurrentDeviceGuard current(matrix);
        MemoryBudget memory(0);
        const std::size_t bytesOfRow = matrix.columns * matrix.itemBytes;
        const std::vector<Range> parts =
            splitRange(rows.size(), std::max<std::size_t>(1, kBytesAtOnce / bytesOfRow));
        if (parts.empty()) return;
        const DeviceBuffer<std::size_t> which(memory, parts[0].size());
        const DeviceBuffer<std::byte> gathered(memory, parts[0].size() * bytesOfRow);
        for (const Range part : parts) {
            GLYCINE_CUDA(cudaMemcpy(which.data(), rows.data() + part.begin, part.size() * sizeof(std::size_t),
                                    cudaMemcpyDefault));
            launchGather(nullptr, matrix, which.data(), {0, part.size()}, {0, matrix.columns},
                         gathered.data());
            GLYCINE_CUDA(cudaMemcpy(static_cast<std::byte*>(target) + part.begin * bytesOfRow,
                                    gathered.data(), part.size() * bytesOfRow, cudaMemcpyDefault));
        }
    }

    std::shared_ptr<void> join(const DeviceMatrix& first, const DeviceMatrix& second) const override {
        if (first.kind != second.kind || first.itemBytes != second.itemBytes ||
            first.device != second.device || first.columns != second.columns)
            throw UsageError("two arrays on CUDA devices differ in type, width or device; expected the same");
        const CurrentDeviceGuard current(first);
        struct Joined {
            MemoryBudget budget{0};
            DeviceBuffer<std::byte> rows;
        };
        const auto joined = std::make_shared<Joined>();
        const std::size_t bytesOfRow = first.columns * first.itemBytes;
        joined->rows = DeviceBuffer<std::byte>(joined->budget, (first.rows + second.rows) * bytesOfRow);
        std::byte* const target = joined->rows.data();
        launchGather(nullptr, first, nullptr, {0, first.rows}, {0, first.columns}, target);
        launchGather(nullptr, second, nullptr, {0, second.rows}, {0, second.columns},
                     target + first.rows * bytesOfRow);
        GLYCINE_CUDA(cudaDeviceSynchronize());
        return {joined, target};
    }

    NumberSummary summarize(const DeviceMatrix& matrix) const override {
        const CurrentDeviceGuard current(matrix);
        MemoryBudget memory(0);
        const DeviceBuffer<SummaryOnDevice> summary(memory, 1);
        GLYCINE_CUDA(cudaMemset(summary.data(), 0, sizeof(SummaryOnDevice)));
        launchSummary(nullptr, matrix, summary.data());
        SummaryOnDevice found{};
        GLYCINE_CUDA(cudaMemcpy(&found, summary.data(), sizeof found, cudaMemcpyDefault));
        return {found.isInfinite == 0, found.widest, found.highest};
    }
};

}  // namespace

Implementation<DeviceArrays> deviceArrays() {
    return {"cuda", {}, [](Backend& backend) -> std::unique_ptr<DeviceArrays> {
                return std::make_unique<CudaArrays>(dynamic_cast<CudaBackend&>(backend));
            }};
}

}  // namespace glycine::cuda
