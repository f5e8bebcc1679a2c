#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/picture/heat_map.hpp"
#include "engine/picture/style.hpp"

/// The parts of heat maps: the colours of values with the bar that explains them, and axes.
namespace glycine::picture::heat_map {

/// 1, 2 or 5 times a power of ten, so that `extent` holds about `count` steps.
double niceStep(double extent, int count);

class Scale {
  public:
    /// The scale of these panels; `wanted` must outlive it.
    Scale(std::span<const HeatMapPanel> panels, const HeatMapScale& wanted);

    /// Of a value in the pixel (x, y): infinite values have stripes.
    Color colorAt(float value, std::size_t x, std::size_t y) const;

    /// Pixels to the right of the panels that bar, labels and notes take, and the least that they take
    /// downwards.
    double legendWidth() const;
    double leastLegendHeight() const;
    /// Draws bar and notes, their upper left corner at `place`; the bar goes from the first to the last plot
    /// where that leaves room for the notes.
    void drawLegend(Canvas& canvas, Point place, double plotsHeight) const;

  private:
    Color colorOf(double value) const;
    double notesHeight() const;
    void drawBar(Canvas& canvas, const Box& bar) const;
    void drawNotes(Canvas& canvas, Point place) const;

    const HeatMapScale& wanted_;
    double minimum_ = 0;
    double maximum_ = 1;
    bool hasUnknown_ = false;
    bool hasInfinite_ = false;
};

/// Room beside plots in pixels.
struct AxisRoom {
    double left = 0;
    double below = 0;
};

/// What the axes of a plot of this size need.
AxisRoom roomForAxes(const HeatMapPanel& panel, const Box& plot);

/// Ticks with names where all of them fit, else with some of the numbers, and the name of the axis, `room`
/// away from the plot.
void drawRowAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                 const AxisRoom& room);
void drawColumnAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                    const AxisRoom& room);

}  // namespace glycine::picture::heat_map
