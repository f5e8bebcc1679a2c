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

/// What GL wants to know about a format.
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

/// As OpenGL counts.
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

/// An immutable-size texture without filtering, owned. Its contents are undefined until written.
class Texture {
  public:
    /// `rectangle`: GL_TEXTURE_RECTANGLE in place of GL_TEXTURE_2D (dialect gl21). `buffers`: the way of
    /// large uploads; null: from the program's memory. They outlive the texture. Throws DeviceError when the
    /// driver refuses the allocation.
    explicit Texture(const TextureShape& shape, bool rectangle = false, UploadBuffers* buffers = nullptr);
    ~Texture();
    Texture(Texture&& other) noexcept;
    Texture& operator=(Texture&& other) noexcept;

    /// Copies `region` of layer `layer` from memory; `rowTexels` texels lie between starts of rows there. T
    /// is the number type of the format.
    template <class T>
    void upload(const T* texels, const Rectangle& region, int rowTexels, int layer = 0) {
        requireElementType(shape_.format, kElementType<T>);
        uploadBytes(reinterpret_cast<const std::byte*>(texels), region, rowTexels, layer);
    }
    /// The whole (layer of the) texture from contiguous memory.
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
    /// `texels`: an address, or an offset in the buffer that is bound.
    void copyTexels(const void* texels, const Rectangle& region, int rowTexels, int layer);

    TextureShape shape_;
    UploadBuffers* buffers_ = nullptr;
    GLenum target_ = GL_TEXTURE_2D;
    GLuint name_ = 0;
};

/// Throws DeviceError when GL has recorded an error; `doing` names the step for the message.
void checkErrors(std::string_view doing);

/// Lends textures and keeps returned ones for the next request of the same shape, under a bound on all bytes,
/// lent and kept.
class TexturePool {
  public:
    /// `pixelBuffers`: large uploads go through some (UploadBuffers).
    TexturePool(std::size_t maxBytes, bool rectangle, bool pixelBuffers = false);
    ~TexturePool();

    /// A texture of this shape with undefined contents. Kept textures of other shapes are freed when room is
    /// short; throws UnavailableError that names the bound when that is not enough.
    Texture acquire(const TextureShape& shape);
    /// Takes a texture back.
    void release(Texture texture);
    /// Frees what is kept.
    void trim();

    std::size_t bytesLent() const { return bytesLent_; }
    std::size_t bytesKept() const { return bytesKept_; }
    std::size_t maxBytes() const { return maxBytes_; }
    /// What may still be lent.
    std::size_t bytesFree() const { return maxBytes_ > bytesLent_ ? maxBytes_ - bytesLent_ : 0; }

  private:
    std::unique_ptr<UploadBuffers> buffers_;  // first: the textures go before
    std::size_t maxBytes_;
    bool rectangle_;
    std::size_t bytesLent_ = 0;
    std::size_t bytesKept_ = 0;
    std::vector<Texture> kept_;
};

/// A texture of a pool that goes back by itself.
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

/// Width of the textures that hold tables, 2^rowBits texels: texel i lies in row i >> rowBits, at i mod
/// 2^rowBits.
struct TableWidth {
    int rowBits = 0;
    std::size_t texels() const { return std::size_t{1} << rowBits; }
    std::size_t rows(std::size_t count) const {
        return roundUp(std::max<std::size_t>(count, 1), texels()) / texels();
    }
    /// Room for `count` texels. Software renderers compile a program anew for textures whose height is a
    /// power of two, so there is none: a row more is added.
    TextureShape shape(TextureFormat format, std::size_t count) const {
        const std::size_t height = rows(count) + (std::has_single_bit(rows(count)) ? 1 : 0);
        return {format, {texels(), height}};
    }
};

/// A table that is filled on the host and looked up by fragments. T is the number type of the format.
template <class T>
class TableTexture {
  public:
    /// Room for `count` texels.
    TableTexture(TexturePool& pool, TextureFormat format, TableWidth width, std::size_t count)
        : width_(width),
          texture_(pool, width.shape(format, count)),
          channels_(static_cast<std::size_t>(info(format).channels)),
          numbers_(width.rows(count), width.texels() * channels_) {}

    T* texel(std::size_t index) { return numbers_.data() + index * channels_; }
    /// Copies the first `count` texels, in whole rows, to the device.
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
