#pragma once

#include <filesystem>
#include <vector>

#include "engine/io/text/json_forward.hpp"
#include "engine/study/published.hpp"
#include "engine/study/reports/document.hpp"

/// Charts of published figures as the publications draw them (PublishedFigure::charts), the printed values
/// next to the measured ones. They are drawn from the JSON of a report (ReproductionReport::toJson), which an
/// earlier version may have written.
namespace glycine::study {

/// Draws each chart of the figure as an SVG file into the folder, which must exist. Omits charts without a
/// value. Throws std::logic_error if a chart names no row of the figure.
std::vector<DocumentChart> figureCharts(const PublishedFigure& figure, const Json& report,
                                        const std::filesystem::path& folder);

/// Draws the figure's first chart as a PNG, SVG or PDF file. Returns why there is nothing to draw, and writes
/// nothing then; empty: the chart was drawn. Throws as figureCharts does.
std::string drawFirstChart(const PublishedFigure& figure, const Json& report,
                           const std::filesystem::path& path);

}  // namespace glycine::study
