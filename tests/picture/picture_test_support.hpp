#pragma once

#include <cairo/cairo.h>

#include "engine/picture/canvas.hpp"
#include "tests/test.hpp"

namespace glycine::test {

/// The pixels of a PNG file.
class Picture {
  public:
    explicit Picture(const std::filesystem::path& path) {
        const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
            cairo_image_surface_create_from_png(path.c_str()), &cairo_surface_destroy);
        if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS ||
            cairo_image_surface_get_format(surface.get()) != CAIRO_FORMAT_RGB24)
            throw std::runtime_error("not a PNG picture in RGB: " + path.string());
        width_ = static_cast<std::size_t>(cairo_image_surface_get_width(surface.get()));
        height_ = static_cast<std::size_t>(cairo_image_surface_get_height(surface.get()));
        const unsigned char* row = cairo_image_surface_get_data(surface.get());
        for (std::size_t y = 0; y < height_; ++y, row += cairo_image_surface_get_stride(surface.get()))
            for (std::size_t x = 0; x < width_; ++x) {
                std::uint32_t pixel = 0;
                std::memcpy(&pixel, row + x * sizeof pixel, sizeof pixel);
                pixels_.push_back({static_cast<std::uint8_t>(pixel >> 16),
                                   static_cast<std::uint8_t>(pixel >> 8), static_cast<std::uint8_t>(pixel)});
            }
    }

    std::size_t width() const { return width_; }
    std::size_t height() const { return height_; }
    const picture::Color& at(std::size_t x, std::size_t y) const { return pixels_[y * width_ + x]; }
    std::size_t count(picture::Color color) const {
        std::size_t found = 0;
        for (const picture::Color& pixel : pixels_) found += pixel == color ? 1 : 0;
        return found;
    }
    bool operator==(const Picture&) const = default;

  private:
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    std::vector<picture::Color> pixels_;
};

}  // namespace glycine::test
