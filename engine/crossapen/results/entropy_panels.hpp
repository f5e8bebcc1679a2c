#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/picture/heat_map.hpp"

/// Common parts of the pictures of subjects and of groups.
namespace glycine::crossapen {

/// Number of panels per row so that `count` panels fill a page well.
std::size_t panelsPerRow(std::size_t count);
/// Side of a plot in pixels. More panels per row make it smaller.
std::size_t plotSide(std::size_t perRow, std::size_t channels);

/// The colour scale of some matrices: the range of their finite values for pairs of different channels, or of
/// all finite values if there are no such pairs.
class EntropyScale {
  public:
    explicit EntropyScale(picture::ColorRange range = {}) : range_(std::move(range)) {}
    void add(const Matrix<double>& values);
    /// Sets the ends of the scale and the notes below it, among them `label`. Without values the scale is 0 …
    /// 1.
    picture::HeatMapScale heatMapScale(const std::string& label) const;

  private:
    picture::ColorRange range_;
    std::vector<double> pairs_, others_;
};

/// A panel with a channels × channels matrix.
picture::HeatMapPanel pairPanel(std::string title, MatrixView<const double> values,
                                const std::vector<std::string>& channels, std::size_t plotSide);

/// Pages for pairs, and for single channels: one plot with a line for each of `rows`, titled `rowLabel`.
picture::HeatMapPage pairPage(const std::string& title, const std::string& footer, std::size_t plotSide);
picture::HeatMapPage channelPage(const std::string& title, const std::string& footer, std::string rowLabel);
/// The only panel of a page of single channels.
picture::HeatMapPanel channelPanel(std::string title, const Matrix<double>& values,
                                   const std::vector<std::string>& rows,
                                   const std::vector<std::string>& channels);

}  // namespace glycine::crossapen
