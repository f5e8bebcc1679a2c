#include "kernels_cuda/device/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // reported here, so that the next launch does not report it
    std::string_view name(call);
    name = name.substr(0, name.find('('));
    throw DeviceError(
        fmt::format("{} failed: {} ({})", name, cudaGetErrorString(status), cudaGetErrorName(status)));
}

void checkLaunch(const char* kernel) {
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess)
        throw DeviceError(fmt::format("launch of the CUDA kernel {} failed: {} ({})", kernel,
                                      cudaGetErrorString(status), cudaGetErrorName(status)));
}

std::size_t MemoryBudget::available() const {
    std::size_t free = 0;
    std::size_t total = 0;
    GLYCINE_CUDA(cudaMemGetInfo(&free, &total));
    const std::size_t usable = free / 100 * 95;
    if (limit_ == 0) return usable;
    return std::min(usable, limit_ > used_ ? limit_ - used_ : 0);
}

DeviceAllocation::DeviceAllocation(MemoryBudget& budget, std::size_t bytes) {
    if (bytes == 0) return;
    const auto lack = [bytes](std::size_t available) {
        return lackOfDeviceMemory("an array", static_cast<double>(bytes), available);
    };
    if (budget.limit_ != 0) {
        const std::size_t left = budget.limit_ - std::min(budget.limit_, budget.used_);
        if (bytes > left)
            throw DeviceError(fmt::format("{} of the limit of {}", lack(left), formatBytes(budget.limit_)));
    }
    const cudaError_t status = cudaMalloc(&data_, bytes);
    if (status != cudaSuccess) {
        cudaGetLastError();
        std::size_t free = 0;
        std::size_t total = 0;
        if (cudaMemGetInfo(&free, &total) != cudaSuccess) cudaGetLastError();
        throw DeviceError(fmt::format("{} of {}: cudaMalloc failed: {} ({})", lack(free), formatBytes(total),
                                      cudaGetErrorString(status), cudaGetErrorName(status)));
    }
    budget_ = &budget;
    bytes_ = bytes;
    budget.used_ += bytes;
}

DeviceAllocation::~DeviceAllocation() {
    if (data_ == nullptr) return;
    cudaFree(data_);  // waits for the device; the next checked call reports any failure
    budget_->used_ -= bytes_;
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
    requireHostMemory("page-locked memory for transfers", static_cast<double>(bytes));
    void* data = nullptr;
    GLYCINE_CUDA(cudaMallocHost(&data, bytes));
    data_.reset(static_cast<std::byte*>(data));
}

void PinnedBuffer::Release::operator()(std::byte* data) const {
    cudaFreeHost(data);
}

Stream::Stream(Priority priority) {
    int lowest = 0;
    int highest = 0;
    GLYCINE_CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    cudaStream_t stream = nullptr;
    GLYCINE_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                              priority == Priority::High ? highest : lowest));
    handle_.reset(stream);
}

void Stream::Release::operator()(StreamHandle handle) const {
    cudaStreamDestroy(handle);
}
void Stream::synchronize() const {
    GLYCINE_CUDA(cudaStreamSynchronize(handle()));
}
void Stream::waitFor(const Event& event) const {
    GLYCINE_CUDA(cudaStreamWaitEvent(handle(), event.handle(), 0));
}

Event::Event(Kind kind) {
    cudaEvent_t event = nullptr;
    GLYCINE_CUDA(
        cudaEventCreateWithFlags(&event, kind == Kind::Timing ? cudaEventDefault : cudaEventDisableTiming));
    handle_.reset(event);
}

void Event::Release::operator()(EventHandle handle) const {
    cudaEventDestroy(handle);
}
void Event::record(const Stream& stream) const {
    GLYCINE_CUDA(cudaEventRecord(handle(), stream.handle()));
}
void Event::synchronize() const {
    GLYCINE_CUDA(cudaEventSynchronize(handle()));
}

double Event::secondsBetween(const Event& begin, const Event& end) {
    float milliseconds = 0;
    GLYCINE_CUDA(cudaEventElapsedTime(&milliseconds, begin.handle(), end.handle()));
    return milliseconds * 1e-3;
}

}  // namespace glycine::cuda
