#include "engine/core/large_array.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "engine/core/tiling.hpp"

namespace glycine {

LargeArray::LargeArray(std::size_t bytes) {
    constexpr std::size_t kLine = 64, kLargePage = std::size_t{1} << 21;
    if (bytes == 0) return;
    const bool isLarge = bytes >= 2 * kLargePage;
    const std::size_t boundary = isLarge ? kLargePage : kLine;
    const std::size_t whole = roundUp(bytes, boundary);
    if (whole < bytes) throw std::bad_alloc();
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(boundary, whole)));
    if (!data_) throw std::bad_alloc();
    // Where there are none it stays as it is.
    if (isLarge) madvise(data_.get(), whole, MADV_HUGEPAGE);
}

void LargeArray::Release::operator()(std::byte* data) const {
    std::free(data);
}

}  // namespace glycine
