#pragma once

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/texture_pool.hpp"

namespace glycine::gl {

/// A texture of a pool together with the framebuffer that renders to it (all layers, if it is an array).
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
    /// By number, for matrices whose parts are not all in the same phase.
    RenderTexture& operator[](int index) { return textures_[index]; }
    void swap() { source_ = 1 - source_; }

  private:
    RenderTexture textures_[2];
    int source_ = 0;
};

}  // namespace glycine::gl
