#include "engine/command/text_table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "engine/core/text.hpp"

namespace glycine {

namespace {

constexpr std::string_view kGap = "  ";
/// A last column narrower than this is not wrapped, because it would take too many lines.
constexpr std::size_t kNarrowestColumn = 24;

std::string padded(const std::string& text, std::size_t width, Align align) {
    const std::size_t used = displayWidth(text);
    const std::string space(width > used ? width - used : 0, ' ');
    return align == Align::Right ? space + text : text + space;
}

void printTrimmed(std::ostream& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
}

}  // namespace

std::size_t displayWidth(std::string_view text) {
    // Bytes 10xxxxxx continue a character.
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string> wrapText(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    while (true) {
        const std::size_t lineEnd = text.find('\n');
        std::string_view rest = text.substr(0, lineEnd);
        while (width > 0 && displayWidth(rest) > width) {
            // Cuts at the last space within `width` columns, else at the first space.
            std::size_t cut = std::string_view::npos;
            for (std::size_t at = rest.find(' '); at != std::string_view::npos; at = rest.find(' ', at + 1)) {
                if (displayWidth(rest.substr(0, at)) > width && cut != std::string_view::npos) break;
                cut = at;
                if (displayWidth(rest.substr(0, at)) > width) break;
            }
            if (cut == std::string_view::npos) break;
            lines.emplace_back(rest.substr(0, cut));
            rest.remove_prefix(cut + 1);
        }
        lines.emplace_back(rest);
        if (lineEnd == std::string_view::npos) return lines;
        text.remove_prefix(lineEnd + 1);
    }
}

std::size_t terminalWidth() {
    winsize size{};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::addRow(std::vector<std::string> cells) {
    if (cells.size() > columns_.size())
        throw std::logic_error("a table row has more cells than there are columns");
    cells.resize(columns_.size());
    for (std::string& cell : cells) cell = visible(cell);
    rows_.push_back(std::move(cells));
}

void TextTable::print(std::ostream& out, std::size_t width) const {
    if (columns_.empty()) return;
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t widest = displayWidth(columns_[c].title);
        for (const auto& row : rows_) widest = std::max(widest, displayWidth(row[c]));
        widths.push_back(widest);
    }
    const std::size_t last = columns_.size() - 1;
    std::size_t before = 0;
    for (std::size_t c = 0; c < last; ++c) before += widths[c] + kGap.size();
    const bool isWrapped = width >= before + kNarrowestColumn;

    const auto printRow = [&](const std::vector<std::string>& cells) {
        std::string line;
        for (std::size_t c = 0; c < last; ++c)
            line.append(padded(cells[c], widths[c], columns_[c].align)).append(kGap);
        if (!isWrapped)
            return printTrimmed(out, line + padded(cells[last], widths[last], columns_[last].align));
        for (const std::string& piece : wrapText(cells[last], width - before)) {
            printTrimmed(out, line + piece);
            line.assign(before, ' ');
        }
    };
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    printRow(titles);
    for (const auto& row : rows_) printRow(row);
}

void printFields(std::ostream& out, const Fields& fields, std::size_t width, std::string_view indent) {
    std::size_t labelWidth = 0;
    for (const auto& [label, value] : fields) labelWidth = std::max(labelWidth, displayWidth(label));
    const std::size_t before = indent.size() + labelWidth + kGap.size();
    for (const auto& [label, value] : fields) {
        std::string line = std::string(indent) + padded(label, labelWidth, Align::Left) + std::string(kGap);
        for (const std::string& piece :
             wrapText(visible(value), width >= before + kNarrowestColumn ? width - before : 0)) {
            printTrimmed(out, line + piece);
            line.assign(before, ' ');
        }
    }
}

}  // namespace glycine
