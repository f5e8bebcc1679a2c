#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"

/// How much memory there is, asked before it is taken: Linux hands out more than it has, and ends a process
/// that touches too much of it without a word.

namespace glycine {

/// Work needs more memory than there is; the message gives both figures.
class MemoryError : public UnavailableError {
  public:
    using UnavailableError::UnavailableError;
};

/// Memory that this process may still take.
struct HostMemory {
    std::uint64_t bytes = 0;
    std::string bound;  ///< behind the figure: "are free on this machine"
};

/// The least of what is free on the machine (MemAvailable of /proc/meminfo; swap does not count), what the
/// control groups of the process leave, versions 1 and 2 (pages that could be dropped count as free), and
/// what is left of its limit on address space (`ulimit -v`). As much as 64 bits can say where the system
/// tells nothing. `root`: where proc and sys are found, for tests.
HostMemory availableHostMemory(const std::filesystem::path& root = "/");

/// The largest number of things, 0 … `most`, that fit into memory. `fits(n)` for n ≥ 1; where n things fit,
/// fewer do.
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

/// Throws MemoryError unless `bytes` can be had: "smoothing 60000 atoms needs 53.6 GiB of memory, and 23.1
/// GiB are free on this machine". `bytes` is what is about to be allocated, all of it together; a double,
/// because products of absurd sizes do not fit into whole numbers.
void requireHostMemory(std::string_view what, double bytes);

/// Why work cannot be done on a device of which `available` bytes are free, for Support::no and errors:
/// "smoothing 60000 atoms needs 53.6 GiB of device memory, and 23.1 GiB are free".
std::string lackOfDeviceMemory(std::string_view what, double bytes, std::uint64_t available);

/// Bytes that the limit on address space (`ulimit -v`) leaves this process; as much as 64 bits can say
/// without a limit. `root`: where proc is found, for tests.
std::uint64_t leftOfAddressSpace(const std::filesystem::path& root = "/");

/// Memory for much at once, not initialised, on a boundary of 64 bytes. Of large ones the system is asked for
/// large pages: taking them one small page at a time is slower than filling them.
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
