#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/picture/heat_map.hpp"
#include "engine/picture/heat_map_style.hpp"
#include "engine/picture/image.hpp"

/// Colours of values, and the bar that explains them.
namespace glycine::io::heat_map {

class Scale {
  public:
    /// The scale of these panels; `wanted` must outlive it.
    Scale(std::span<const HeatMapPanel> panels, const HeatMapScale& wanted);

    /// Of a value in the pixel (x, y): infinite values have stripes.
    Color colorAt(float value, std::size_t x, std::size_t y) const;

    /// Pixels to the right of the panels that bar, labels and notes take, and the least that they take
    /// downwards.
    std::size_t legendWidth() const;
    std::size_t leastLegendHeight() const;
    /// Draws bar and notes; the bar goes from the first to the last plot where that leaves room for the
    /// notes.
    void drawLegend(Image& image, std::size_t x, std::size_t y, std::size_t plotsHeight) const;

  private:
    Color colorOf(double value) const;
    std::size_t notesHeight() const;
    void drawBar(Image& image, const Plot& bar) const;
    void drawNotes(Image& image, std::size_t x, std::size_t y) const;

    const HeatMapScale& wanted_;
    double minimum_ = 0;
    double maximum_ = 1;
    bool hasUnknown_ = false;
    bool hasInfinite_ = false;
};

}  // namespace glycine::io::heat_map
