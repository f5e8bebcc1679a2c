#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Exact products of int8 matrices on tensor cores, through NVIDIA's cuBLASLt. The library is loaded on first
/// use: nothing links it, and the program runs without it.
namespace glycine::cuda {

/// Why int8 products are unavailable: the header was missing at build time, or the library is missing at run
/// time. Empty if they are available.
const std::string& reasonAgainstInt8Products();

/// C = A · Bᵀ, or C + A · Bᵀ, exactly in int32. Sums beyond ±2³¹ wrap around.
struct Int8Task {
    const std::int8_t* a = nullptr;    ///< rows × depth
    const std::int8_t* b = nullptr;    ///< columns × depth
    MatrixOnDevice<std::int32_t> c{};  ///< rows × columns
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t depth = 0;   ///< multiple of 32
    std::size_t stride = 0;  ///< row stride of a and of b; multiple of 32
    bool adds = false;
};

/// A handle of the library on the current device, with its workspace.
class Int8Products {
  public:
    /// Throws UnavailableError with reasonAgainstInt8Products(), or DeviceError if the library fails to
    /// initialise.
    Int8Products(MemoryBudget& memory, std::size_t workspaceBytes);
    ~Int8Products();
    /// Queues the product. Throws DeviceError if the library has no algorithm for it.
    void multiply(const Int8Task& task, const Stream& stream);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace glycine::cuda
