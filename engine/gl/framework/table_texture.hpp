#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/framework/texture_pool.hpp"

namespace glycine::gl {

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
