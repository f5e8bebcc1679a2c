#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Operands of pairs on their way to the layout that PairWindow describes.
namespace glycine::cuda {

/// Words of some instances: row i·planes + p holds `words` words of plane p of instance i.
struct SourceWords {
    /// Queues what writes those of some of the instances to `target` in the device's memory, row after row.
    using Fill = std::function<void(Range instances, std::uint32_t* target, StreamHandle stream)>;

    const std::uint32_t* data = nullptr;
    std::size_t stride = 0;  ///< words from row to row
    std::size_t instances = 0;
    unsigned planes = 1;
    std::size_t words = 0;
    Fill fill{};  ///< of words that the host does not have, in place of `data`
};

/// Brings words to the device and turns them k-major.
class WordLoader {
  public:
    /// Works through `stagingBytes` of device memory, which hold one instance of every load at least.
    WordLoader(const CudaBackend& backend, std::size_t stagingBytes);
    /// The first word of the first instance goes to target.data. Returns when all are there.
    void load(const SourceWords& source, MatrixOnDevice<std::uint32_t> target);

  private:
    const CudaBackend& backend_;
    DeviceBuffer<std::uint32_t> staging_;
    Stream stream_;
};

/// Turns words from instance by instance to k-major. source: row i·planes + p holds `words` words of plane p
/// of instance i. target: word w goes to row w·planes + p, column i.
void launchTransposeWords(const Launch& launch, MatrixOnDevice<const std::uint32_t> source,
                          std::size_t instances, unsigned planes, std::size_t words,
                          MatrixOnDevice<std::uint32_t> target);

}  // namespace glycine::cuda
