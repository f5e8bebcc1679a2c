#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/results/alignment_picture.hpp"
#include "engine/alignment/results/clustal_text.hpp"
#include "engine/alignment/results/residue_colors.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::align {

namespace {

std::string plain(std::string_view text) {
    return picture::escapeMarkup(picture::drawableText(text));
}

/// Shares as bars of eighths.
std::string barText(const std::vector<double>& values) {
    constexpr std::string_view kBars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::string text;
    for (const double value : values)
        text += kBars[static_cast<std::size_t>(std::clamp(value, 0.0, 1.0) * 8 + 0.5)];
    return text;
}

/// The number of every tenth column, which ends there.
std::string rulerText(std::size_t columns) {
    std::string text(columns, ' ');
    for (std::size_t column = 10; column <= columns; column += 10) {
        const std::string number = fmt::format("{}", column);
        text.replace(column - number.size(), number.size(), number);
    }
    return text;
}

/// A row, in stretches of one colour.
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

constexpr std::string_view kStyle =
    "body{font:14px sans-serif;color:#26262a;margin:24px}h1{font-size:20px;font-weight:normal}"
    "#all{display:flex;overflow:auto;max-height:80vh;border:1px solid #e2e2e6;align-items:flex-start}"
    "pre{font:13px/18px 'DejaVu Sans Mono',Menlo,Consolas,monospace;margin:0;padding:0 8px}"
    "pre b{font-weight:normal}.names{position:sticky;left:0;z-index:1;background:#fff;border-right:1px solid "
    "#e2e2e6}.top{position:sticky;top:0;background:#fff;color:#696970;display:block}"
    ".faint{color:#696970}.key{padding:2px 8px;margin-right:8px}";

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
    line(fmt::format("<style>{}{}</style></head><body>", kStyle, colors));
    line(fmt::format("<h1>{}: {} × {}</h1>", plain(picture.title), formatCount(alignment.size(), "sequence"),
                     formatCount(alignment.columns(), "column")));
    std::string key = "<p>";
    for (const PaintMeaning& one : paintMeanings(alignment.alphabet))
        key += fmt::format("<span class=\"key p{}\">{}</span>", static_cast<int>(one.paint), one.meaning);
    line(key + "</p>");
    // Lines of both columns stand side by side; a line break behind the ruler would be an empty line.
    file.text() += "<div id=\"all\"><pre class=\"names\"><span class=\"top\"> </span>";
    for (const std::string& name : alignment.names) line(plain(name));
    line("");
    line("<span class=\"faint\">conservation</span>");
    if (!alignment.confidence.empty()) line("<span class=\"faint\">confidence</span>");
    file.text() += fmt::format("</pre><pre><span class=\"top\">{}</span>", rulerText(alignment.columns()));
    for (std::size_t row = 0; row < alignment.size(); ++row) {
        appendRow(file.text(), alignment.rows[row], paints, row);
        file.endLine();
    }
    line(signs);
    line(fmt::format("<span class=\"faint\">{}</span>", barText(conservation(alignment))));
    if (!alignment.confidence.empty())
        line(fmt::format("<span class=\"faint\">{}</span>", barText(alignment.confidence)));
    line("</pre></div>");
    line(fmt::format("<p class=\"faint\">{}</p></body></html>", plain(picture.footer)));
    file.commit();
}

}  // namespace glycine::align
