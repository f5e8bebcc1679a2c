#include "engine/picture/cell_chart.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kCellHeight = 26;
constexpr double kNarrowest = 34;
constexpr double kCellPadding = 8;
constexpr double kNameGap = 10;
constexpr double kKeyPitch = 24;

// Of very different lightness (L* 38, 78, 100, 95): they differ on paper, too.
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

}  // namespace

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
        for (std::size_t c = 0; c < columns.size(); ++c)
            drawCell(canvas, {corner.x + static_cast<double>(c) * width, y, width, kCellHeight}, cells[r][c]);
    }
    double y = bottom + 14;
    for (const auto& [cell, text] : options.key) {
        drawCell(canvas, {ChartPage::kMargin, y, width, kKeyPitch}, cell);
        canvas.text({keyX, y + kKeyPitch / 2 + kLabelStyle.capitalHeight() / 2}, text, kLabelStyle);
        y += kKeyPitch;
    }
    page.save();
}

}  // namespace glycine::picture
