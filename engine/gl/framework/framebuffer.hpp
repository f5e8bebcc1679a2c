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
    Rectangle extent() const { return extent_; }
    int targets() const { return targets_; }
    GLuint name() const { return name_; }

  private:
    void finish(const Texture& texture, int targets);

    GLuint name_ = 0;
    int targets_ = 0;
    Rectangle extent_;
};

}  // namespace glycine::gl
