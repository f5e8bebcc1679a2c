#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Exact products of int8 matrices on tensor cores, through NVIDIA's cuBLASLt. The library is looked for when
/// it is first needed: nothing links it, and the program runs without it.
namespace glycine::cuda {

/// Why there are no int8 products here: the header was missing at build time, or the library is at run time.
/// Empty when there are.
const std::string& whyNoInt8Products();

/// C = A · Bᵀ, or C + A · Bᵀ, in int32 without rounding. Sums past ±2³¹ wrap around.
struct Int8Task {
    const std::int8_t* a = nullptr;    ///< rows × depth
    const std::int8_t* b = nullptr;    ///< columns × depth
    MatrixOnDevice<std::int32_t> c{};  ///< rows × columns
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t depth = 0;   ///< multiple of 32
    std::size_t stride = 0;  ///< from row to row of a and of b; multiple of 32
    bool adds = false;
};

/// A handle of the library on the current device, with its workspace.
class Int8Products {
  public:
    /// Throws UnavailableError with whyNoInt8Products(), DeviceError when the library cannot work here.
    Int8Products(MemoryBudget& memory, std::size_t workspaceBytes);
    ~Int8Products();
    /// Queues the product. Throws DeviceError when the library has no algorithm for it.
    void multiply(const Int8Task& task, const Stream& stream);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace glycine::cuda
