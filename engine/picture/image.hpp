#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "engine/picture/color_map.hpp"

namespace glycine::io {

/// A picture in memory, 8-bit sRGB; (0, 0) is the upper left pixel.
class Image {
  public:
    Image(std::size_t width, std::size_t height, Color background)
        : width_(width), height_(height), pixels_(width * height, background) {}

    std::size_t width() const { return width_; }
    std::size_t height() const { return height_; }
    Color& at(std::size_t x, std::size_t y) { return pixels_[y * width_ + x]; }
    const Color& at(std::size_t x, std::size_t y) const { return pixels_[y * width_ + x]; }
    const Color* data() const { return pixels_.data(); }

    /// Fills a rectangle; what lies outside the picture is left out.
    void fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Color color);
    /// Draws a border of one pixel around the rectangle, outside of it. The rectangle does not touch the
    /// picture's edge.
    void frame(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Color color);
    /// Mixes `color` into a pixel; `coverage` is 0 … 1. Outside the picture nothing happens.
    void blend(std::ptrdiff_t x, std::ptrdiff_t y, Color color, double coverage);

  private:
    std::size_t width_;
    std::size_t height_;
    std::vector<Color> pixels_;
};

/// Writes a PNG file, atomically. Throws Error with path and cause.
void writePng(const std::filesystem::path& path, const Image& image);

}  // namespace glycine::io
