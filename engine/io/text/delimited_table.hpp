#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

/// One row of separated text. Valid during the call that receives it.
class DelimitedRow {
  public:
    std::size_t size() const { return ends_.size(); }
    /// Field `k` without surrounding quotes and blanks.
    std::string_view operator[](std::size_t k) const {
        const std::size_t begin = k == 0 ? 0 : ends_[k - 1];
        return std::string_view(text_).substr(begin, ends_[k] - begin);
    }
    /// Line in which the row ends in the file, from 1.
    std::size_t line() const { return line_; }
    /// The separator of the file.
    char separator() const { return separator_; }

  private:
    friend class RowVisitor;
    std::string text_;               ///< the concatenated fields
    std::vector<std::size_t> ends_;  ///< end of each field
    std::size_t line_ = 0;
    char separator_ = ',';
};

/// Passes the rows of comma-, tab- or semicolon-separated text, plain or gzipped, to `visit` one by one.
/// Fields may be enclosed in double quotes, with inner quotes doubled. Lines end in LF, CRLF or CR. A UTF-8
/// byte order mark, empty lines and blanks around fields are ignored. Separator: tab if the first line has
/// one, otherwise semicolon, otherwise comma.
///
/// Lines for which `isComment` is true are skipped; it receives each line with its line end. Throws
/// InputError for a file without text and for unpaired quotes, and whatever `visit` throws.
void visitDelimitedRows(TextStream& stream, const std::function<void(const DelimitedRow&)>& visit,
                        const std::function<bool(std::string_view line)>& isComment = {});

/// A table of text with named columns.
struct ColumnTable {
    std::string name;  ///< of the file, for messages
    std::vector<std::string> titles;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::size_t> lines;  ///< line in which each row ends in the file, from 1

    /// The column with this title, case-insensitive; titles.size() if there is none.
    std::size_t column(std::string_view title) const;
};

/// Reads a whole table of text whose first line holds titles. Throws InputError as visitDelimitedRows does,
/// for rows with another number of fields than titles, repeated titles (case-insensitive), and a table
/// without rows.
ColumnTable readColumnTable(TextStream& stream);

/// A table of numbers with the names of its rows and columns. T: float or double.
template <class T>
struct NumberTable {
    Matrix<T> values;                      ///< rows × columns; NaN: missing; empty if `small` has the rows
    Matrix<std::int8_t> small;             ///< see TableForm::keepsSmall; io::kNoSmall: missing
    std::vector<std::string> columnNames;  ///< one per column of values; empty without a header line
    std::vector<std::string> rowNames;     ///< one per row; empty without a column of names
    std::vector<std::size_t> lines;        ///< line in which each row ends in the file, from 1
    bool hasDecimalCommas = false;
    std::vector<char>
        holdsText;  ///< one per column of values: TableForm allows text, and some field is no entry
    std::size_t annotations = 0;  ///< TableForm::annotations

    /// Moves the rows of `small`, if it has any, to `values`.
    void widen();
    /// "line 7, column 3 ('height')", for messages. Columns are the file's, from 1.
    std::string place(std::size_t row, std::size_t column) const;
};
using DelimitedTable = NumberTable<float>;

/// The caller's knowledge about a table before reading it.
struct TableForm {
    /// Location of row names.
    enum class Names {
        FindOut,    ///< in the first column if it looks like names: see readDelimitedTable
        None,       ///< there are none
        AllOrNone,  ///< as FindOut, but unless a header decides, no name may be an entry
    };
    std::optional<bool> header{};  ///< whether the first line is a header; detected if absent
    Names names = Names::FindOut;
    /// Selects columns by title whose fields may be any text, which becomes NaN. Only with Names::None.
    std::function<bool(std::string_view title)> mayHoldText{};
    /// Titles, as letters in lower case, of a column of names besides those that readDelimitedTable knows. If
    /// any are given, a first line that begins with a title of names is a header even if numbers follow. Only
    /// with Names::FindOut, as are `annotations`.
    std::vector<std::string_view> nameTitles{};
    /// Number of columns of any text after the names, which are skipped. If above 0, the first column holds
    /// names, whatever they look like.
    std::size_t annotations = 0;
    /// Whether a table whose values are all missing or whole numbers from −127 to 127 is returned as
    /// NumberTable::small.
    bool keepsSmall = false;
    /// Selects lines to skip; receives each line with its line end. May be called by several threads at once.
    std::function<bool(std::string_view line)> isComment{};
    /// Reports the number of rows begun and their number of values: at the first row, and whenever the rows
    /// have grown by a quarter.
    std::function<void(std::size_t rows, std::size_t columns)> grows{};
};

/// Reads a table of numbers from text in the format of visitDelimitedRows.
///
/// An entry is a number (1, -2.5, 1e-3, inf), or missing: NA, N/A, NaN, NULL in any case, a dot, or nothing.
/// If commas do not separate columns, numbers may have a decimal comma (0,25); then no number of the table
/// may have a decimal point.
///
/// - Header line (unless `form` decides): the first line, if it holds anything but entries from the second
/// field
///   on (from the first, in a table of one column), or its first field is empty. It may be one field shorter
///   than the rows, as R writes it.
/// - Column of names: the first column, if the header is one field shorter or begins with an empty field or a
///   word for names (id, iid, name, names, sample, sample id, individual, instance, label, index, taxon,
///   strain, isolate; any case), or the first row begins with something that is no entry.
/// - If TableForm::Names is not FindOut, a first line of numbers and text is refused unless `header` decides;
///   with Names::None, a header must have as many fields as the rows.
///
/// Throws InputError, naming the line, for fields that are no entries, numbers beyond the range of T,
/// integers that T does not hold exactly (core/quantity.hpp; but not in columns that may hold text), decimal
/// commas mixed with decimal points, rows of different lengths, unpaired quotes, and tables without rows or
/// columns of values.
template <class T = float>
NumberTable<T> readDelimitedTable(TextStream& stream, const TableForm& form = {});
template <class T = float>
NumberTable<T> readDelimitedTable(const std::filesystem::path& path, const TableForm& form = {}) {
    return readDelimitedTable<T>(*openText(path), form);
}

}  // namespace glycine::io
