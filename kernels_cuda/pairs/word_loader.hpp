#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Loads operands of pairs into the layout described by PairWindow.
namespace glycine::cuda {

/// Words of some instances: row i·planes + p holds `words` words of plane p of instance i.
struct SourceWords {
    /// Queues writing the words of some of the instances to `target` in device memory, row after row.
    using Fill = std::function<void(Range instances, std::uint32_t* target, StreamHandle stream)>;

    const std::uint32_t* data = nullptr;
    std::size_t stride = 0;  ///< words between rows
    std::size_t instances = 0;
    unsigned planes = 1;
    std::size_t words = 0;
    Fill fill{};  ///< for words that the host does not have, instead of `data`
};

/// Copies words to the device and transposes them to k-major order.
class WordLoader {
  public:
    /// Uses `stagingBytes` of device memory, which must hold at least one instance of every load.
    WordLoader(const CudaBackend& backend, std::size_t stagingBytes);
    /// The first word of the first instance goes to target.data. Returns when all words have arrived.
    void load(const SourceWords& source, MatrixOnDevice<std::uint32_t> target);

  private:
    const CudaBackend& backend_;
    DeviceBuffer<std::uint32_t> staging_;
    Stream stream_;
};

/// Transposes words from instance order to k-major order. source: row i·planes + p holds `words` words of
/// plane p of instance i. target: word w goes to row w·planes + p, column i.
void launchTransposeWords(const Launch& launch, MatrixOnDevice<const std::uint32_t> source,
                          std::size_t instances, unsigned planes, std::size_t words,
                          MatrixOnDevice<std::uint32_t> target);

}  // namespace glycine::cuda
