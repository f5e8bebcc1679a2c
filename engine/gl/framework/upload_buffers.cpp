#include "engine/gl/framework/upload_buffers.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

namespace glycine::gl {

namespace {
/// One that is filled, one that travels, one whose copy may still be under way.
constexpr std::size_t kBuffers = 3;
/// Copying is bound by memory: more cores gain nothing.
constexpr int kMostThreads = 8;
}  // namespace

UploadBuffers::UploadBuffers() {
    for (std::size_t i = 0; i < kBuffers; ++i)
        buffers_.emplace_back(GL_PIXEL_UNPACK_BUFFER, kPieceBytes, GL_STREAM_DRAW);
}

bool UploadBuffers::fillNext(const std::byte* pixels, std::size_t rows, std::size_t rowBytes,
                             std::size_t strideBytes) {
    const Buffer& buffer = buffers_[next_];
    next_ = (next_ + 1) % kBuffers;
    buffer.bind();
    // What it holds may still be under way: the driver gives other memory then.
    void* memory = nullptr;
    if (glMapBufferRange != nullptr) {
        memory = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, static_cast<GLsizeiptr>(rows * rowBytes),
                                  GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    } else {
        glBufferData(GL_PIXEL_UNPACK_BUFFER, kPieceBytes, nullptr, GL_STREAM_DRAW);
        memory = glMapBuffer(GL_PIXEL_UNPACK_BUFFER, GL_WRITE_ONLY);
    }
    bool isFilled = memory != nullptr;
    if (isFilled) {
        auto* const target = static_cast<std::byte*>(memory);
        const int threads = std::min(omp_get_max_threads(), kMostThreads);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::size_t row = 0; row < rows; ++row)
            std::memcpy(target + row * rowBytes, pixels + row * strideBytes, rowBytes);
        isFilled = glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER) == GL_TRUE;
    }
    if (!isFilled) {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        while (glGetError() != GL_NO_ERROR) {
            // The caller copies in another way, and finds what is wrong with the context.
        }
    }
    return isFilled;
}

}  // namespace glycine::gl
