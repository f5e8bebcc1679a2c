#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"

/// Free memory, checked before allocating: Linux overcommits, and silently kills a process that touches too
/// much.

namespace glycine {

/// Work needs more memory than is available; the message gives both figures.
class MemoryError : public UnavailableError {
  public:
    using UnavailableError::UnavailableError;
};

/// Memory that this process may still allocate.
struct HostMemory {
    std::uint64_t bytes = 0;
    std::string bound;  ///< follows the figure in messages: "are free on this machine"
};

/// The least of three figures. The first is the machine's free memory (MemAvailable of /proc/meminfo, without
/// swap). The second is what the control groups of the process (versions 1 and 2) leave, where reclaimable
/// pages count as free. The third is the remaining address space (`ulimit -v`). The largest 64-bit number if
/// the system reports nothing. `root`: folder of proc and sys, for tests.
HostMemory availableHostMemory(const std::filesystem::path& root = "/");

/// The largest n in 0 … `most` that fits into memory. `fits(n)` is called for n ≥ 1 and must be monotonic: if
/// n fit, fewer fit, too.
template <class Fits>
std::size_t largestFitting(std::size_t most, const Fits& fits) {
    std::size_t least = 0;
    while (least < most) {
        const std::size_t middle = most - (most - least) / 2;
        if (fits(middle))
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

/// Throws MemoryError unless `bytes` are available: "smoothing 60000 atoms needs 53.6 GiB of memory, and 23.1
/// GiB are free on this machine". `bytes` is the sum of all coming allocations. It is a double, because
/// products of absurd sizes overflow integers.
void requireHostMemory(std::string_view what, double bytes);

/// Why work does not fit into `available` bytes of free device memory, for Support::no and errors: "smoothing
/// 60000 atoms needs 53.6 GiB of device memory, and 23.1 GiB are free".
std::string lackOfDeviceMemory(std::string_view what, double bytes, std::uint64_t available);

/// Bytes that the limit on address space (`ulimit -v`) leaves this process, or the largest 64-bit number
/// without a limit. `root`: folder of proc, for tests.
std::uint64_t freeAddressSpace(const std::filesystem::path& root = "/");

/// A large uninitialised block of memory, aligned to 64 bytes. Large blocks use huge pages if possible:
/// faulting in small pages takes longer than filling them.
class LargeArray {
  public:
    /// Throws std::bad_alloc.
    explicit LargeArray(std::size_t bytes);
    std::byte* data() const { return data_.get(); }

  private:
    struct Release {
        void operator()(std::byte* data) const;
    };
    std::unique_ptr<std::byte, Release> data_;
};

}  // namespace glycine
