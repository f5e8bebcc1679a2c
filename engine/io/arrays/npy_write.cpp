#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "engine/core/error.hpp"
#include "engine/core/utf8.hpp"
#include "engine/io/arrays/npy.hpp"
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
    const std::size_t rowBytes = array.columns * array.itemBytes;
    const std::size_t rowsAtOnce =
        std::max<std::size_t>(1, kBufferBytes / std::max<std::size_t>(rowBytes, 1));
    std::vector<std::byte> buffer(std::min(rowsAtOnce, array.rows) * rowBytes);
    for (std::size_t first = 0; first < array.rows; first += rowsAtOnce) {
        const std::size_t count = std::min(rowsAtOnce, array.rows - first);
        for (std::size_t r = 0; r < count; ++r) array.copyRow(first + r, buffer.data() + r * rowBytes);
        file.write(buffer.data(), count * rowBytes);
    }
    file.commit();
}

}  // namespace glycine::io
