#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/gl/framework/texture.hpp"

namespace glycine::gl {

/// Lends textures and keeps returned ones for the next request of the same shape, under a bound on all bytes,
/// lent and kept.
class TexturePool {
  public:
    explicit TexturePool(std::size_t maxBytes, bool rectangle) : maxBytes_(maxBytes), rectangle_(rectangle) {}

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

}  // namespace glycine::gl
