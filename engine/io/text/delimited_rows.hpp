#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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
struct TextTable {
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
TextTable readTextTable(TextStream& stream);

}  // namespace glycine::io
