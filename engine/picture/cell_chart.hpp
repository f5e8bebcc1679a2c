#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

/// A table of few kinds of cells, each with a sign, a shade and a colour: who agrees with whom.
namespace glycine::picture {

enum class CellKind {
    Equal,   ///< dark, white sign
    Near,    ///< of middle lightness
    Wrong,   ///< white with a thick border, bold sign
    Absent,  ///< pale
};

struct ChartCell {
    CellKind kind = CellKind::Absent;
    std::string sign{};  ///< a few characters
};

struct CellChartOptions {
    std::string title{};
    /// What the kinds mean, in the order of the key; those without a cell are left out.
    std::vector<std::pair<ChartCell, std::string>> key{};
    std::vector<std::string> footer{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically: a row of cells for each of `rows`, as many cells as
/// `columns`, whose names run upwards. Throws UsageError without rows or columns; Error with path and cause
/// when the file cannot be written.
void writeCellChart(const std::filesystem::path& path, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns, const std::vector<std::vector<ChartCell>>& cells,
                    const CellChartOptions& options);

}  // namespace glycine::picture
