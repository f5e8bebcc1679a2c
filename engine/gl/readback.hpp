#pragma once

#include <cstddef>

#include "engine/gl/framebuffer.hpp"

namespace glycine::gl {

/// A buffer object of fixed size, owned.
class Buffer {
  public:
    Buffer(GLenum target, std::size_t bytes, GLenum usage);
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    void bind() const { glBindBuffer(target_, name_); }
    GLuint name() const { return name_; }
    std::size_t bytes() const { return bytes_; }

  private:
    GLenum target_ = 0;
    GLuint name_ = 0;
    std::size_t bytes_ = 0;
};

/// Copies `region` of one render target into `buffer` at `offset`, on the device, without waiting.
/// `attachment` selects among multiple render targets.
void copyToBuffer(const Framebuffer& source, int attachment, TextureFormat format, const Rect& region,
                  const Buffer& buffer, std::size_t offset = 0);

/// Reads `region` of one render target into contiguous memory and waits for it.
void readPixels(const Framebuffer& source, int attachment, TextureFormat format, const Rect& region,
                void* pixels);

/// Asynchronous readback through a pixel buffer: `start` returns at once, `finish` waits and hands the pixels
/// over, so that one piece travels while the next is computed.
class AsyncReadback {
  public:
    /// Room for `bytes`. Pixel buffers are part of OpenGL since 2.1.
    explicit AsyncReadback(std::size_t bytes);
    ~AsyncReadback();
    AsyncReadback(AsyncReadback&& other) noexcept;
    AsyncReadback& operator=(AsyncReadback&&) = delete;
    void start(const Framebuffer& source, int attachment, TextureFormat format, const Rect& region);
    /// The pixels of the last `start`, valid until `release`.
    const void* finish();
    void release();

  private:
    Buffer buffer_;
    std::size_t pendingBytes_ = 0;
    bool mapped_ = false;
};

}  // namespace glycine::gl
