#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/picture/heat_map.hpp"

/// What pictures of subjects and of groups have in common.
namespace glycine::crossapen {

/// Panels side by side so that `count` of them fill a page well.
std::size_t panelsPerRow(std::size_t count);
/// Pixels a side of a plot: smaller, the more panels are side by side.
std::size_t plotSide(std::size_t perRow, std::size_t channels);

/// The scale of some matrices: the extent of their finite values, of those of pairs of different channels if
/// there are any.
class EntropyScale {
  public:
    explicit EntropyScale(picture::ColorRange range = {}) : range_(std::move(range)) {}
    void add(const Matrix<double>& values);
    /// Sets the ends of the scale, and notes below it what `label` the colours show; nothing but 0 … 1
    /// without values.
    picture::HeatMapScale heatMapScale(const std::string& label) const;

  private:
    picture::ColorRange range_;
    std::vector<double> pairs_, others_;
};

/// A matrix of channels × channels.
picture::HeatMapPanel pairPanel(std::string title, MatrixView<const double> values,
                                const std::vector<std::string>& channels, std::size_t plotSide);

/// A page of pairs, and one of single channels: one plot with a row of `rowLabel` for each of `rows`.
picture::HeatMapPage pairPage(const std::string& title, const std::string& footer, std::size_t plotSide);
picture::HeatMapPage channelPage(const std::string& title, const std::string& footer, std::string rowLabel);
/// The only panel of a page of single channels.
picture::HeatMapPanel channelPanel(std::string title, const Matrix<double>& values,
                                   const std::vector<std::string>& rows,
                                   const std::vector<std::string>& channels);

}  // namespace glycine::crossapen
