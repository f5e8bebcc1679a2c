#pragma once

#include <cstddef>
#include <span>

#include "engine/core/matrix.hpp"
#include "engine/gl/framework/texture.hpp"

namespace glycine::gl {

/// Render targets of a pass: one texture, or consecutive layers of an array texture as multiple render
/// targets. The textures must outlive it.
class Framebuffer {
  public:
    /// Renders to a 2D or rectangle texture. Throws DeviceError with the status if the framebuffer is
    /// incomplete.
    explicit Framebuffer(const Texture& texture);
    /// Renders to layers [0, layers) of an array texture at once, output i to layer i.
    Framebuffer(const Texture& arrayTexture, int layers);
    /// Renders to textures of one shape at once, output i to texture i, as was usual before array textures.
    explicit Framebuffer(std::span<const Texture* const> textures);
    ~Framebuffer();
    Framebuffer(Framebuffer&& other) noexcept;
    Framebuffer& operator=(Framebuffer&& other) noexcept;

    void bind() const;
    /// Sets all targets to zero; for float formats.
    void clear() const;
    Rectangle extent() const { return {{0, 0}, shape_.size}; }
    int targets() const { return targets_; }
    GLuint name() const { return name_; }
    /// Shape of the texture rendered to.
    const TextureShape& shape() const { return shape_; }
    /// Binds the texture rendered to; no pass may read what it writes.
    void bindTexture(int unit) const;

  private:
    void finish(const Texture& texture, int targets);

    GLuint name_ = 0;
    int targets_ = 0;
    GLuint texture_ = 0;
    GLenum textureTarget_ = 0;
    TextureShape shape_;
};

/// A pooled texture together with the framebuffer that renders to it (to all layers, if it is an array).
class RenderTexture {
  public:
    RenderTexture(TexturePool& pool, const TextureShape& shape)
        : texture_(pool, shape),
          framebuffer_(shape.layers > 0 ? Framebuffer(*texture_, shape.layers) : Framebuffer(*texture_)) {}
    Texture& texture() { return *texture_; }
    const Texture& texture() const { return *texture_; }
    const Framebuffer& framebuffer() const { return framebuffer_; }
    const TextureShape& shape() const { return texture_->shape(); }

  private:
    PooledTexture texture_;
    Framebuffer framebuffer_;
};

/// Two textures of one shape whose roles as source and target flip: no pass may read what it writes.
class PingPong {
  public:
    PingPong(TexturePool& pool, const TextureShape& shape) : textures_{{pool, shape}, {pool, shape}} {}
    RenderTexture& source() { return textures_[source_]; }
    RenderTexture& target() { return textures_[1 - source_]; }
    /// By number, for matrices whose parts are in different phases.
    RenderTexture& operator[](int index) { return textures_[index]; }
    void swap() { source_ = 1 - source_; }

  private:
    RenderTexture textures_[2];
    int source_ = 0;
};

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

/// Copies `region` of one render target into `buffer` at byte `offset`, on the device, without waiting.
/// `attachment` selects one of multiple render targets.
void copyToBuffer(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                  const Buffer& buffer, std::size_t offset = 0);

void readPixelBytes(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                    std::byte* pixels);

/// Reads `region` of one render target into contiguous memory and waits for it. T must be the number type of
/// the format.
template <class T>
void readPixels(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                T* pixels) {
    requireElementType(format, kElementType<T>);
    readPixelBytes(source, attachment, format, region, reinterpret_cast<std::byte*>(pixels));
}

/// Reads back asynchronously through a pixel buffer. `start` returns at once; `finish` waits and returns the
/// pixels. One piece can travel while the next is computed.
class AsyncReadback {
  public:
    /// Allocates `bytes`. Pixel buffers are part of OpenGL since 2.1.
    explicit AsyncReadback(std::size_t bytes);
    ~AsyncReadback();
    AsyncReadback(AsyncReadback&& other) noexcept;
    AsyncReadback& operator=(AsyncReadback&&) = delete;
    void start(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region);
    /// Waits for the pixels of the last `start`, which stay valid until `release`. T must be the number type
    /// of the format.
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

/// The one-channel and the four-channel format for elements of type T.
template <class T>
inline constexpr TextureFormat kScalarFormat = TextureFormat::R32F;
template <>
inline constexpr TextureFormat kScalarFormat<std::int32_t> = TextureFormat::R32I;
template <class T>
inline constexpr TextureFormat kPackedFormat = TextureFormat::RGBA32F;
template <>
inline constexpr TextureFormat kPackedFormat<std::int32_t> = TextureFormat::RGBA32I;

/// Reads one layer of a render target in bands through two pixel buffers. One band travels while
/// `consume(firstRow, rows, texels)` processes the previous one. T must be the number type of the format.
template <class T, class Consume>
void readInBands(const RenderTexture& source, int attachment, Consume&& consume) {
    constexpr std::size_t kBandBytes = std::size_t{16} << 20;
    const TextureShape& shape = source.shape();
    const std::size_t rowBytes = info(shape.format).bytesPerTexel * static_cast<std::size_t>(shape.size.x);
    const int rowsPerBand = std::max(1, static_cast<int>(std::min<std::size_t>(
                                            kBandBytes / rowBytes, static_cast<std::size_t>(shape.size.y))));
    AsyncReadback readbacks[2] = {AsyncReadback(rowBytes * static_cast<std::size_t>(rowsPerBand)),
                                  AsyncReadback(rowBytes * static_cast<std::size_t>(rowsPerBand))};
    const auto start = [&](int firstRow) {
        const int rows = std::min(rowsPerBand, shape.size.y - firstRow);
        readbacks[firstRow / rowsPerBand % 2].start(source.framebuffer(), attachment, shape.format,
                                                    {{0, firstRow}, {shape.size.x, rows}});
    };
    start(0);
    for (int row = 0; row < shape.size.y; row += rowsPerBand) {
        if (row + rowsPerBand < shape.size.y) start(row + rowsPerBand);
        AsyncReadback& readback = readbacks[row / rowsPerBand % 2];
        consume(row, std::min(rowsPerBand, shape.size.y - row), readback.finish<T>());
        readback.release();
    }
}

}  // namespace glycine::gl
