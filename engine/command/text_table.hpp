#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Text in columns.
namespace glycine {

/// Columns that UTF-8 `text` occupies on a terminal, one per character (no wide or combining characters).
std::size_t displayWidth(std::string_view text);

/// Splits `text` between words into lines of at most `width` columns; a longer word gets a line of its own.
/// Keeps line breaks. width = 0: no limit.
std::vector<std::string> wrapText(std::string_view text, std::size_t width);

/// Columns of the terminal on standard output; 0 if it is not a terminal.
std::size_t terminalWidth();

enum class Align { Left, Right };

/// A table with a header, columns as wide as their widest cell and two spaces between them.
class TextTable {
  public:
    struct Column {
        std::string title;
        Align align = Align::Left;
    };

    explicit TextTable(std::vector<Column> columns);
    /// Missing cells are empty. Throws std::logic_error if there are more cells than columns.
    void addRow(std::vector<std::string> cells);
    /// If `width` > 0, wraps the last column to fit, unless that makes it too narrow.
    void print(std::ostream& out, std::size_t width = 0) const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// A table with one row per object; each column is a function of the object.
template <class Row>
class TableOf {
  public:
    void add(TextTable::Column column, std::function<std::string(const Row&)> cell) {
        columns_.push_back(std::move(column));
        cells_.push_back(std::move(cell));
    }
    template <class Rows>
    void print(std::ostream& out, const Rows& rows, std::size_t width) const {
        TextTable table(columns_);
        for (const Row& row : rows) {
            std::vector<std::string> texts;
            for (const auto& cell : cells_) texts.push_back(cell(row));
            table.addRow(std::move(texts));
        }
        table.print(out, width);
    }

  private:
    std::vector<TextTable::Column> columns_;
    std::vector<std::function<std::string(const Row&)>> cells_;
};

/// Labels with values, in printing order.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// Prints one line per field with aligned values, wrapped to `width` unless that is 0.
void printFields(std::ostream& out, const Fields& fields, std::size_t width = 0,
                 std::string_view indent = "");

}  // namespace glycine
