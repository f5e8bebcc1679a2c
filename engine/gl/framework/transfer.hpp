#pragma once

#include <cstddef>

#include "engine/core/matrix.hpp"
#include "engine/gl/framework/ping_pong.hpp"
#include "engine/gl/framework/readback.hpp"

namespace glycine::gl {

/// The one-channel and the four-channel format for elements of type T.
template <class T>
inline constexpr TextureFormat kScalarFormat = TextureFormat::R32F;
template <>
inline constexpr TextureFormat kScalarFormat<std::int32_t> = TextureFormat::R32I;
template <class T>
inline constexpr TextureFormat kPackedFormat = TextureFormat::RGBA32F;
template <>
inline constexpr TextureFormat kPackedFormat<std::int32_t> = TextureFormat::RGBA32I;

/// T is the number type of the format. Reads one layer of a render target band by band through two pixel
/// buffers, so that one band travels while `consume(firstRow, rows, texels)` works on the one before.
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
