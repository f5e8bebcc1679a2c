#include "engine/picture/image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::io {

void Image::fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Color color) {
    for (std::size_t row = y; row < std::min(y + height, height_); ++row)
        for (std::size_t column = x; column < std::min(x + width, width_); ++column) at(column, row) = color;
}

void Image::frame(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Color color) {
    fill(x - 1, y - 1, width + 2, 1, color);
    fill(x - 1, y + height, width + 2, 1, color);
    fill(x - 1, y, 1, height, color);
    fill(x + width, y, 1, height, color);
}

void Image::blend(std::ptrdiff_t x, std::ptrdiff_t y, Color color, double coverage) {
    if (x < 0 || y < 0 || x >= static_cast<std::ptrdiff_t>(width_) ||
        y >= static_cast<std::ptrdiff_t>(height_))
        return;
    Color& pixel = at(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
    const auto mix = [coverage](std::uint8_t under, std::uint8_t over) {
        return static_cast<std::uint8_t>(std::lround(under + (over - under) * coverage));
    };
    pixel = {mix(pixel.red, color.red), mix(pixel.green, color.green), mix(pixel.blue, color.blue)};
}

void writePng(const std::filesystem::path& path, const Image& image) {
    static_assert(sizeof(Color) == 3, "libpng takes the pixels as they are");
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    description.width = static_cast<png_uint_32>(image.width());
    description.height = static_cast<png_uint_32>(image.height());
    description.format = PNG_FORMAT_RGB;
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(description);
    std::vector<std::byte> encoded(bytes);
    if (png_image_write_to_memory(&description, encoded.data(), &bytes, 0, image.data(), 0, nullptr) == 0) {
        const std::string cause = description.message;
        png_image_free(&description);
        throw Error(fmt::format("{}: cannot be encoded as PNG: {}", path.string(), cause));
    }
    AtomicFile file(path);
    file.write(encoded.data(), bytes);
    file.commit();
}

}  // namespace glycine::io
