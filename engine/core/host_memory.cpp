#include "engine/core/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

std::uint64_t wholeBytes(double bytes) {
    constexpr double kMost = 9e18;
    return static_cast<std::uint64_t>(std::min(bytes, kMost));
}

}  // namespace

void requireHostMemory(std::string_view what, double bytes) {
    const HostMemory available = availableHostMemory();
    if (bytes <= static_cast<double>(available.bytes)) return;
    throw MemoryError(fmt::format("{} needs {} of memory, and {} {}", what, formatBytes(wholeBytes(bytes)),
                                  formatBytes(available.bytes), available.bound));
}

std::string lackOfDeviceMemory(std::string_view what, double bytes, std::uint64_t available) {
    return fmt::format("{} needs {} of device memory, and {} are free", what, formatBytes(wholeBytes(bytes)),
                       formatBytes(available));
}

}  // namespace glycine
