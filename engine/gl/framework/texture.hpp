#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/vec2.hpp>
#include <string_view>

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

/// An immutable-size texture without filtering, owned. Its contents are undefined until written.
class Texture {
  public:
    /// `rectangle`: GL_TEXTURE_RECTANGLE in place of GL_TEXTURE_2D (dialect gl21). Throws DeviceError when
    /// the driver refuses the allocation.
    explicit Texture(const TextureShape& shape, bool rectangle = false);
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

    TextureShape shape_;
    GLenum target_ = GL_TEXTURE_2D;
    GLuint name_ = 0;
};

/// Throws DeviceError when GL has recorded an error; `doing` names the step for the message.
void checkErrors(std::string_view doing);

}  // namespace glycine::gl
