#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

/// One row of separated text. Valid during the call that hands it over.
class DelimitedRow {
  public:
    std::size_t size() const { return ends_.size(); }
    /// Without the quotes and blanks around it.
    std::string_view operator[](std::size_t k) const {
        const std::size_t begin = k == 0 ? 0 : ends_[k - 1];
        return std::string_view(text_).substr(begin, ends_[k] - begin);
    }
    /// Where the row ends in the file, from 1.
    std::size_t line() const { return line_; }
    /// What stands between the fields of the file.
    char separator() const { return separator_; }

  private:
    friend class RowVisitor;
    std::string text_;               ///< the fields one behind another
    std::vector<std::size_t> ends_;  ///< where each of them ends
    std::size_t line_ = 0;
    char separator_ = ',';
};

/// Passes the rows of comma-, tab- or semicolon-separated text, plain or packed by gzip, to `visit` one after
/// another. Fields may stand between double quotes, where a quote is doubled; lines end in LF, CRLF or CR; a
/// byte order mark of UTF-8 and empty lines are passed over; blanks around a field do not count. Separator:
/// tab if the first line has one, else semicolon, else comma.
///
/// Throws InputError for a file without text and for quotes that do not pair, and whatever `visit` throws.
/// `isComment` is asked about each line, with its end: those that it is true of are passed over.
void visitDelimitedRows(TextStream& stream, const std::function<void(const DelimitedRow&)>& visit,
                        const std::function<bool(std::string_view line)>& isComment = {});

/// Text by columns that bear names.
struct ColumnTable {
    std::string name;  ///< of the file, for messages
    std::vector<std::string> titles;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::size_t> lines;  ///< where each row ends in the file, from 1

    /// The column with this title, whatever its case; titles.size() where there is none.
    std::size_t column(std::string_view title) const;
};

/// Reads a whole table of text, whose first line holds titles. Throws InputError as visitDelimitedRows, and
/// for rows that have not as many fields as there are titles, titles that are there twice (whatever their
/// case), and a table without rows.
ColumnTable readColumnTable(TextStream& stream);

/// A table of numbers with what names its rows and columns. T: float or double.
template <class T>
struct NumberTable {
    Matrix<T> values;                      ///< rows × columns; NaN: missing
    std::vector<std::string> columnNames;  ///< one a column of values; empty without a header line
    std::vector<std::string> rowNames;     ///< one a row; empty without a column of names
    std::vector<std::size_t> lines;        ///< where each row ends in the file, from 1
    bool hasDecimalCommas = false;
    std::vector<char> holdsText;  ///< one a column of values: TableForm lets it, and some field is no entry
    std::size_t annotations = 0;  ///< TableForm::annotations

    /// "line 7, column 3 ('height')", for messages. Columns are those of the file, from 1.
    std::string place(std::size_t row, std::size_t column) const;
};
using DelimitedTable = NumberTable<float>;

/// What is known of a table before it is read.
struct TableForm {
    /// Where names of rows may stand.
    enum class Names {
        FindOut,    ///< in the first column, if it looks like names: see readDelimitedTable
        None,       ///< nowhere
        AllOrNone,  ///< as FindOut, but where no header says so, no name may be an entry
    };
    std::optional<bool> header{};  ///< whether the first line is one; absent: found out
    Names names = Names::FindOut;
    /// Columns, by title, whose fields may be any text, which becomes NaN. Only with Names::None.
    std::function<bool(std::string_view title)> mayHoldText{};
    /// Titles of a column of names, beside those that readDelimitedTable knows: their letters in lower case.
    /// Where there are some, a first line that begins with any title of names is a header, even if numbers
    /// follow. Only with Names::FindOut, as are `annotations`.
    std::vector<std::string_view> nameTitles{};
    /// Columns of any text behind the names, which are passed over. Where there are some, the first column
    /// holds names, whatever they look like.
    std::size_t annotations = 0;
    /// Lines, with their ends, that are passed over.
    std::function<bool(std::string_view line)> isComment{};
    /// Told how many rows of how many values have begun: of the first, and whenever they are a quarter more.
    std::function<void(std::size_t rows, std::size_t columns)> grows{};
};

/// Reads a table of numbers from text as visitDelimitedRows takes it.
///
/// An entry is a number (1, -2.5, 1e-3, inf), or missing: NA, N/A, NaN, NULL in any case, a dot, or nothing.
/// Where columns are not separated by commas, a number may have a decimal comma (0,25), and then none of the
/// table a decimal point.
///
/// - Header line (unless `form` says so or not): the first line, if it holds anything but entries from the
///   second field on (from the first, in a table of one column), or its first field is empty. It may be one
///   field shorter than the rows, as R writes it.
/// - Column of names: the first column, if the header is one field shorter or begins with an empty field or a
///   word for it (id, iid, name, names, sample, sample id, individual, instance, label, index, taxon, strain,
///   isolate; any case), or the first row begins with something that is no entry.
/// - Where TableForm::Names is not FindOut, a first line of numbers and text is refused unless `header` tells
///   what it is; with Names::None a header must have as many fields as the rows.
///
/// Throws InputError that names the line: fields that are no entries, numbers beyond the range of T, whole
/// numbers that T does not hold exactly (core/quantity.hpp; but not in columns that may hold text), decimal
/// commas beside decimal points, rows of different lengths, quotes that do not pair, or no rows or columns of
/// values.
template <class T = float>
NumberTable<T> readDelimitedTable(TextStream& stream, const TableForm& form = {});
template <class T = float>
NumberTable<T> readDelimitedTable(const std::filesystem::path& path, const TableForm& form = {}) {
    return readDelimitedTable<T>(*openText(path), form);
}

}  // namespace glycine::io
