#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/core/utf8.hpp"
#include "engine/core/whole_number.hpp"
#include "engine/io/arrays/npy.hpp"

namespace glycine::io {

namespace {

static_assert(std::endian::native == std::endian::little, "element bytes are taken as they are in the file");

/// Large enough to be read at full speed, small enough to stay in a cache.
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

void reverseItems(std::span<std::byte> bytes, std::size_t itemBytes) {
    for (std::size_t begin = 0; begin < bytes.size(); begin += itemBytes)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                     bytes.begin() + static_cast<std::ptrdiff_t>(begin + itemBytes));
}

void readElements(ByteSource& source, const NpyHeader& header, std::span<std::byte> target) {
    if (source.read(target) < target.size())
        failReading(source,
                    fmt::format("truncated: the {} bytes of the elements end early", header.dataBytes()));
    const std::size_t itemBytes = header.kind == NpyKind::Text ? 4 : header.itemBytes;
    if (header.bigEndian && itemBytes > 1) reverseItems(target, itemBytes);
}

template <class T>
NpyValues typedSpan(const std::byte* bytes, std::size_t elements) {
    return std::span<const T>(reinterpret_cast<const T*>(bytes), elements);
}

NpyValues interpretElements(const NpyHeader& header, const std::byte* bytes, std::size_t elements) {
    if (header.kind == NpyKind::Float)
        return header.itemBytes == 4 ? typedSpan<float>(bytes, elements) : typedSpan<double>(bytes, elements);
    const bool isSigned = header.kind == NpyKind::Signed;
    switch (header.itemBytes) {
        case 1:
            return isSigned ? typedSpan<std::int8_t>(bytes, elements)
                            : typedSpan<std::uint8_t>(bytes, elements);
        case 2:
            return isSigned ? typedSpan<std::int16_t>(bytes, elements)
                            : typedSpan<std::uint16_t>(bytes, elements);
        case 4:
            return isSigned ? typedSpan<std::int32_t>(bytes, elements)
                            : typedSpan<std::uint32_t>(bytes, elements);
        default:
            return isSigned ? typedSpan<std::int64_t>(bytes, elements)
                            : typedSpan<std::uint64_t>(bytes, elements);
    }
}

/// Whether `value` becomes `T` without loss; decimal numbers may round.
template <class T, class S>
bool fits(S value) {
    if constexpr (std::is_integral_v<S>) {
        return holdsExactly<T>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        return true;
    } else {
        // Both limits of int32 are exact doubles; a NaN fails the comparison.
        const double wide = value;
        return wide >= std::numeric_limits<std::int32_t>::min() &&
               wide <= std::numeric_limits<std::int32_t>::max() && wide == std::trunc(wide);
    }
}

template <class T>
constexpr std::string_view kFitting = kExactWholeNumber<T>;
template <>
constexpr std::string_view kFitting<std::int32_t> = "a whole number that fits 32 bits";

/// Throws InputError unless the array is a matrix of numbers.
void requireNumbers(const ByteSource& source, const NpyHeader& header) {
    if (header.shape.size() != 2)
        failReading(source, fmt::format("the array has {} dimensions (shape ({})); expected a matrix, two",
                                        header.shape.size(), fmt::join(header.shape, ", ")));
    if (header.kind == NpyKind::Text)
        failReading(source,
                    fmt::format("the dtype is '{}', text; expected numbers: f4, f8, i1 … i8 or u1 … u8",
                                excerpt(header.dtype)));
}

}  // namespace

void visitNpyMatrix(ByteSource& source, const NpyHeader& header,
                    const std::function<void(const NpyBlock&)>& visit) {
    requireNumbers(source, header);
    if (header.elements() == 0) return;
    const std::size_t lines = header.shape[header.fortranOrder ? 1 : 0];
    const std::size_t lineLength = header.shape[header.fortranOrder ? 0 : 1];
    const std::size_t lineBytes = lineLength * header.itemBytes;
    const std::size_t blockLines = std::clamp<std::size_t>(kBlockBytes / lineBytes, 1, lines);
    // Elements of Matrix lie on a 64-byte boundary, which suits every type.
    Matrix<std::byte> buffer(blockLines, lineBytes);
    for (std::size_t first = 0; first < lines; first += blockLines) {
        const std::size_t count = std::min(blockLines, lines - first);
        readElements(source, header, {buffer.data(), count * lineBytes});
        visit({header.fortranOrder, first, count, lineLength,
               interpretElements(header, buffer.data(), count * lineLength)});
    }
}

template <class T>
Matrix<T> readNpyMatrix(ByteSource& source) {
    const NpyHeader header = readNpyHeader(source);
    return readNpyMatrix<T>(source, header);
}

template <class T>
Matrix<T> readNpyMatrix(ByteSource& source, const NpyHeader& header) {
    // Before there is a matrix: text of no length takes no bytes in the file, whatever its shape.
    requireNumbers(source, header);
    Matrix<T> matrix(header.shape[0], header.shape[1]);
    visitNpyMatrix(source, header, [&](const NpyBlock& block) {
        std::visit(
            [&](const auto& values) {
                for (std::size_t line = 0; line < block.lines; ++line)
                    for (std::size_t k = 0; k < block.lineLength; ++k) {
                        const auto value = values[line * block.lineLength + k];
                        const std::size_t row = block.isColumns ? k : block.firstLine + line;
                        const std::size_t column = block.isColumns ? block.firstLine + line : k;
                        if (!fits<T>(value))
                            failReading(source, fmt::format("({}, {}) is {}; expected {}", row, column, value,
                                                            kFitting<T>));
                        matrix(row, column) = static_cast<T>(value);
                    }
            },
            block.values);
    });
    return matrix;
}
template Matrix<float> readNpyMatrix(ByteSource&);
template Matrix<double> readNpyMatrix(ByteSource&);
template Matrix<std::int32_t> readNpyMatrix(ByteSource&);
template Matrix<float> readNpyMatrix(ByteSource&, const NpyHeader&);
template Matrix<double> readNpyMatrix(ByteSource&, const NpyHeader&);
template Matrix<std::int32_t> readNpyMatrix(ByteSource&, const NpyHeader&);

std::vector<std::string> readNpyStrings(ByteSource& source) {
    const NpyHeader header = readNpyHeader(source);
    if (header.kind != NpyKind::Text || header.shape.size() != 1)
        failReading(source,
                    fmt::format("dtype '{}', shape ({}); expected a one-dimensional array of text (dtype U)",
                                header.dtype, fmt::join(header.shape, ", ")));
    // Elements of no bytes cost nothing in the file: any count would pass the check against the file's size.
    constexpr std::size_t kLargestEmpty = std::size_t{1} << 24;
    if (header.itemBytes == 0 && header.shape[0] > kLargestEmpty)
        failReading(source,
                    fmt::format("{} empty strings; at most {} are accepted", header.shape[0], kLargestEmpty));

    const std::size_t length = header.itemBytes / 4;
    std::vector<std::uint32_t> codes(length);
    std::vector<std::string> strings(header.shape[0]);
    for (std::size_t i = 0; i < strings.size(); ++i) {
        readElements(source, header, std::as_writable_bytes(std::span(codes)));
        const auto end =
            std::find_if(codes.rbegin(), codes.rend(), [](std::uint32_t code) { return code != 0; }).base();
        for (auto code = codes.begin(); code != end; ++code) {
            if (*code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
                failReading(source, fmt::format("string {}: {:#x} is no Unicode character", i, *code));
            appendUtf8(strings[i], *code);
        }
    }
    return strings;
}

}  // namespace glycine::io
