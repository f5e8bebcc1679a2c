#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/gl/framework/framebuffer.hpp"

namespace glycine::gl {

/// The way of large data to the device: pixel buffers that take turns. The cores of the host fill one while
/// the piece before travels, and while earlier passes draw; a copy from the program's own memory would be
/// made by the driver, on one core, before it returns.
class UploadBuffers {
  public:
    static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

    UploadBuffers();
    /// Calls copy(rows, offset) for rows of `pixels` piece by piece, with the buffer bound that holds them,
    /// without gaps, from `offset` on. A row has `rowBytes`, and lies `strideBytes` after the one before.
    /// False where the driver gives no memory or has lost it: what was copied is undefined then.
    template <class Copy>
    bool send(const std::byte* pixels, std::size_t rows, std::size_t rowBytes, std::size_t strideBytes,
              const Copy& copy) {
        const std::size_t most = kPieceBytes / rowBytes;
        if (most == 0) return false;
        for (std::size_t first = 0; first < rows; first += most) {
            const std::size_t count = std::min(most, rows - first);
            if (!fillNext(pixels + first * strideBytes, count, rowBytes, strideBytes)) return false;
            copy(Range{first, first + count});
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        }
        return true;
    }

  private:
    /// Binds the next buffer with these rows.
    bool fillNext(const std::byte* pixels, std::size_t rows, std::size_t rowBytes, std::size_t strideBytes);

    std::vector<Buffer> buffers_;
    std::size_t next_ = 0;
};

}  // namespace glycine::gl
