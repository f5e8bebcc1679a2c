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

/// Characters that UTF-8 `text` takes on a terminal, one column each (no wide or combining characters).
std::size_t displayWidth(std::string_view text);

/// `text` cut between words into lines of at most `width` columns; a longer word keeps a line of its own.
/// Line breaks in `text` stay. width = 0: no limit.
std::vector<std::string> wrapText(std::string_view text, std::size_t width);

/// Columns of the terminal behind standard output; 0 when it is none.
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
    /// Missing cells are empty; more cells than columns throw std::logic_error.
    void addRow(std::vector<std::string> cells);
    /// `width` > 0: the last column is wrapped so that lines fit, as long as that leaves it some room.
    void print(std::ostream& out, std::size_t width = 0) const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// A table of objects: each column says what it shows of one.
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

/// Labels with their values, in the order in which they are printed.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// One line a field, the values in one column, wrapped to `width` when that is not 0.
void printFields(std::ostream& out, const Fields& fields, std::size_t width = 0,
                 std::string_view indent = "");

}  // namespace glycine
