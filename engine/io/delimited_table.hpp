#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text_stream.hpp"

namespace glycine::io {

/// A table of numbers with what names its rows and columns.
struct DelimitedTable {
    Matrix<float> values;                  ///< rows × columns; NaN: missing
    std::vector<std::string> columnNames;  ///< one a column of values; empty without a header line
    std::vector<std::string> rowNames;     ///< one a row; empty without a column of names
    std::vector<std::size_t> lines;        ///< where each row ends in the file, from 1

    /// "line 7, column 3 ('height')", for messages. Columns are those of the file, from 1.
    std::string place(std::size_t row, std::size_t column) const;
};

/// Reads comma-, tab- or semicolon-separated text, plain or packed by gzip, row by row. Fields may stand
/// between double quotes, where a quote is doubled; lines end in LF, CRLF or CR; a byte order mark of UTF-8
/// and empty lines are passed over; blanks around a field do not count.
///
/// An entry is a number (1, -2.5, 1e-3, inf), or missing: NA, N/A, NaN in any case, a dot, or nothing.
///
/// - Separator: tab if the first line has one, else semicolon, else comma.
/// - Header line (unless `header` says so or not): the first line, if it holds anything but entries from the
///   second field on (from the first, in a table of one column), or its first field is empty. It may be one
///   field shorter than the rows, as R writes it.
/// - Column of names: the first column, if the header is one field shorter or begins with an empty field or a
///   word for it (id, iid, name, names, sample, sample id, individual, instance, label, index, taxon, strain,
///   isolate; any case), or the first row begins with something that is no entry.
///
/// Throws InputError that names the line: fields that are no entries, numbers beyond float32, rows of
/// different lengths, quotes that do not pair, or no rows or columns of values.
DelimitedTable readDelimitedTable(TextStream& stream, std::optional<bool> header = std::nullopt);
inline DelimitedTable readDelimitedTable(const std::filesystem::path& path,
                                         std::optional<bool> header = std::nullopt) {
    return readDelimitedTable(*openText(path), header);
}

}  // namespace glycine::io
