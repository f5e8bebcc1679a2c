#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/layout/strips.hpp"

namespace glycine::bounds::gl {

/// A matrix in layout `Strips` on the device: one array texture.
class StripMatrix {
  public:
    StripMatrix(glycine::gl::TexturePool& pool, const layout::StripShape& shape,
                glycine::gl::TextureFormat format)
        : shape_(shape),
          texture_(pool, {format, {shape.width(), shape.height()}, static_cast<int>(shape.rowsPerStrip)}) {}
    const layout::StripShape& shape() const { return shape_; }
    glycine::gl::RenderTexture& render() { return texture_; }
    const glycine::gl::RenderTexture& render() const { return texture_; }
    const glycine::gl::Texture& texture() const { return texture_.texture(); }
    const glycine::gl::Framebuffer& framebuffer() const { return texture_.framebuffer(); }

  private:
    layout::StripShape shape_;
    glycine::gl::RenderTexture texture_;
};

/// Copies `matrix` to the device; what pads it becomes `padding`.
template <class T>
void uploadStrips(StripMatrix& target, MatrixView<const T> matrix, T padding) {
    const layout::StripShape& shape = target.shape();
    Matrix<T> texels(1, shape.layerElements());
    for (std::size_t layer = 0; layer < shape.rowsPerStrip; ++layer) {
        layout::packStripLayer(matrix, shape, layer, padding, texels.data());
        target.render().texture().upload(texels.data(), static_cast<int>(layer));
    }
}

/// Copies the matrix back to the host, without its padding. One layer travels while the one before is
/// unpacked.
template <class T>
void downloadStrips(const StripMatrix& source, MatrixView<T> matrix) {
    const layout::StripShape& shape = source.shape();
    const glycine::gl::TextureShape& texture = source.render().shape();
    const std::size_t bytes = shape.layerElements() * sizeof(T);
    glycine::gl::AsyncReadback readbacks[2] = {glycine::gl::AsyncReadback(bytes),
                                               glycine::gl::AsyncReadback(bytes)};
    const auto start = [&](std::size_t layer) {
        readbacks[layer % 2].start(source.framebuffer(), static_cast<int>(layer), texture.format,
                                   {{0, 0}, texture.size});
    };
    start(0);
    for (std::size_t layer = 0; layer < shape.rowsPerStrip; ++layer) {
        if (layer + 1 < shape.rowsPerStrip) start(layer + 1);
        const T* texels = readbacks[layer % 2].finish<T>();
        layout::unpackStripLayer(texels, shape, layer, matrix);
        readbacks[layer % 2].release();
    }
}

}  // namespace glycine::bounds::gl
