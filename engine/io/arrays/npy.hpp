#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/storage/atomic_file.hpp"

/// NumPy's array format, versions 1.0, 2.0 and 3.0.
/// Source: NEP 1, "A Simple File Format for NumPy Arrays", and the numpy.lib.format documentation.
namespace glycine::io {

/// Kind of the elements. Text is numpy's `<U`: a fixed number of UTF-32 characters, padded with zeros.
enum class NpyKind { Float, Signed, Unsigned, Text };

/// The header of an NPY file.
struct NpyHeader {
    std::string dtype;  ///< as written: "<f4"
    NpyKind kind = NpyKind::Float;
    std::size_t itemBytes = 0;  ///< bytes per element
    bool bigEndian = false;
    bool fortranOrder = false;
    std::vector<std::size_t> shape;  ///< empty: a single value
    std::size_t dataOffset = 0;      ///< where the elements begin, in bytes

    std::size_t elements() const;  ///< product of the shape; checked against overflow by the parser
    std::size_t dataBytes() const { return elements() * itemBytes; }
};

/// Reads the header at the front of `source`. Throws InputError for a wrong magic string, version or
/// dictionary, an unsupported dtype (supported: f4, f8, i1 … i8, u1 … u8, U, of either byte order), a shape
/// whose size overflows, or fewer bytes than the shape requires.
NpyHeader readNpyHeader(ByteSource& source);

/// Elements in the file's type, in the byte order of this machine.
using NpyValues =
    std::variant<std::span<const float>, std::span<const double>, std::span<const std::int8_t>,
                 std::span<const std::int16_t>, std::span<const std::int32_t>, std::span<const std::int64_t>,
                 std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                 std::span<const std::uint32_t>, std::span<const std::uint64_t>>;

/// A piece of a matrix in file order: `lines` consecutive whole rows (or columns, in Fortran order).
struct NpyBlock {
    bool isColumns = false;  ///< the lines are columns
    std::size_t firstLine = 0;
    std::size_t lines = 0;
    std::size_t lineLength = 0;
    NpyValues values;  ///< lines × lineLength elements, valid during the call
};

/// Passes the elements of a two-dimensional numeric array to `visit`, a few MiB at a time, in file order.
/// `header` must have just been read from `source`. Throws InputError if the array is not two-dimensional or
/// not numeric, or if the bytes end early.
void visitNpyMatrix(ByteSource& source, const NpyHeader& header,
                    const std::function<void(const NpyBlock&)>& visit);

/// The elements of a two-dimensional numeric array where they are, in the bytes of a whole file. Returns
/// nothing for other arrays, the other byte order, elements that are not aligned, and files that end early.
std::optional<NpyValues> npyValuesInPlace(std::span<const std::byte> file, const NpyHeader& header);

/// Reads a two-dimensional array; T is float, double or std::int32_t. Converts other element types (float64
/// to float rounds to nearest). Integers must be held exactly (core/quantity.hpp), and T = std::int32_t
/// accepts nothing else. Throws InputError as readNpyHeader and visitNpyMatrix do, and for values that do not
/// fit, naming row and column.
template <class T>
Matrix<T> readNpyMatrix(ByteSource& source);
/// The same after the header. `header` has just been read from `source`, or describes the same elements as a
/// matrix of another shape.
template <class T>
Matrix<T> readNpyMatrix(ByteSource& source, const NpyHeader& header);
template <class T>
Matrix<T> readNpyMatrix(const std::filesystem::path& path) {
    return readNpyMatrix<T>(*openFile(path));
}

/// Reads a one-dimensional array of text as UTF-8. Throws InputError for anything else.
std::vector<std::string> readNpyStrings(ByteSource& source);

/// An array to be written row by row: nothing larger than a row is copied.
struct NpyMatrixSource {
    std::string dtype;  ///< "<f4", "<f8", "<i4"
    std::size_t itemBytes = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    /// Writes row `row` as rowBytes(row) little-endian bytes to `target`.
    std::function<void(std::size_t row, std::byte* target)> copyRow;
    /// Shape of an array that is not two-dimensional, with as many elements as the rows; empty:
    /// two-dimensional.
    std::vector<std::size_t> shape = {};
    /// Number of elements in a row, for rows shorter than `columns`. Empty: all rows are complete.
    std::function<std::size_t(std::size_t row)> rowLength = {};
    /// Whether several threads may request rows at once, in any order. Otherwise one thread requests them in
    /// order.
    bool takesAnyOrder = false;

    std::size_t rowBytes(std::size_t row) const { return (rowLength ? rowLength(row) : columns) * itemBytes; }
    std::size_t dataBytes() const;
};

/// Writes the elements of `matrix` unchanged; T is float, double or std::int32_t. The view must outlive the
/// source.
template <class T>
NpyMatrixSource npyMatrixSource(MatrixView<const T> matrix);
/// The same for a one-dimensional array.
template <class T>
NpyMatrixSource npyVectorSource(std::span<const T> values) {
    NpyMatrixSource source =
        npyMatrixSource<T>(MatrixView<const T>(values.data(), values.empty() ? 0 : 1, values.size()));
    source.shape = {values.size()};
    return source;
}
/// The same for a stack of matrices × rows × columns elements, from at least one matrix, all of one shape.
template <class T>
NpyMatrixSource npyStackSource(std::vector<MatrixView<const T>> matrices) {
    const MatrixView<const T> first = matrices.front();
    NpyMatrixSource source = npyMatrixSource<T>(first);
    source.rows = matrices.size() * first.rows();
    source.shape = {matrices.size(), first.rows(), first.columns()};
    source.copyRow = [views = std::move(matrices)](std::size_t row, std::byte* target) {
        const MatrixView<const T>& view = views[row / views.front().rows()];
        std::memcpy(target, view.row(row % view.rows()), view.columns() * sizeof(T));
    };
    return source;
}

/// The header (version 1.0, little-endian, row-major) of an array of this dtype and shape.
std::string npyHeaderText(std::string_view dtype, std::span<const std::size_t> shape);
std::string npyHeaderText(const NpyMatrixSource& source);
/// A one-dimensional `<U` array with its header. Throws InputError for text that is not UTF-8.
std::string npyStringArray(std::span<const std::string> strings);

/// The names file of an NPY file: "NAME.npy.names".
std::filesystem::path npyNamesFile(const std::filesystem::path& npy);
/// Writes the names file, atomically: one row name per line. If `columns` is not empty, its names follow
/// after an empty line. Line breaks in names become '_'.
void writeNpyNames(const std::filesystem::path& npy, std::span<const std::string> rows,
                   std::span<const std::string> columns = {});
/// Completes the NPY file `npy`, which has been written to `file`, with its names file. Neither appears
/// before both are complete.
void commitWithNames(storage::AtomicFile& file, const std::filesystem::path& npy,
                     std::span<const std::string> rows, std::span<const std::string> columns = {});

/// Passes the bytes of all rows to `write` in order, a few MiB at a time.
void writeNpyRows(const NpyMatrixSource& array, const std::function<void(std::span<const std::byte>)>& write);
/// Writes an NPY file, atomically.
void writeNpy(const std::filesystem::path& path, const NpyMatrixSource& array);
/// The same with its names file.
void writeNpy(const std::filesystem::path& path, const NpyMatrixSource& array,
              std::span<const std::string> rows, std::span<const std::string> columns = {});
template <class T>
void writeNpy(const std::filesystem::path& path, MatrixView<const T> matrix) {
    writeNpy(path, npyMatrixSource<T>(matrix));
}

}  // namespace glycine::io
