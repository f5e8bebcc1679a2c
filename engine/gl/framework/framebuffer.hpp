#pragma once

#include <vector>

#include "engine/gl/framework/texture.hpp"

namespace glycine::gl {

/// Render targets of a pass: one texture, or consecutive layers of an array texture as multiple render
/// targets. The textures must outlive it.
class Framebuffer {
  public:
    /// Renders to a 2D or rectangle texture. Throws DeviceError that names the status when incomplete.
    explicit Framebuffer(const Texture& texture);
    /// Renders to layers [0, layers) of an array texture at once, output i to layer i.
    Framebuffer(const Texture& arrayTexture, int layers);
    ~Framebuffer();
    Framebuffer(Framebuffer&& other) noexcept;
    Framebuffer& operator=(Framebuffer&& other) noexcept;

    void bind() const;
    /// Sets all targets to zero; for float formats.
    void clear() const;
    Rectangle extent() const { return {{0, 0}, shape_.size}; }
    int targets() const { return targets_; }
    GLuint name() const { return name_; }
    /// Of the texture that it renders to.
    const TextureShape& shape() const { return shape_; }
    /// Binds that texture; no pass may read what it writes.
    void bindTexture(int unit) const;

  private:
    void finish(const Texture& texture, int targets);

    GLuint name_ = 0;
    int targets_ = 0;
    GLuint texture_ = 0;
    GLenum textureTarget_ = 0;
    TextureShape shape_;
};

}  // namespace glycine::gl
