#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

/// A table of numbers with what names its rows and columns. T: float or double.
template <class T>
struct NumberTable {
    Matrix<T> values;                      ///< rows × columns; NaN: missing
    std::vector<std::string> columnNames;  ///< one a column of values; empty without a header line
    std::vector<std::string> rowNames;     ///< one a row; empty without a column of names
    std::vector<std::size_t> lines;        ///< where each row ends in the file, from 1

    /// "line 7, column 3 ('height')", for messages. Columns are those of the file, from 1.
    std::string place(std::size_t row, std::size_t column) const;
};
using DelimitedTable = NumberTable<float>;

/// Reads a table of numbers from text as visitDelimitedRows takes it.
///
/// An entry is a number (1, -2.5, 1e-3, inf), or missing: NA, N/A, NaN in any case, a dot, or nothing.
///
/// - Header line (unless `header` says so or not): the first line, if it holds anything but entries from the
///   second field on (from the first, in a table of one column), or its first field is empty. It may be one
///   field shorter than the rows, as R writes it.
/// - Column of names: the first column, if the header is one field shorter or begins with an empty field or a
///   word for it (id, iid, name, names, sample, sample id, individual, instance, label, index, taxon, strain,
///   isolate; any case), or the first row begins with something that is no entry.
///
/// Throws InputError that names the line: fields that are no entries, numbers beyond the range of T, rows of
/// different lengths, quotes that do not pair, or no rows or columns of values.
template <class T = float>
NumberTable<T> readDelimitedTable(TextStream& stream, std::optional<bool> header = std::nullopt);
template <class T = float>
NumberTable<T> readDelimitedTable(const std::filesystem::path& path,
                                  std::optional<bool> header = std::nullopt) {
    return readDelimitedTable<T>(*openText(path), header);
}

}  // namespace glycine::io
