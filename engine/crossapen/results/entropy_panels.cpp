#include "engine/crossapen/results/entropy_panels.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace glycine::crossapen {

namespace {

constexpr std::size_t kPageWidth = 1800;        ///< pixels of all plots of a row together, approximately
constexpr std::size_t kChannelPlotSide = 1000;  ///< of the long plot for single channels
constexpr std::size_t kChannelCell = 24;        ///< pixels per side, at most

}  // namespace

std::size_t panelsPerRow(std::size_t count) {
    constexpr double kAspect = 1.4;
    return static_cast<std::size_t>(std::ceil(std::sqrt(kAspect * static_cast<double>(count)) - 0.3));
}

std::size_t plotSide(std::size_t perRow, std::size_t channels) {
    constexpr std::size_t kSmallest = 64;
    constexpr std::size_t kUsual = 560;
    constexpr std::size_t kLarge = 720;  // so that the names of some 80 channels fit
    constexpr std::size_t kManyChannels = 60;
    if (perRow == 1) return channels > kManyChannels ? kLarge : kUsual;
    return std::clamp(kPageWidth / perRow, kSmallest, kUsual);
}

void EntropyScale::add(const Matrix<double>& values) {
    const bool isPairwise = values.rows() == values.columns();
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t j = 0; j < values.columns(); ++j)
            if (std::isfinite(values(i, j)))
                (isPairwise && i != j ? pairs_ : others_).push_back(values(i, j));
}

picture::HeatMapScale EntropyScale::heatMapScale(const std::string& label) const {
    picture::HeatMapScale scale;
    scale.roundScale = !range_.isGiven();
    scale.notes = {label};
    if (!pairs_.empty()) scale.notes.emplace_back("scale: off the diagonal");
    if (range_.isRobust) scale.notes.emplace_back("from the 2nd to the 98th percentile");
    std::tie(scale.minimum, scale.maximum) = range_.endsOf(pairs_.empty() ? others_ : pairs_);
    return scale;
}

picture::HeatMapPanel pairPanel(std::string title, MatrixView<const double> values,
                                const std::vector<std::string>& channels, std::size_t plotSide) {
    picture::HeatMapPanel panel =
        picture::makeHeatMapPanel(std::move(title), values, plotSide, picture::InfiniteElements::Kept);
    panel.rowNames = channels;
    panel.columnNames = channels;
    return panel;
}

picture::HeatMapPage pairPage(const std::string& title, const std::string& footer, std::size_t plotSide) {
    return {.title = title,
            .footer = footer,
            .rowLabel = "templates",
            .columnLabel = "partner",
            .plotSide = plotSide,
            .sharedAxes = true};
}

picture::HeatMapPage channelPage(const std::string& title, const std::string& footer, std::string rowLabel) {
    return {.title = title,
            .footer = footer,
            .rowLabel = std::move(rowLabel),
            .columnLabel = "channel",
            .plotSide = kChannelPlotSide,
            .maximumCell = kChannelCell};
}

picture::HeatMapPanel channelPanel(std::string title, const Matrix<double>& values,
                                   const std::vector<std::string>& rows,
                                   const std::vector<std::string>& channels) {
    picture::HeatMapPanel panel = picture::makeHeatMapPanel<double>(
        std::move(title), values.view(), kChannelPlotSide, picture::InfiniteElements::Kept);
    panel.rowNames = rows;
    panel.columnNames = channels;
    return panel;
}

}  // namespace glycine::crossapen
