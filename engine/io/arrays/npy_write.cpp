#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "engine/core/error.hpp"
#include "engine/core/utf8.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::io {

namespace {

/// The characters of UTF-8 text. Throws InputError for malformed bytes, overlong forms and surrogates.
std::vector<std::uint32_t> decodeUtf8(const std::string& text) {
    std::vector<std::uint32_t> codes;
    for (std::size_t i = 0; i < text.size();) {
        const std::optional<std::uint32_t> code = nextUtf8(text, i);
        if (!code) throw InputError(fmt::format("a name is not UTF-8 at byte {}: \"{}\"", i, text));
        codes.push_back(*code);
    }
    return codes;
}

}  // namespace

template <class T>
NpyMatrixSource npyMatrixSource(MatrixView<const T> matrix) {
    const char* dtype = std::is_same_v<T, float> ? "<f4" : std::is_same_v<T, double> ? "<f8" : "<i4";
    return {dtype, sizeof(T), matrix.rows(), matrix.columns(), [matrix](std::size_t row, std::byte* target) {
                std::memcpy(target, matrix.row(row), matrix.columns() * sizeof(T));
            }};
}
template NpyMatrixSource npyMatrixSource(MatrixView<const float>);
template NpyMatrixSource npyMatrixSource(MatrixView<const double>);
template NpyMatrixSource npyMatrixSource(MatrixView<const std::int32_t>);

std::string npyStringArray(std::span<const std::string> strings) {
    std::vector<std::vector<std::uint32_t>> decoded;
    // NumPy's shortest text type has one character.
    std::size_t length = 1;
    for (const std::string& text : strings) {
        decoded.push_back(decodeUtf8(text));
        length = std::max(length, decoded.back().size());
    }
    const std::size_t shape[] = {strings.size()};
    std::string array = npyHeaderText(fmt::format("<U{}", length), shape);
    for (std::vector<std::uint32_t>& codes : decoded) {
        codes.resize(length, 0);
        array.append(reinterpret_cast<const char*>(codes.data()), length * sizeof(std::uint32_t));
    }
    return array;
}

std::string npyHeaderText(const NpyMatrixSource& source) {
    const std::size_t matrixShape[] = {source.rows, source.columns};
    return npyHeaderText(source.dtype,
                         source.shape.empty() ? std::span<const std::size_t>(matrixShape) : source.shape);
}

void writeNpy(const std::filesystem::path& path, const NpyMatrixSource& array) {
    storage::AtomicFile file(path);
    file.write(npyHeaderText(array));
    constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
    const std::size_t longestRow = array.columns * array.itemBytes;
    const std::size_t rowsAtOnce =
        std::max<std::size_t>(1, kBufferBytes / std::max<std::size_t>(longestRow, 1));
    std::vector<std::byte> buffer(std::min(rowsAtOnce, array.rows) * longestRow);
    for (std::size_t first = 0; first < array.rows; first += rowsAtOnce) {
        const std::size_t count = std::min(rowsAtOnce, array.rows - first);
        std::size_t filled = 0;
        for (std::size_t row = first; row < first + count; ++row) {
            array.copyRow(row, buffer.data() + filled);
            filled += array.rowBytes(row);
        }
        file.write(buffer.data(), filled);
    }
    file.commit();
}

std::size_t NpyMatrixSource::dataBytes() const {
    std::size_t bytes = 0;
    for (std::size_t row = 0; row < rows; ++row) bytes += rowBytes(row);
    return bytes;
}

std::filesystem::path npyNamesFile(const std::filesystem::path& npy) {
    return npy.string() + ".names";
}

void writeNpyNames(const std::filesystem::path& npy, std::span<const std::string> rows,
                   std::span<const std::string> columns) {
    BufferedText file(npyNamesFile(npy));
    const auto add = [&file](std::string name) {
        std::ranges::replace_if(
            name, [](char c) { return c == '\n' || c == '\r'; }, '_');
        file.text() += name;
        file.endLine();
    };
    for (const std::string& name : rows) add(name);
    if (!columns.empty()) file.endLine();
    for (const std::string& name : columns) add(name);
    file.commit();
}

}  // namespace glycine::io
