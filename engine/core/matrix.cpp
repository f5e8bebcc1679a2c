#include "engine/core/matrix.hpp"

#include <fmt/format.h>

#include "engine/core/host_memory.hpp"
#include "engine/core/huge_pages.hpp"

namespace glycine::detail {

void* allocateElements(std::size_t rows, std::size_t columns, std::size_t elementBytes,
                       std::align_val_t alignment, bool skipsMemoryCheck) {
    // Small allocations are not worth the check.
    constexpr double kLarge = 64.0 * (1 << 20);
    const double bytes =
        static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(elementBytes);
    if (bytes >= kLarge && !skipsMemoryCheck)
        requireHostMemory(fmt::format("a matrix of {} × {} elements", rows, columns), bytes);
    const std::size_t allocated = std::max<std::size_t>(rows * columns, 1) * elementBytes;
    void* const elements = ::operator new(allocated, alignment);
    if (bytes >= kLarge) preferHugePages(elements, allocated);
    return elements;
}

}  // namespace glycine::detail
