#include "engine/alignment/results/alignment_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/alignment/results/residue_colors.hpp"
#include "engine/core/embedded_files.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::align {

namespace {

using picture::Box;
using picture::Canvas;
using picture::Color;
using picture::Point;
using picture::TextAnchor;
using picture::TextStyle;

// Sizes in pixels.
constexpr double kMargin = 24;
constexpr std::size_t kBlockColumns = 100;
constexpr double kCellWidth = 11;
constexpr double kCellHeight = 16;
constexpr double kLongestName = 240;
constexpr double kNameGap = 10;
constexpr double kRuler = 20;
constexpr double kBars = 30;      ///< height of a line of bars
constexpr double kBlockGap = 26;  ///< between blocks
constexpr double kLegend = 26;
constexpr double kTitle = 34;
constexpr double kFooter = 26;

constexpr TextStyle kLetterStyle{.size = 11};
constexpr TextStyle kNameStyle{.size = 12};
constexpr Color kBarColor{120, 120, 130};
constexpr Color kConfidenceColor{0, 114, 178};
constexpr Color kGapInk{170, 170, 176};

double nameWidth(const MultipleAlignment& alignment) {
    double width = picture::textLength("conservation", picture::kNoteStyle);
    for (const std::string& name : alignment.names)
        width = std::max(width, std::min(picture::textLength(name, kNameStyle), kLongestName));
    return std::ceil(width) + kNameGap;
}

/// The whole drawing.
class AlignmentPage {
  public:
    AlignmentPage(const MultipleAlignment& alignment, const AlignmentPicture& picture)
        : alignment_(alignment),
          picture_(picture),
          conserved_(conservation(alignment)),
          names_(nameWidth(alignment)) {
        for (std::size_t column = 0; column < alignment.columns(); ++column)
            paints_.push_back(columnPaints(alignment, column));
    }

    std::string write(const std::filesystem::path& path) {
        const std::size_t blocks = (alignment_.columns() + kBlockColumns - 1) / kBlockColumns;
        const double height =
            top() + static_cast<double>(blocks) * (blockHeight() + kBlockGap) + kFooter + kMargin;
        const bool isOnePage = height <= picture::kLargestSide;
        const double oneBlock = top() + blockHeight() + kBlockGap + kFooter + kMargin;
        if (!isOnePage && picture::hasPages(path) && oneBlock <= picture::kLargestSide) {
            writePages(path, blocks);
            return {};
        }
        if (!isOnePage) {
            writeOverview(path);
            return fmt::format(
                "{}: an overview without letters: with them it would be {:.0f} pixels high, and pictures "
                "have at most {:.0f}; .html{} has all letters",
                path.string(), height, picture::kLargestSide,
                oneBlock <= picture::kLargestSide ? " or .pdf" : "");
        }
        const double columns = static_cast<double>(std::min(alignment_.columns(), kBlockColumns));
        const auto opened = picture::openCanvas(path, widthOf(columns * kCellWidth + kLongestNumber), height);
        Canvas& canvas = *opened;
        drawHead(canvas);
        double y = top();
        for (std::size_t begin = 0; begin < alignment_.columns(); begin += kBlockColumns) {
            drawBlock(canvas, y, begin, std::min(begin + kBlockColumns, alignment_.columns()));
            y += blockHeight() + kBlockGap;
        }
        finish(canvas, height);
        return {};
    }

  private:
    static constexpr double kLongestNumber = 44;  ///< right of the rows: the number of their last residue

    bool isSure() const { return !alignment_.confidence.empty(); }
    double top() const { return kMargin + kTitle + kLegend; }
    double left() const { return kMargin + names_; }
    double rowsHeight() const { return static_cast<double>(alignment_.size()) * kCellHeight; }
    double blockHeight() const {
        return kRuler + rowsHeight() + kCellHeight + kBars + (isSure() ? kBars : 0);
    }

    /// The width of a page whose columns have this width.
    double widthOf(double columns) const {
        double legend = kMargin;
        for (const PaintMeaning& one : paintMeanings(alignment_.alphabet)) legend += legendWidth(one);
        return std::ceil(
            std::max({left() + columns + kMargin, legend + kMargin,
                      kMargin + picture::textLength(title(), picture::kTitleStyle) + kMargin,
                      kMargin + picture::textLength(picture_.footer, picture::kNoteStyle) + kMargin}));
    }

    std::string title() const {
        return fmt::format("{}: {} × {}", picture_.title, formatCount(alignment_.size(), "sequence"),
                           formatCount(alignment_.columns(), "column"));
    }

    static double legendWidth(const PaintMeaning& one) {
        return kCellHeight + 6 + std::ceil(picture::textLength(one.meaning, picture::kSmallStyle)) + 18;
    }

    void drawHead(Canvas& canvas) const {
        canvas.text({kMargin, kMargin + 18}, title(), picture::kTitleStyle);
        double x = kMargin;
        const double y = kMargin + kTitle;
        for (const PaintMeaning& one : paintMeanings(alignment_.alphabet)) {
            canvas.fill({x, y - 4, kCellHeight, 12}, colorOf(one.paint));
            canvas.text({x + kCellHeight + 6, y + 6}, one.meaning, picture::kSmallStyle);
            x += legendWidth(one);
        }
    }

    void drawFooter(Canvas& canvas, double height) const {
        canvas.text({kMargin, height - kMargin}, picture_.footer, picture::kNoteStyle);
    }

    void finish(Canvas& canvas, double height) const {
        drawFooter(canvas, height);
        canvas.save();
    }

    void drawName(Canvas& canvas, double y, std::size_t row) const {
        canvas.text({left() - kNameGap, y},
                    picture::shortenText(alignment_.names[row], names_ - kNameGap, kNameStyle),
                    kNameStyle.anchored(TextAnchor::End));
    }

    void drawBlock(Canvas& canvas, double y, std::size_t begin, std::size_t end) const {
        drawRuler(canvas, y, begin, end);
        y += kRuler;
        for (std::size_t row = 0; row < alignment_.size(); ++row) {
            drawRow(canvas, y, row, begin, end);
            y += kCellHeight;
        }
        std::string signs;
        for (std::size_t column = begin; column < end; ++column)
            signs += conservationSign(alignment_.alphabet, alignment_.rows, column);
        canvas.letters({left() + kCellWidth / 2, y + kCellHeight - 3}, kCellWidth, signs, kLetterStyle);
        y += kCellHeight;
        drawBars(canvas, y, "conservation", conserved_, kBarColor, begin, end);
        if (isSure())
            drawBars(canvas, y + kBars, "confidence", alignment_.confidence, kConfidenceColor, begin, end);
    }

    /// Labels every tenth column with its number.
    void drawRuler(Canvas& canvas, double y, std::size_t begin, std::size_t end) const {
        for (std::size_t column = begin; column < end; ++column) {
            if ((column + 1) % 10 != 0) continue;
            const double x = left() + (static_cast<double>(column - begin) + 0.5) * kCellWidth;
            canvas.text({x, y + 11}, fmt::format("{}", column + 1),
                        picture::kNoteStyle.anchored(TextAnchor::Middle));
            canvas.fill({std::floor(x), y + kRuler - 5, 1, 4}, picture::kFaintInk);
        }
    }

    void drawRow(Canvas& canvas, double y, std::size_t row, std::size_t begin, std::size_t end) const {
        const double baseline = y + kCellHeight - 4;
        drawName(canvas, baseline, row);
        for (std::size_t column = begin; column < end;) {
            const Paint paint = paints_[column][row];
            std::size_t next = column + 1;
            while (next < end && paints_[next][row] == paint) ++next;
            if (paint != Paint::None)
                canvas.fill({left() + static_cast<double>(column - begin) * kCellWidth, y,
                             static_cast<double>(next - column) * kCellWidth, kCellHeight},
                            colorOf(paint));
            column = next;
        }
        std::string letters = alignment_.rows[row].substr(begin, end - begin);
        std::string gaps(letters.size(), ' ');
        for (std::size_t k = 0; k < letters.size(); ++k)
            if (letters[k] == '-') std::swap(letters[k], gaps[k]);
        const Point first{left() + kCellWidth / 2, baseline};
        canvas.letters(first, kCellWidth, letters, kLetterStyle);
        TextStyle faint = kLetterStyle;
        faint.color = kGapInk;
        canvas.letters(first, kCellWidth, gaps, faint);
        const auto stop = alignment_.rows[row].begin() + static_cast<std::ptrdiff_t>(end);
        const auto residues =
            stop - alignment_.rows[row].begin() - std::count(alignment_.rows[row].begin(), stop, '-');
        canvas.text({left() + static_cast<double>(end - begin) * kCellWidth + 6, baseline},
                    fmt::format("{}", residues), picture::kNoteStyle);
    }

    void drawBars(Canvas& canvas, double y, std::string_view what, const std::vector<double>& values,
                  Color color, std::size_t begin, std::size_t end) const {
        const double bottom = y + kBars;
        canvas.text({left() - kNameGap, bottom - 8}, what, picture::kNoteStyle.anchored(TextAnchor::End));
        for (std::size_t column = begin; column < end; ++column) {
            const double height = std::round(std::clamp(values[column], 0.0, 1.0) * (kBars - 4));
            if (height > 0)
                canvas.fill({left() + static_cast<double>(column - begin) * kCellWidth + 1, bottom - height,
                             kCellWidth - 2, height},
                            color);
        }
        canvas.fill({left(), bottom, static_cast<double>(end - begin) * kCellWidth, 1}, picture::kGrid);
    }

    /// Fits as many blocks on a page as make it about as high as paper, at least one.
    void writePages(const std::filesystem::path& path, std::size_t blocks) const {
        constexpr double kPaper = 1.41421356;
        const double width = widthOf(static_cast<double>(kBlockColumns) * kCellWidth + kLongestNumber);
        const double room = std::min(kPaper * width, picture::kLargestSide) - top() - kFooter - kMargin;
        const double pitch = blockHeight() + kBlockGap;
        const auto perPage = static_cast<std::size_t>(std::max(1.0, std::floor(room / pitch)));
        const std::size_t pages = (blocks + perPage - 1) / perPage;
        const double height = top() + static_cast<double>(perPage) * pitch + kFooter + kMargin;
        const auto opened = picture::openCanvas(path, width, height);
        Canvas& canvas = *opened;
        for (std::size_t page = 0; page < pages; ++page) {
            if (page > 0) canvas.nextPage();
            drawHead(canvas);
            double y = top();
            for (std::size_t block = page * perPage; block < std::min(blocks, (page + 1) * perPage);
                 ++block) {
                const std::size_t begin = block * kBlockColumns;
                drawBlock(canvas, y, begin, std::min(begin + kBlockColumns, alignment_.columns()));
                y += pitch;
            }
            canvas.text({width - kMargin, height - kMargin}, fmt::format("page {} of {}", page + 1, pages),
                        picture::kNoteStyle.anchored(TextAnchor::End));
            drawFooter(canvas, height);
        }
        canvas.save();
    }

    void writeOverview(const std::filesystem::path& path) const {
        constexpr double kWanted = 1400;
        constexpr std::size_t kMax = 9000;
        const std::size_t columnStep = (alignment_.columns() + kMax - 1) / kMax;
        const std::size_t rowStep = (alignment_.size() + kMax - 1) / kMax;
        const auto shownColumns = static_cast<double>(alignment_.columns() / columnStep);
        const auto shownRows = static_cast<double>(alignment_.size() / rowStep);
        const double cellWidth = std::clamp(std::floor(kWanted / shownColumns), 1.0, 4.0);
        const double cellHeight = std::clamp(std::floor(kWanted / shownRows), 1.0, 4.0);
        const Box plot{kMargin, top() + kRuler, shownColumns * cellWidth, shownRows * cellHeight};
        const double height = plot.y + plot.height + kBars + kFooter + 2 * kMargin;
        const auto opened =
            picture::openCanvas(path, std::max(widthOf(0), plot.x + plot.width + kMargin), height);
        Canvas& canvas = *opened;
        drawHead(canvas);
        const auto cellOf = [](std::size_t pixel, double cell, std::size_t step) {
            return static_cast<std::size_t>(static_cast<double>(pixel) / cell) * step;
        };
        constexpr Color kUncolored{214, 214, 218};
        canvas.image(plot, [&](std::size_t x, std::size_t y) {
            const std::size_t column = cellOf(x, cellWidth, columnStep);
            const std::size_t row = cellOf(y, cellHeight, rowStep);
            const Paint paint = paints_[column][row];
            if (paint != Paint::None) return colorOf(paint);
            return alignment_.rows[row][column] == '-' ? Color{255, 255, 255} : kUncolored;
        });
        canvas.frame(plot, picture::kGrid);
        for (double step = rulerStep(alignment_.columns()), number = step;
             number <= static_cast<double>(alignment_.columns()); number += step) {
            const double x = plot.x + number / static_cast<double>(columnStep) * cellWidth;
            canvas.text({x, plot.y - 6}, formatCount(static_cast<std::uint64_t>(number)),
                        picture::kNoteStyle.anchored(TextAnchor::Middle));
        }
        const Box bars{plot.x, plot.y + plot.height + 6, plot.width, kBars};
        const std::vector<double>& shown = isSure() ? alignment_.confidence : conserved_;
        canvas.image(bars, [&](std::size_t x, std::size_t y) {
            const double value = shown[cellOf(x, cellWidth, columnStep)];
            const bool isInside = static_cast<double>(y) >= kBars * (1 - value);
            return isInside ? (isSure() ? kConfidenceColor : kBarColor) : Color{255, 255, 255};
        });
        std::string note =
            fmt::format("grey: no colour; white: gaps; below: {}", isSure() ? "confidence" : "conservation");
        if (columnStep > 1) note += fmt::format("; every {}th column is shown", columnStep);
        if (rowStep > 1) note += fmt::format("; every {}th row is shown", rowStep);
        canvas.text({kMargin, bars.y + bars.height + 18}, note, picture::kNoteStyle);
        finish(canvas, height);
    }

    /// 1, 2 or 5 times a power of ten, for about ten labels on the ruler.
    static double rulerStep(std::size_t columns) {
        const double power = std::pow(10.0, std::floor(std::log10(static_cast<double>(columns) / 5)));
        for (const double factor : {1.0, 2.0, 5.0})
            if (static_cast<double>(columns) / (power * factor) <= 12) return std::max(power * factor, 1.0);
        return power * 10;
    }

    const MultipleAlignment& alignment_;
    const AlignmentPicture& picture_;
    std::vector<double> conserved_;
    std::vector<std::vector<Paint>> paints_;  ///< [column][row]
    double names_;
};

}  // namespace

std::string writeAlignmentPicture(const std::filesystem::path& path, const MultipleAlignment& alignment,
                                  const AlignmentPicture& picture) {
    picture::requirePictureFile("", path);
    return AlignmentPage(alignment, picture).write(path);
}

// ---- HTML

namespace {

std::string plain(std::string_view text) {
    return escapeMarkup(drawableText(text));
}

/// Shares as bars in steps of an eighth.
std::string barText(const std::vector<double>& values) {
    constexpr std::string_view kEighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::string text;
    for (const double value : values)
        text += kEighths[static_cast<std::size_t>(std::clamp(value, 0.0, 1.0) * 8 + 0.5)];
    return text;
}

/// The number of every tenth column, right-aligned at the column.
std::string rulerText(std::size_t columns) {
    std::string text(columns, ' ');
    for (std::size_t column = 10; column <= columns; column += 10) {
        const std::string number = fmt::format("{}", column);
        text.replace(column - number.size(), number.size(), number);
    }
    return text;
}

/// A row in runs of one colour.
void appendRow(std::string& html, const std::string& row, const std::vector<std::vector<Paint>>& paints,
               std::size_t number) {
    for (std::size_t column = 0; column < row.size();) {
        const Paint paint = paints[column][number];
        std::size_t next = column + 1;
        while (next < row.size() && paints[next][number] == paint) ++next;
        const std::string_view letters = std::string_view(row).substr(column, next - column);
        if (paint == Paint::None)
            html += letters;
        else
            fmt::format_to(std::back_inserter(html), "<b class=p{}>{}</b>", static_cast<int>(paint), letters);
        column = next;
    }
}

/// The most frequent letter of each column, the first one in a tie; a gap if most rows have one.
std::string consensusOf(const MultipleAlignment& alignment) {
    std::string consensus;
    for (std::size_t column = 0; column < alignment.columns(); ++column) {
        std::array<std::size_t, 256> counts{};
        for (const std::string& row : alignment.rows) ++counts[static_cast<unsigned char>(row[column])];
        if (2 * std::exchange(counts['-'], 0) > alignment.size())
            consensus += '-';
        else
            consensus += static_cast<char>(std::ranges::max_element(counts) - counts.begin());
    }
    return consensus;
}

/// The controls of the page's script; they stay hidden without it.
constexpr std::string_view kTools =
    "<div id=\"tools\" hidden><label>Search <input id=\"find\" placeholder=\"N[^P][ST], or a name\"></label> "
    "<button id=\"next\">next</button> <span id=\"found\" class=\"faint\"></span> "
    "<label><input type=\"checkbox\" id=\"dots\"> dots where equal to the consensus</label> "
    "<label id=\"shading\" hidden><input type=\"checkbox\" id=\"shade\"> faint where not confident</label> "
    "<label>Hide columns with gaps in <select id=\"gaps\"><option value=\"100\">none</option>"
    "<option value=\"90\">more than 90 %</option><option value=\"50\">more than 50 %</option>"
    "<option value=\"0\">any row</option></select></label> <span id=\"hidden\" class=\"faint\"></span>"
    "<span id=\"residue\" class=\"faint\">&nbsp;</span>"
    "<div id=\"map\"><canvas id=\"overview\"></canvas><div id=\"view\"></div></div></div>";

constexpr std::string_view kStyle =
    "body{font:14px "
    "sans-serif;color:#26262a;background:#fff;margin:24px}h1{font-size:20px;font-weight:normal}"
    "#tools{margin:12px 0}#tools "
    "label{display:inline-block;margin-right:12px}#map{position:relative;margin-top:8px}"
    "#overview{width:100%;image-rendering:pixelated;border:1px solid #e2e2e6;cursor:pointer;display:block}"
    "#view{position:absolute;border:2px solid #0072b2;box-sizing:border-box;pointer-events:none}"
    ".hit{outline:1.5px solid #000;font-weight:bold!important}"
    "#all{display:flex;overflow:auto;max-height:80vh;border:1px solid #e2e2e6;align-items:flex-start}"
    "pre{font:13px/18px 'DejaVu Sans Mono',Menlo,Consolas,monospace;margin:0;padding:0 8px}"
    "pre b{font-weight:normal}.names{position:sticky;left:0;z-index:1;background:#fff;border-right:1px solid "
    "#e2e2e6}.top{position:sticky;top:0;background:#fff;color:#696970;display:block}"
    ".faint{color:#696970}.key{display:inline-block;padding:2px 8px;margin:0 8px 4px 0}";

}  // namespace

bool isHtmlFile(const std::filesystem::path& path) {
    const std::string ending = lowerCase(path.extension().string());
    return ending == ".html" || ending == ".htm";
}

void writeAlignmentHtml(const std::filesystem::path& path, const MultipleAlignment& alignment,
                        const AlignmentPicture& picture) {
    std::vector<std::vector<Paint>> paints;
    std::string signs;
    for (std::size_t column = 0; column < alignment.columns(); ++column) {
        paints.push_back(columnPaints(alignment, column));
        signs += conservationSign(alignment.alphabet, alignment.rows, column);
    }
    io::BufferedText file(path);
    const auto line = [&](std::string_view text) {
        file.text() += text;
        file.endLine();
    };
    line("<!DOCTYPE html>");
    line("<html lang=\"en\"><head><meta charset=\"utf-8\">");
    line(fmt::format("<title>{}</title>", plain(picture.title)));
    std::string colors;
    for (const PaintMeaning& one : paintMeanings(alignment.alphabet)) {
        const picture::Color color = colorOf(one.paint);
        colors += fmt::format(".p{}{{background:#{:02x}{:02x}{:02x}}}", static_cast<int>(one.paint),
                              color.red, color.green, color.blue);
    }
    for (int tenths = 0; tenths < 10; ++tenths)
        colors += fmt::format(".s{}{{opacity:{:.2f}}}", tenths, 0.2 + 0.08 * tenths);
    line(fmt::format("<style>{}{}</style></head><body>", kStyle, colors));
    line(fmt::format("<h1>{}: {} × {}</h1>", plain(picture.title), formatCount(alignment.size(), "sequence"),
                     formatCount(alignment.columns(), "column")));
    std::string key = "<p>";
    for (const PaintMeaning& one : paintMeanings(alignment.alphabet))
        key += fmt::format("<span class=\"key p{}\">{}</span>", static_cast<int>(one.paint), one.meaning);
    line(key + "</p>");
    // Lines of names and rows must line up; a line break after the ruler would add an empty line.
    line(kTools);
    file.text() += "<div id=\"all\"><pre class=\"names\" id=\"names\"><span class=\"top\"> </span>";
    line("<span class=\"faint\">consensus</span>");
    file.text() += "<span id=\"nameLines\">";
    for (const std::string& name : alignment.names) line(plain(name));
    line("</span>");
    line("<span class=\"faint\">conservation</span>");
    if (!alignment.confidence.empty()) line("<span class=\"faint\">confidence</span>");
    file.text() +=
        fmt::format("</pre><pre><span class=\"top\" id=\"ruler\">{}</span>", rulerText(alignment.columns()));
    line(fmt::format("<span class=\"faint\" id=\"consensus\">{}</span>", consensusOf(alignment)));
    file.text() += "<span id=\"rows\">";
    for (std::size_t row = 0; row < alignment.size(); ++row) {
        appendRow(file.text(), alignment.rows[row], paints, row);
        file.endLine();
    }
    line(fmt::format("</span><span id=\"below\"><span>{}</span>", signs));
    line(fmt::format("<span class=\"faint\">{}</span>", barText(conservation(alignment))));
    if (!alignment.confidence.empty())
        line(fmt::format("<span class=\"faint\">{}</span>", barText(alignment.confidence)));
    line("</span></pre></div>");
    if (!alignment.residueConfidence.empty()) {
        line("<script type=\"text/plain\" id=\"confidences\">");
        for (std::size_t row = 0; row < alignment.size(); ++row)
            line(confidenceText(confidenceOfRow(alignment, row)));
        line("</script>");
    }
    line(fmt::format("<p class=\"faint\">{}</p>", plain(picture.footer)));
    line(fmt::format("<script>\n{}</script></body></html>", embeddedResources().at("pages/alignment.js")));
    file.commit();
}

}  // namespace glycine::align
