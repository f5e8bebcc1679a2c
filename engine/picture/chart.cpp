#include "engine/picture/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kTitleHeight = 40;
constexpr double kFooterLine = 20;

// Sizes in pixels.
constexpr double kLegendHeight = 34;
constexpr double kPlotWidth = 640;
constexpr double kLabelGap = 12;    ///< between a label and the axis
constexpr double kValueWidth = 90;  ///< right of the axis: value texts of the longest bars
constexpr double kBarHeight = 14;
constexpr double kBarGap = 3;     ///< between the bars of a group
constexpr double kGroupGap = 15;  ///< between groups
constexpr double kHeadingHeight = 30;
constexpr double kSwatch = 12;
constexpr double kNoteGap = 8;  ///< between the axis and text in place of a bar
constexpr double kSmallestTarget = 14;

/// An axis over whole powers of ten.
Axis axisFor(const std::vector<BarGroup>& groups, const BarChartOptions& options) {
    Axis axis{kPlotWidth, options.axisLabel};
    for (const BarGroup& group : groups)
        for (const Bar& bar : group.bars)
            if (bar.value) axis.include(*bar.value, group.label);
    if (axis.isEmpty()) throw UsageError("a bar chart without any value");
    // Give even the smallest bar some length.
    const double smallest = axis.lowest;
    axis.lowest = std::floor(smallest);
    if (smallest - axis.lowest < 0.1) --axis.lowest;
    axis.highest = std::max(axis.lowest + 1, std::ceil(axis.highest));
    for (double power = axis.lowest; power <= axis.highest; ++power)
        axis.ticks.push_back(std::pow(10.0, power));
    axis.text = [&options](double tick) {
        return options.tickText(static_cast<int>(std::lround(std::log10(tick))));
    };
    return axis;
}

double groupHeight(const BarGroup& group) {
    const auto bars =
        std::ranges::count_if(group.bars, [](const Bar& bar) { return bar.value || !bar.note.empty(); });
    return static_cast<double>(std::max<std::ptrdiff_t>(bars, 1)) * (kBarHeight + kBarGap) - kBarGap;
}

void drawLegend(Canvas& canvas, Point place, const std::vector<BarSeries>& all) {
    for (const BarSeries& series : all) {
        canvas.fill({place.x, place.y, kSwatch, kSwatch}, series.color);
        place.x += kSwatch + 7;
        canvas.text({place.x, place.y + 10.5}, series.name, kLabelStyle);
        place.x = std::ceil(place.x + textLength(series.name, kLabelStyle)) + 26;
    }
}

/// Draws a line with end marks from `low` to `high` over the middle of a bar, in ink with a white edge, so
/// that it is visible on any colour.
void drawRange(Canvas& canvas, double low, double high, double barY) {
    const double middle = barY + kBarHeight / 2;
    for (const auto& [color, width] : {std::pair(kBackground, 3.5), std::pair(kInk, 1.5)}) {
        const Point line[] = {{low, middle}, {high, middle}};
        canvas.line(line, color, width);
        for (const double x : {low, high}) {
            const Point end[] = {{x, middle - 4}, {x, middle + 4}};
            canvas.line(end, color, width);
        }
    }
}

/// A box around a point that a pointer can hit.
Box around(Point point) {
    return {point.x - kSmallestTarget / 2, point.y - kSmallestTarget / 2, kSmallestTarget, kSmallestTarget};
}

/// Draws text on a white background that covers the grid lines.
void drawOverGrid(Canvas& canvas, Point place, const std::string& text, const TextStyle& style) {
    constexpr double kPadding = 3;
    canvas.fill(
        {place.x - kPadding, std::floor(place.y - style.capitalHeight()) - kPadding,
         std::ceil(textLength(text, style)) + 2 * kPadding, std::ceil(style.capitalHeight()) + 2 * kPadding},
        kBackground);
    canvas.text(place, text, style);
}

// Sizes in pixels.
constexpr double kStepWidth = 150;
constexpr double kCascadeHeight = 340;
constexpr double kLeft = 84;
constexpr double kKeyGap = 24;
constexpr double kKeyLine = 34;
constexpr double kKeyRow = 22;
constexpr double kSign = 9;

void requireShares(const std::vector<CascadeSeries>& series) {
    if (series.empty() || series.front().efficiencies.empty())
        throw UsageError("a cascade plot without any platform");
    for (const CascadeSeries& one : series) {
        if (one.efficiencies.size() != series.front().efficiencies.size())
            throw UsageError("a cascade plot of different numbers of platforms: " + one.name);
        for (const double efficiency : one.efficiencies)
            if (!(efficiency >= 0 && efficiency <= 1))
                throw UsageError("an efficiency that is not within 0 … 1: " + one.name);
    }
}

/// The harmonic mean of the first k, for each k; 0 from the first 0 on.
std::vector<double> runningMeans(const std::vector<double>& descending) {
    std::vector<double> means;
    double inverses = 0;
    for (const double efficiency : descending) {
        inverses += efficiency > 0 ? 1 / efficiency : INFINITY;
        means.push_back(static_cast<double>(means.size() + 1) / inverses);
    }
    return means;
}

// Sizes in pixels.
constexpr double kCellHeight = 26;
constexpr double kNarrowest = 34;
constexpr double kCellPadding = 8;
constexpr double kNameGap = 10;
constexpr double kKeyPitch = 24;

// Colours with very different lightness (L* 38, 78, 100, 95), so that they also differ in grey print.
constexpr Color kEqualColor{0, 96, 116};
constexpr Color kNearColor{240, 188, 96};
constexpr Color kAbsentColor{240, 240, 243};
constexpr Color kWrongColor{176, 0, 32};

void drawCell(Canvas& canvas, const Box& box, const ChartCell& cell) {
    Color shade = kBackground;
    TextStyle style = kSmallStyle.anchored(TextAnchor::Middle);
    switch (cell.kind) {
        case CellKind::Equal:
            shade = kEqualColor;
            style.color = kBackground;
            break;
        case CellKind::Near:
            shade = kNearColor;
            break;
        case CellKind::Absent:
            shade = kAbsentColor;
            style.color = kFaintInk;
            break;
        case CellKind::Wrong:
            style.color = kWrongColor;
            style.isBold = true;
            break;
    }
    const Box inner{box.x + 1, box.y + 1, box.width - 2, box.height - 2};
    canvas.fill(inner, cell.kind == CellKind::Wrong ? kWrongColor : shade);
    if (cell.kind == CellKind::Wrong)
        canvas.fill({inner.x + 3, inner.y + 3, inner.width - 6, inner.height - 6}, kBackground);
    canvas.text({box.x + box.width / 2, box.y + box.height / 2 + style.capitalHeight() / 2}, cell.sign,
                style);
}

// Sizes in pixels.
constexpr double kLinePlotWidth = 620;
constexpr double kPlotHeight = 460;
constexpr double kPanelWidth = 330;  ///< of one of several plots
constexpr double kPanelHeight = 250;
constexpr double kPlotsApart = 16;
constexpr double kHeadingGap = 10;
constexpr double kPublishedDash = 5;
constexpr double kAxisLabelRoom = 26;  ///< for the name of the y axis
constexpr double kLegendGap = 24;
constexpr double kLegendPitch = 22;
constexpr double kKeyWidth = 34;
constexpr double kMarker = 9;
constexpr double kLineWidth = 2;
constexpr double kAir = 0.03;  ///< around the points, as a fraction of the axis

/// Adds a margin around the values, even around a single one. Sets ticks at powers of ten if the axis holds
/// three or more of them, otherwise at 1, 2 and 5 times powers of ten. A linear axis begins at 0 and has some
/// five round ticks.
void finish(Axis& axis) {
    const double extent = axis.highest - axis.lowest;
    if (axis.isLinear) {
        const double step = niceStep(extent > 0 ? extent : 1, 5);
        axis.highest += extent > 0 ? kAir * extent : 1;
        if (axis.ticks.empty())
            for (int k = 0; k * step <= axis.highest; ++k) axis.ticks.push_back(k * step);
        return;
    }
    const double air = std::max(kAir * extent, 0.1);
    axis.lowest -= air;
    axis.highest += air;
    if (!axis.ticks.empty()) return;
    const bool areDense = std::floor(axis.highest) - std::ceil(axis.lowest) < 2;
    for (double power = std::floor(axis.lowest); power <= axis.highest; ++power)
        for (const double mantissa : {1.0, 2.0, 5.0}) {
            if (mantissa > 1 && !areDense) continue;
            const double value = mantissa * std::pow(10, power);
            const double logarithm = std::log10(value);
            if (logarithm >= axis.lowest && logarithm <= axis.highest) axis.ticks.push_back(value);
        }
}

}  // namespace

void Axis::include(double value, const std::string& owner) {
    if (isLinear && value >= 0 && std::isfinite(value)) {
        lowest = 0;
        highest = std::max(highest, value);
        return;
    }
    if (isLinear || !(value > 0) || !std::isfinite(value))
        throw UsageError(fmt::format("a value that is {} on a {} axis: {}",
                                     isLinear ? "below 0" : "not above 0",
                                     isLinear ? "linear" : "logarithmic", owner));
    lowest = std::min(lowest, std::log10(value));
    highest = std::max(highest, std::log10(value));
}

void drawAxisBelow(Canvas& canvas, const Box& plot, const Axis& axis) {
    const TextStyle style = kSmallStyle.anchored(TextAnchor::Middle);
    const double bottom = plot.y + plot.height;
    double free = 0;
    for (const double tick : axis.ticks) {
        const double x = plot.x + std::round(axis.position(tick));
        canvas.fill({x, plot.y, 1, plot.height}, kGrid);
        canvas.fill({x, bottom, 1, kTick}, kInk);
        const std::string text = axis.text(tick);
        const double half = textLength(text, style) / 2;
        if (x - half < free) continue;
        canvas.text({x + 0.5, bottom + kTick + 15}, text, style);
        free = x + half + kTextGap;
    }
    canvas.text({plot.x + plot.width / 2, bottom + 42}, axis.label, kLabelStyle.anchored(TextAnchor::Middle));
}

Marker seriesMarker(std::size_t k) {
    constexpr Marker kMarkers[] = {Marker::Disc,    Marker::Square, Marker::Triangle,
                                   Marker::Diamond, Marker::Cross,  Marker::Wedge};
    return kMarkers[k % std::size(kMarkers)];
}

double seriesDash(std::size_t k) {
    constexpr double kDashes[] = {0, 7, 2.5};
    return kDashes[k / 6 % std::size(kDashes)];
}

void drawAxisLeft(Canvas& canvas, const Box& plot, const Axis& axis, double labelX) {
    for (const double tick : axis.ticks) {
        const double y = plot.y + plot.height - 1 - std::round(axis.position(tick));
        canvas.fill({plot.x, y, plot.width, 1}, kGrid);
        canvas.fill({plot.x - 1 - kTick, y, kTick, 1}, kInk);
        canvas.text({plot.x - 1 - kTick - kTextGap, y + 0.5 + kSmallStyle.capitalHeight() / 2},
                    axis.text(tick), kSmallStyle.anchored(TextAnchor::End));
    }
    canvas.text({labelX, plot.y + plot.height / 2}, axis.label,
                kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
}

ChartPage::ChartPage(std::string title, std::vector<std::string> footer)
    : title_(std::move(title)), footer_(std::move(footer)) {
    makeRoom(kMargin, title_, kTitleStyle);
    for (const std::string& line : footer_) makeRoom(kMargin, line, kNoteStyle);
}

double ChartPage::top() const {
    return kMargin + (title_.empty() ? 0 : kTitleHeight);
}

void ChartPage::makeRoom(double x, const std::string& text, const TextStyle& style) {
    width_ = std::max(width_, x + textLength(text, style) + kMargin);
}

Canvas& ChartPage::open(const std::filesystem::path& path, double right, double bottom) {
    bottom_ = bottom;
    canvas_ = openCanvas(path, std::ceil(std::max(width_, right)),
                         bottom + static_cast<double>(footer_.size()) * kFooterLine + kMargin / 2);
    canvas_->text({kMargin, kMargin + 14}, title_, kTitleStyle);
    return *canvas_;
}

void ChartPage::save() {
    Point place{kMargin, bottom_ + 12};
    for (const std::string& line : footer_) {
        canvas_->text(place, line, kNoteStyle);
        place.y += kFooterLine;
    }
    canvas_->save();
}

void writeBarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                   const std::vector<BarGroup>& groups, const BarChartOptions& options) {
    const Axis axis = axisFor(groups, options);
    ChartPage page(options.title, options.footer);
    double labels = 0;
    double height = std::floor(kGroupGap / 2);
    for (const BarGroup& group : groups) {
        labels = std::max(labels, textLength(group.label, kLabelStyle));
        height += groupHeight(group) + kGroupGap + (group.heading.empty() ? 0 : kHeadingHeight);
    }
    const Box plot{ChartPage::kMargin + std::ceil(labels) + kLabelGap, page.top() + kLegendHeight, kPlotWidth,
                   height};
    for (const BarGroup& group : groups) {
        page.makeRoom(plot.x + kNoteGap, group.heading, kHeadingStyle);
        for (const Bar& bar : group.bars)
            if (!bar.value) page.makeRoom(plot.x + kNoteGap, bar.note, kNoteStyle);
    }
    Canvas& canvas = page.open(path, plot.x + kPlotWidth + kValueWidth, plot.y + plot.height + kAxisHeight);
    drawLegend(canvas, {plot.x, page.top() + 4}, series);
    drawAxisBelow(canvas, plot, axis);
    canvas.fill({plot.x, plot.y, 1, plot.height}, kInk);
    canvas.fill({plot.x, plot.y + plot.height, plot.width + 1, 1}, kInk);

    double y = plot.y;
    for (const BarGroup& group : groups) {
        if (!group.heading.empty()) {
            drawOverGrid(canvas, {plot.x + kNoteGap, y + 18}, group.heading, kHeadingStyle);
            y += kHeadingHeight;
        }
        canvas.text({plot.x - kLabelGap, y + groupHeight(group) / 2 + kLabelStyle.capitalHeight() / 2},
                    group.label, kLabelStyle.anchored(TextAnchor::End));
        double barY = y;
        for (std::size_t b = 0; b < group.bars.size(); ++b) {
            const Bar& bar = group.bars[b];
            if (!bar.value && bar.note.empty()) continue;
            if (bar.value) {
                const double length = std::round(axis.position(*bar.value));
                canvas.fill({plot.x + 1, barY, length, kBarHeight}, series[b].color);
                if (bar.isHollow)
                    canvas.fill({plot.x + 2, barY + 1, std::max(length - 2, 0.0), kBarHeight - 2},
                                kBackground);
                double end = length;
                if (bar.range) {
                    const double low = axis.position(std::max(bar.range->low, axis.ticks.front()));
                    const double high = axis.position(std::min(bar.range->high, axis.ticks.back()));
                    drawRange(canvas, plot.x + 1 + low, plot.x + 1 + high, barY);
                    end = std::max(end, std::round(high));
                }
                drawOverGrid(canvas, {plot.x + end + 7, barY + 11}, options.valueText(*bar.value),
                             kSmallStyle);
                std::string text =
                    fmt::format("{}, {}: {}", group.label, series[b].name, options.valueText(*bar.value));
                if (bar.range)
                    text += fmt::format(" ({} … {})", options.valueText(bar.range->low),
                                        options.valueText(bar.range->high));
                canvas.value({plot.x + 1, barY, std::max(end, kSmallestTarget), kBarHeight}, text);
            } else {
                drawOverGrid(canvas, {plot.x + kNoteGap, barY + 11}, bar.note, kNoteStyle);
            }
            barY += kBarHeight + kBarGap;
        }
        y += groupHeight(group) + kGroupGap;
    }
    page.save();
}

void writeShareChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                     const std::vector<ShareBar>& bars, const BarChartOptions& options) {
    constexpr double kRounding = 1e-9;
    constexpr int kSteps = 4;
    if (std::ranges::all_of(bars, [](const ShareBar& bar) { return bar.parts.empty(); }))
        throw UsageError("a chart of shares without any");
    ChartPage page(options.title, options.footer);
    double labels = 0, keys = 0;
    for (const BarSeries& one : series)
        keys += kSwatch + 7 + std::ceil(textLength(one.name, kLabelStyle)) + 26;
    for (const ShareBar& bar : bars) {
        double sum = 0;
        for (const double part : bar.parts) sum += part >= 0 ? part : 2;
        if ((!bar.parts.empty() && bar.parts.size() != series.size()) || !(sum <= 1 + kRounding))
            throw UsageError("parts that are no shares of one whole: " + bar.label);
        labels = std::max(labels, textLength(bar.label, kLabelStyle));
    }
    const double pitch = kBarHeight + kGroupGap;
    const Box plot{ChartPage::kMargin + std::ceil(labels) + kLabelGap, page.top() + kLegendHeight, kPlotWidth,
                   static_cast<double>(bars.size()) * pitch};
    for (const ShareBar& bar : bars)
        if (bar.parts.empty()) page.makeRoom(plot.x + kNoteGap, bar.note, kNoteStyle);
    Canvas& canvas = page.open(path, plot.x + std::max(kPlotWidth + kValueWidth, keys),
                               plot.y + plot.height + kAxisHeight);
    drawLegend(canvas, {plot.x, page.top() + 4}, series);
    Axis axis{kPlotWidth, options.axisLabel};
    axis.isLinear = true;
    axis.lowest = 0, axis.highest = 1;
    for (int step = 0; step <= kSteps; ++step) axis.ticks.push_back(double(step) / kSteps);
    axis.text = [](double tick) { return fmt::format("{:.0f} %", 100 * tick); };
    drawAxisBelow(canvas, plot, axis);
    double y = plot.y + kGroupGap / 2;
    for (const ShareBar& bar : bars) {
        canvas.text({plot.x - kLabelGap, y + kBarHeight / 2 + kLabelStyle.capitalHeight() / 2}, bar.label,
                    kLabelStyle.anchored(TextAnchor::End));
        if (bar.parts.empty()) {
            drawOverGrid(canvas, {plot.x + kNoteGap, y + 11}, bar.note, kNoteStyle);
        } else {
            double sum = 0;
            for (std::size_t part = 0; part < bar.parts.size(); ++part) {
                const double begin = std::round(sum * kPlotWidth);
                sum += bar.parts[part];
                const double end = std::round(sum * kPlotWidth);
                if (end <= begin) continue;
                canvas.fill({plot.x + begin, y, end - begin, kBarHeight}, series[part].color);
                canvas.value({plot.x + begin, y, end - begin, kBarHeight},
                             fmt::format("{}, {}: {} of {}", bar.label, series[part].name,
                                         formatShare(bar.parts[part], 1), bar.text));
            }
            canvas.text({plot.x + kPlotWidth + 7, y + 11}, bar.text, kSmallStyle);
        }
        y += pitch;
    }
    page.save();
}

void writeCascadeChart(const std::filesystem::path& path, const std::vector<CascadeSeries>& series,
                       const CascadeOptions& options) {
    requireShares(series);
    const std::size_t platforms = series.front().efficiencies.size();
    ChartPage page(options.title, options.footer);
    // Leave half a step free on both sides.
    const Box plot{kLeft, page.top(), kStepWidth * static_cast<double>(std::max<std::size_t>(platforms, 2)),
                   kCascadeHeight};
    const auto place = [&](std::size_t platform, double share) {
        const double step = plot.width / static_cast<double>(platforms);
        return Point{plot.x + (static_cast<double>(platform) + 0.5) * step,
                     plot.y + plot.height * (1 - 0.94 * share) - 10};
    };
    const double keyX = plot.x + plot.width + kKeyGap;
    const auto nameOf = [](const CascadeSeries& one) {
        return fmt::format("{}  {:.2f}", one.name, one.portability);
    };
    for (const CascadeSeries& one : series) page.makeRoom(keyX + kKeyLine, nameOf(one), kLabelStyle);
    Canvas& canvas =
        page.open(path, keyX,
                  plot.y + std::max(plot.height + kAxisHeight, static_cast<double>(series.size()) * kKeyRow));
    for (int tenth = 0; tenth <= 10; tenth += 2) {
        const double y = std::round(place(0, tenth / 10.0).y);
        canvas.fill({plot.x, y, plot.width, 1}, kGrid);
        canvas.text({plot.x - kTextGap, y + kSmallStyle.capitalHeight() / 2}, fmt::format("{} %", 10 * tenth),
                    kSmallStyle.anchored(TextAnchor::End));
    }
    for (std::size_t p = 0; p < platforms; ++p)
        canvas.text({place(p, 0).x, plot.y + plot.height + kTick + 15}, fmt::format("{}", p + 1),
                    kSmallStyle.anchored(TextAnchor::Middle));
    canvas.text({plot.x + plot.width / 2, plot.y + plot.height + 42},
                "platforms, each application's best one first", kLabelStyle.anchored(TextAnchor::Middle));
    canvas.text({ChartPage::kMargin + 10, plot.y + plot.height / 2}, options.yLabel,
                kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
    canvas.frame(plot, kInk);

    Point key{keyX, plot.y + 10};
    for (std::size_t k = 0; k < series.size(); ++k) {
        std::vector<double> descending = series[k].efficiencies;
        std::ranges::sort(descending, std::greater<>());
        const std::vector<double> means = runningMeans(descending);
        std::vector<Point> efficiencies, portabilities;
        for (std::size_t p = 0; p < platforms; ++p) {
            efficiencies.push_back(place(p, descending[p]));
            portabilities.push_back(place(p, means[p]));
        }
        if (platforms > 1) {
            canvas.line(efficiencies, seriesColor(k), 2);
            canvas.line(portabilities, seriesColor(k), 1.5, 4);
        }
        for (std::size_t p = 0; p < platforms; ++p) {
            canvas.marker(seriesMarker(k), efficiencies[p], kSign, seriesColor(k));
            canvas.value(
                around(efficiencies[p]),
                fmt::format("{}, platform {}: efficiency {}, harmonic mean so far {}", series[k].name, p + 1,
                            formatShare(descending[p], 1), formatShare(means[p], 1)));
        }
        const Point line[] = {key, {key.x + kKeyLine - 8, key.y}};
        canvas.line(line, seriesColor(k), 2);
        canvas.marker(seriesMarker(k), {(line[0].x + line[1].x) / 2, key.y}, kSign, seriesColor(k));
        canvas.text({key.x + kKeyLine, key.y + kLabelStyle.capitalHeight() / 2}, nameOf(series[k]),
                    kLabelStyle);
        key.y += kKeyRow;
    }
    page.save();
}

void writeCellChart(const std::filesystem::path& path, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns, const std::vector<std::vector<ChartCell>>& cells,
                    const CellChartOptions& options) {
    if (rows.empty() || columns.empty()) throw UsageError("a table of cells without any");
    double rowNames = 0, columnNames = 0, width = kNarrowest;
    for (const std::string& name : rows) rowNames = std::max(rowNames, textLength(name, kLabelStyle));
    for (const std::string& name : columns)
        columnNames = std::max(columnNames, textLength(name, kLabelStyle));
    for (const auto& row : cells)
        for (const ChartCell& cell : row)
            width = std::max(width, textLength(cell.sign, kSmallStyle) + 2 * kCellPadding);
    width = std::ceil(width);

    ChartPage page(options.title, options.footer);
    const Point corner{ChartPage::kMargin + std::ceil(rowNames) + kNameGap,
                       page.top() + std::ceil(columnNames) + kNameGap};
    const double bottom = corner.y + static_cast<double>(rows.size()) * kCellHeight;
    const double keyX = ChartPage::kMargin + width + kNameGap;
    for (const auto& [cell, text] : options.key) page.makeRoom(keyX, text, kLabelStyle);
    Canvas& canvas =
        page.open(path, corner.x + static_cast<double>(columns.size()) * width + ChartPage::kMargin,
                  bottom + 18 + static_cast<double>(options.key.size()) * kKeyPitch);
    for (std::size_t c = 0; c < columns.size(); ++c)
        canvas.text({corner.x + (static_cast<double>(c) + 0.5) * width + kLabelStyle.capitalHeight() / 2,
                     corner.y - kNameGap},
                    columns[c], kLabelStyle.anchored(TextAnchor::Start, TextDirection::Up));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double y = corner.y + static_cast<double>(r) * kCellHeight;
        canvas.text({corner.x - kNameGap, y + kCellHeight / 2 + kLabelStyle.capitalHeight() / 2}, rows[r],
                    kLabelStyle.anchored(TextAnchor::End));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Box box{corner.x + static_cast<double>(c) * width, y, width, kCellHeight};
            const ChartCell& cell = cells[r][c];
            drawCell(canvas, box, cell);
            if (const std::string& value = cell.value.empty() ? cell.sign : cell.value; !value.empty())
                canvas.value(box, fmt::format("{}, {}: {}", rows[r], columns[c], value));
        }
    }
    double y = bottom + 14;
    for (const auto& [cell, text] : options.key) {
        drawCell(canvas, {ChartPage::kMargin, y, width, kKeyPitch}, cell);
        canvas.text({keyX, y + kKeyPitch / 2 + kLabelStyle.capitalHeight() / 2}, text, kLabelStyle);
        y += kKeyPitch;
    }
    page.save();
}

void writeLineChart(const std::filesystem::path& path, const std::vector<LineSeries>& series,
                    const LineChartOptions& options) {
    writeLinePanels(path, {LinePanel{.xLabel = options.xLabel, .xTicks = options.xTicks, .series = series}},
                    options);
}

void writeLinePanels(const std::filesystem::path& path, std::vector<LinePanel> panels,
                     const LineChartOptions& options) {
    std::erase_if(panels, [](const LinePanel& panel) {
        return std::ranges::all_of(panel.series, [](const LineSeries& line) { return line.points.empty(); });
    });
    if (panels.empty()) throw UsageError("a line chart without any point");
    const bool isAlone = panels.size() == 1;
    const std::size_t columns = panels.size() == 3 ? 3 : std::min<std::size_t>(panels.size(), 2);
    std::vector<Axis> xs, ys;
    for (const LinePanel& panel : panels) {
        Axis& x = xs.emplace_back(
            Axis{isAlone ? kLinePlotWidth : kPanelWidth, panel.xLabel, options.xText, options.isLinear});
        Axis& y = ys.emplace_back(
            Axis{isAlone ? kPlotHeight : kPanelHeight, options.yLabel, options.yText, options.isLinear});
        for (const LineSeries& line : panel.series) {
            for (const Point& point : line.points) {
                x.include(point.x, line.name);
                y.include(point.y, line.name);
            }
            for (const ValueRange& range : line.ranges) {
                y.include(range.low, line.name);
                y.include(range.high, line.name);
            }
        }
        x.ticks = panel.xTicks;
        finish(x);
    }
    const double lowest = std::ranges::min(ys, {}, &Axis::lowest).lowest;
    const double highest = std::ranges::max(ys, {}, &Axis::highest).highest;
    double yTexts = 0;
    for (Axis& y : ys) {
        if (!options.isLinear) y.lowest = lowest, y.highest = highest;
        finish(y);
        for (const double tick : y.ticks) yTexts = std::max(yTexts, textLength(y.text(tick), kSmallStyle));
    }

    ChartPage page(options.title, options.footer);
    const double left = ChartPage::kMargin + kAxisLabelRoom + std::ceil(yTexts) + kTick + kTextGap;
    const double headingRoom =
        std::ranges::any_of(panels, [](const LinePanel& panel) { return !panel.heading.empty(); })
            ? kHeadingHeight
            : 0;
    const double pitchX = left - ChartPage::kMargin + xs.front().length + kPlotsApart;
    const double pitchY = headingRoom + ys.front().length + kAxisHeight;
    const auto plotOf = [&](std::size_t p) {
        return Box{left + static_cast<double>(p % columns) * pitchX,
                   page.top() + headingRoom + static_cast<double>(p / columns) * pitchY, xs[p].length,
                   ys[p].length};
    };
    std::vector<std::pair<const LineSeries*, std::size_t>> legend;  // with the look
    const auto lookOf = [](const LinePanel& panel, std::size_t k) {
        return panel.series[k].look.value_or(k);
    };
    for (const LinePanel& panel : panels)
        for (std::size_t k = 0; k < panel.series.size(); ++k)
            if (!panel.series[k].points.empty() && std::ranges::none_of(legend, [&](const auto& entry) {
                    return entry.first->name == panel.series[k].name;
                }))
                legend.emplace_back(&panel.series[k], lookOf(panel, k));
    const double legendX = plotOf(columns - 1).x + xs.front().length + kLegendGap;
    for (const auto& [line, look] : legend) page.makeRoom(legendX + kKeyWidth, line->name, kLabelStyle);
    const auto rows = static_cast<double>((panels.size() + columns - 1) / columns);
    Canvas& canvas =
        page.open(path, legendX,
                  page.top() + std::max(rows * pitchY, static_cast<double>(legend.size()) * kLegendPitch));
    const auto dashOf = [](const LineSeries& line, std::size_t look) {
        return line.isDashed ? kPublishedDash : seriesDash(look);
    };
    for (std::size_t p = 0; p < panels.size(); ++p) {
        const Box plot = plotOf(p);
        canvas.text({plot.x, plot.y - kHeadingGap}, panels[p].heading, kHeadingStyle);
        drawAxisBelow(canvas, plot, xs[p]);
        drawAxisLeft(canvas, plot, ys[p], plot.x - left + ChartPage::kMargin + 10);
        canvas.frame(plot, kInk);
        for (std::size_t k = 0; k < panels[p].series.size(); ++k) {
            const LineSeries& line = panels[p].series[k];
            const std::size_t look = lookOf(panels[p], k);
            const auto heightOf = [&](double value) { return plot.y + plot.height - ys[p].position(value); };
            std::vector<Point> places;
            for (const Point& point : line.points)
                places.push_back({plot.x + xs[p].position(point.x), heightOf(point.y)});
            if (places.size() > 1) canvas.line(places, seriesColor(look), kLineWidth, dashOf(line, look));
            for (std::size_t i = 0; i < std::min(places.size(), line.ranges.size()); ++i) {
                const Point bar[] = {{places[i].x, heightOf(line.ranges[i].low)},
                                     {places[i].x, heightOf(line.ranges[i].high)}};
                canvas.line(bar, seriesColor(look), kLineWidth);
            }
            for (std::size_t i = 0; i < places.size(); ++i) {
                const Point& point = line.points[i];
                canvas.marker(seriesMarker(look), places[i], kMarker, seriesColor(look));
                if (i < line.isHollow.size() && line.isHollow[i])
                    canvas.marker(seriesMarker(look), places[i], kMarker / 2, kBackground);
                std::string text = fmt::format("{}; {}: {}; {}", line.name, panels[p].xLabel,
                                               options.xText(point.x), options.yText(point.y));
                if (i < line.ranges.size())
                    text += fmt::format(" ({} … {})", options.yText(line.ranges[i].low),
                                        options.yText(line.ranges[i].high));
                canvas.value(around(places[i]), text);
            }
        }
    }
    Point key{legendX, plotOf(0).y + 10};
    for (const auto& [line, look] : legend) {
        const Point stroke[] = {key, {key.x + kKeyWidth - 8, key.y}};
        canvas.line(stroke, seriesColor(look), kLineWidth, dashOf(*line, look));
        canvas.marker(seriesMarker(look), {(stroke[0].x + stroke[1].x) / 2, key.y}, kMarker,
                      seriesColor(look));
        canvas.text({key.x + kKeyWidth, key.y + kLabelStyle.capitalHeight() / 2}, line->name, kLabelStyle);
        key.y += kLegendPitch;
    }
    page.save();
}

}  // namespace glycine::picture
