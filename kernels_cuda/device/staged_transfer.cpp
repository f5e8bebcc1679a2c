#include "kernels_cuda/device/staged_transfer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {
/// Large enough that a copy takes far longer than its launch, small enough for the processor's cache.
constexpr std::size_t kBufferBytes = std::size_t(2) << 20;
constexpr std::size_t kMaxThreads = 8;
/// Below this, a second thread costs more than it gains.
constexpr std::size_t kBytesPerThread = std::size_t(4) << 20;
}  // namespace

/// Rows of the matrix that go through one buffer, and the first column to copy.
struct StagedTransfer::Chunk {
    std::size_t firstRow = 0;
    std::size_t rows = 0;
    std::size_t firstColumn = 0;
};

StagedTransfer::StagedTransfer(const CudaBackend& backend, int threads)
    : backend_(backend),
      threads_(threads > 0 ? std::size_t(threads)
                           : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads)) {}

void StagedTransfer::copy(const Job& job) {
    if (job.rows == 0 || job.columns == 0) return;
    backend_.makeCurrent();
    const std::size_t rowBytes = job.columns * job.elementBytes;
    const std::size_t needed = std::max(kBufferBytes, rowBytes);
    if (needed > bufferBytes_) {
        lanes_.clear();
        bufferBytes_ = needed;
    }
    const std::size_t lanes = std::clamp<std::size_t>(job.rows * rowBytes / kBytesPerThread, 1, threads_);
    while (lanes_.size() < lanes) {
        Lane lane;
        for (PinnedBuffer& buffer : lane.buffer) buffer = PinnedBuffer(bufferBytes_);
        lanes_.push_back(std::move(lane));
    }

    const std::size_t rowsAtOnce = bufferBytes_ / rowBytes;
    std::atomic<std::size_t> nextRow{0};
    const auto nextChunk = [&](Chunk& chunk) {
        chunk.firstRow = nextRow.fetch_add(rowsAtOnce);
        if (chunk.firstRow >= job.rows) return false;
        chunk.rows = std::min(rowsAtOnce, job.rows - chunk.firstRow);
        chunk.firstColumn = job.part == Part::UpperTriangle ? std::min(chunk.firstRow, job.columns) : 0;
        return true;
    };
    std::mutex mutex;
    std::exception_ptr failure;
    const auto run = [&](Lane& lane) {
        try {
            backend_.makeCurrent();
            runLane(lane, job, nextChunk);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            nextRow = job.rows;
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1; i < lanes; ++i) helpers.emplace_back(run, std::ref(lanes_[i]));
        run(lanes_[0]);
    }
    if (failure) std::rethrow_exception(failure);
}

void StagedTransfer::runLane(Lane& lane, const Job& job, const std::function<bool(Chunk&)>& nextChunk) const {
    const auto hostRow = [&](const Chunk& chunk, std::size_t row) {
        return static_cast<std::byte*>(job.host) + (chunk.firstRow + row) * job.hostPitch +
               chunk.firstColumn * job.elementBytes;
    };
    const auto rowBytes = [&](const Chunk& chunk) {
        return (job.columns - chunk.firstColumn) * job.elementBytes;
    };
    const auto copyRows = [&](std::byte* buffer, const Chunk& chunk) {
        const std::size_t bytes = rowBytes(chunk);
        for (std::size_t row = 0; row < chunk.rows; ++row) {
            std::byte* staged = buffer + row * bytes;
            if (job.toDevice)
                std::memcpy(staged, hostRow(chunk, row), bytes);
            else
                std::memcpy(hostRow(chunk, row), staged, bytes);
        }
    };
    const auto startDeviceCopy = [&](int slot, const Chunk& chunk) {
        std::byte* device = static_cast<std::byte*>(job.device) + chunk.firstRow * job.devicePitch +
                            chunk.firstColumn * job.elementBytes;
        std::byte* staged = lane.buffer[slot].data();
        const std::size_t bytes = rowBytes(chunk);
        if (job.toDevice)
            GLYCINE_CUDA(cudaMemcpy2DAsync(device, job.devicePitch, staged, bytes, bytes, chunk.rows,
                                           cudaMemcpyHostToDevice, lane.stream.handle()));
        else
            GLYCINE_CUDA(cudaMemcpy2DAsync(staged, bytes, device, job.devicePitch, bytes, chunk.rows,
                                           cudaMemcpyDeviceToHost, lane.stream.handle()));
        lane.copied[slot].record(lane.stream);
    };

    Chunk chunks[2];
    bool pending[2] = {false, false};
    const auto settle = [&](int slot) {
        if (!pending[slot]) return;
        lane.copied[slot].synchronize();
        if (!job.toDevice) copyRows(lane.buffer[slot].data(), chunks[slot]);
        pending[slot] = false;
    };
    int slot = 0;
    for (Chunk chunk; nextChunk(chunk); slot = 1 - slot) {
        settle(slot);
        chunks[slot] = chunk;
        if (job.toDevice) copyRows(lane.buffer[slot].data(), chunk);
        startDeviceCopy(slot, chunk);
        pending[slot] = true;
    }
    settle(slot);
    settle(1 - slot);
}

}  // namespace glycine::cuda
