#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <glm/vec2.hpp>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/framework/gl_api.hpp"

namespace glycine::gl {

/// Texel formats that the engine renders to.
enum class TextureFormat { R32F, RGBA32F, R32I, RGBA32I, RGBA32UI };

/// GL's parameters of a format.
struct TextureFormatInfo {
    std::string_view name;
    GLenum internalFormat;
    GLenum format;  ///< of the pixels in memory
    GLenum type;
    int channels;
    std::size_t bytesPerTexel;
};
const TextureFormatInfo& info(TextureFormat format);

/// GL's name for the number type of texels in memory: float, std::int32_t or std::uint32_t.
template <class T>
inline constexpr GLenum kElementType = 0;
template <>
inline constexpr GLenum kElementType<float> = GL_FLOAT;
template <>
inline constexpr GLenum kElementType<std::int32_t> = GL_INT;
template <>
inline constexpr GLenum kElementType<std::uint32_t> = GL_UNSIGNED_INT;

/// Throws UsageError unless texels of `format` consist of numbers of `elementType` (see kElementType).
void requireElementType(TextureFormat format, GLenum elementType);

/// GL counts in int.
inline int toInt(std::size_t number) {
    return static_cast<int>(number);
}

/// Size of a texture: `layers` = 0 for a 2D texture, ≥ 1 for a 2D array.
struct TextureShape {
    TextureFormat format = TextureFormat::RGBA32F;
    glm::ivec2 size{0};
    int layers = 0;
    std::size_t bytes() const {
        return info(format).bytesPerTexel * static_cast<std::size_t>(size.x) *
               static_cast<std::size_t>(size.y) * static_cast<std::size_t>(layers > 0 ? layers : 1);
    }
    bool operator==(const TextureShape&) const = default;
};

/// Part of a texture, in texels; `origin` is the lower left corner, y grows with the rows of the data.
struct Rectangle {
    glm::ivec2 origin{0};
    glm::ivec2 size{0};
};

class UploadBuffers;

/// A texture of fixed size without filtering, owned. Its contents are undefined until written.
class Texture {
  public:
    /// `rectangle` selects GL_TEXTURE_RECTANGLE instead of GL_TEXTURE_2D (dialect gl21). Large uploads go
    /// through `buffers`, or straight from the caller's memory if null; `buffers` must outlive the texture.
    /// Throws DeviceError if the driver refuses the allocation.
    explicit Texture(const TextureShape& shape, bool rectangle = false, UploadBuffers* buffers = nullptr);
    ~Texture();
    Texture(Texture&& other) noexcept;
    Texture& operator=(Texture&& other) noexcept;

    /// Copies `region` of layer `layer` from memory, where rows start `rowTexels` texels apart. T must be the
    /// number type of the format.
    template <class T>
    void upload(const T* texels, const Rectangle& region, int rowTexels, int layer = 0) {
        requireElementType(shape_.format, kElementType<T>);
        uploadBytes(reinterpret_cast<const std::byte*>(texels), region, rowTexels, layer);
    }
    /// Copies the whole texture, or layer, from contiguous memory.
    template <class T>
    void upload(const T* texels, int layer = 0) {
        upload(texels, extent(), shape_.size.x, layer);
    }

    void bind(int unit) const;
    GLuint name() const { return name_; }
    GLenum target() const { return target_; }
    const TextureShape& shape() const { return shape_; }
    Rectangle extent() const { return {{0, 0}, shape_.size}; }

  private:
    void uploadBytes(const std::byte* texels, const Rectangle& region, int rowTexels, int layer);
    /// `texels` is an address, or an offset in the bound buffer.
    void copyTexels(const void* texels, const Rectangle& region, int rowTexels, int layer);

    TextureShape shape_;
    UploadBuffers* buffers_ = nullptr;
    GLenum target_ = GL_TEXTURE_2D;
    GLuint name_ = 0;
};

/// Throws DeviceError if GL has recorded an error; `doing` names the step in the message.
void checkErrors(std::string_view doing);

/// Lends textures and keeps returned ones for the next request of the same shape. One bound limits the bytes
/// of all textures, lent and kept.
class TexturePool {
  public:
    /// With `pixelBuffers`, large uploads go through UploadBuffers.
    TexturePool(std::size_t maxBytes, bool rectangle, bool pixelBuffers = false);
    ~TexturePool();

    /// Returns a texture of this shape with undefined contents. Frees kept textures of other shapes if room
    /// is short. Throws UnavailableError, which states the bound, if that is not enough.
    Texture acquire(const TextureShape& shape);
    /// Takes a texture back.
    void release(Texture texture);
    /// Frees the kept textures.
    void trim();

    std::size_t bytesLent() const { return bytesLent_; }
    std::size_t bytesKept() const { return bytesKept_; }
    std::size_t maxBytes() const { return maxBytes_; }
    /// Bytes that may still be lent.
    std::size_t bytesFree() const { return maxBytes_ > bytesLent_ ? maxBytes_ - bytesLent_ : 0; }

  private:
    std::unique_ptr<UploadBuffers> buffers_;  // first: textures are destroyed before it
    std::size_t maxBytes_;
    bool rectangle_;
    std::size_t bytesLent_ = 0;
    std::size_t bytesKept_ = 0;
    std::vector<Texture> kept_;
};

/// A pooled texture that returns itself to its pool.
class PooledTexture {
  public:
    PooledTexture(TexturePool& pool, const TextureShape& shape)
        : pool_(&pool), texture_(pool.acquire(shape)) {}
    ~PooledTexture() {
        if (pool_ != nullptr) pool_->release(std::move(texture_));
    }
    PooledTexture(PooledTexture&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), texture_(std::move(other.texture_)) {}
    PooledTexture& operator=(PooledTexture&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(texture_, other.texture_);
        return *this;
    }
    const Texture& operator*() const { return texture_; }
    Texture& operator*() { return texture_; }
    const Texture* operator->() const { return &texture_; }
    Texture* operator->() { return &texture_; }

  private:
    TexturePool* pool_;
    Texture texture_;
};

/// Width of the textures that hold tables: 2^rowBits texels. Texel i lies in row i >> rowBits, column i mod
/// 2^rowBits.
struct TableWidth {
    int rowBits = 0;
    std::size_t texels() const { return std::size_t{1} << rowBits; }
    std::size_t rows(std::size_t count) const {
        return roundUp(std::max<std::size_t>(count, 1), texels()) / texels();
    }
    /// Shape with room for `count` texels. Software renderers recompile a program for textures whose height
    /// is a power of two, so such heights get one more row.
    TextureShape shape(TextureFormat format, std::size_t count) const {
        const std::size_t height = rows(count) + (std::has_single_bit(rows(count)) ? 1 : 0);
        return {format, {texels(), height}};
    }
};

/// A table filled on the host for lookups by fragments. T must be the number type of the format.
template <class T>
class TableTexture {
  public:
    /// Allocates `count` texels.
    TableTexture(TexturePool& pool, TextureFormat format, TableWidth width, std::size_t count)
        : width_(width),
          texture_(pool, width.shape(format, count)),
          channels_(static_cast<std::size_t>(info(format).channels)),
          numbers_(width.rows(count), width.texels() * channels_) {}

    T* texel(std::size_t index) { return numbers_.data() + index * channels_; }
    /// Copies the first `count` texels, rounded up to whole rows, to the device.
    void upload(std::size_t count) {
        const int width = texture_->shape().size.x;
        texture_->upload(numbers_.data(), {{0, 0}, {width, width_.rows(count)}}, width);
    }
    const Texture& texture() const { return *texture_; }

  private:
    TableWidth width_;
    PooledTexture texture_;
    std::size_t channels_;
    Matrix<T> numbers_;
};

}  // namespace glycine::gl
