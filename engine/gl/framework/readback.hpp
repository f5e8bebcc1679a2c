#pragma once

#include <cstddef>

#include "engine/gl/framework/framebuffer.hpp"

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
void copyToBuffer(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                  const Buffer& buffer, std::size_t offset = 0);

void readPixelBytes(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                    std::byte* pixels);

/// Reads `region` of one render target into contiguous memory and waits for it. T is the number type of the
/// format.
template <class T>
void readPixels(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                T* pixels) {
    requireElementType(format, kElementType<T>);
    readPixelBytes(source, attachment, format, region, reinterpret_cast<std::byte*>(pixels));
}

/// Asynchronous readback through a pixel buffer: `start` returns at once, `finish` waits and hands the pixels
/// over, so that one piece travels while the next is computed.
class AsyncReadback {
  public:
    /// Room for `bytes`. Pixel buffers are part of OpenGL since 2.1.
    explicit AsyncReadback(std::size_t bytes);
    ~AsyncReadback();
    AsyncReadback(AsyncReadback&& other) noexcept;
    AsyncReadback& operator=(AsyncReadback&&) = delete;
    void start(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region);
    /// Waits for the pixels of the last `start`, which are valid until `release`. T is the number type of the
    /// format.
    template <class T>
    const T* finish() {
        requireElementType(format_, kElementType<T>);
        return reinterpret_cast<const T*>(map());
    }
    void release();

  private:
    const std::byte* map();

    Buffer buffer_;
    TextureFormat format_ = TextureFormat::RGBA32F;
    std::size_t pendingBytes_ = 0;
    bool mapped_ = false;
};

}  // namespace glycine::gl
