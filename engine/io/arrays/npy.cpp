#include "engine/io/arrays/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::io {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kAcceptedTypes =
    "f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1 and U, of either byte order";
/// NumPy writes well under 1 KiB for arrays without fields.
constexpr std::size_t kLargestHeader = std::size_t{1} << 16;

void readExactly(ByteSource& source, std::span<std::byte> target, std::string_view part) {
    const std::size_t count = source.read(target);
    if (count < target.size())
        failReading(source,
                    fmt::format("truncated: {} of the {} bytes of the {} are there; the file has {} bytes",
                                count, target.size(), part, source.size()));
}

/// Parses the Python dictionary of an NPY header: exactly the keys descr, fortran_order and shape, in any
/// order.
class NpyHeaderParser {
  public:
    NpyHeaderParser(const ByteSource& source, std::string_view text, std::size_t offset)
        : source_(source), text_(text), offset_(offset) {}

    NpyHeader parse() {
        NpyHeader header;
        std::array<bool, 3> isPresent{};
        expect('{');
        while (!accept('}')) {
            const std::string key = parseString();
            expect(':');
            if (key == "descr")
                once(isPresent[0], key), header.dtype = parseDtype();
            else if (key == "fortran_order")
                once(isPresent[1], key), header.fortranOrder = parseBoolean();
            else if (key == "shape")
                once(isPresent[2], key), header.shape = parseShape();
            else
                failAtPosition(
                    fmt::format("unknown key '{}'; expected descr, fortran_order and shape", excerpt(key)));
            if (accept('}')) break;
            expect(',');
        }
        skipSpace();
        if (position_ != text_.size()) failAtPosition("expected nothing after the closing brace");
        if (!isPresent[0] || !isPresent[1] || !isPresent[2])
            failAtPosition(fmt::format("the key '{}' is missing", !isPresent[0]   ? "descr"
                                                                  : !isPresent[1] ? "fortran_order"
                                                                                  : "shape"));
        return header;
    }

  private:
    [[noreturn]] void failAtPosition(std::string_view what) const {
        failReading(source_, fmt::format("NPY header, byte {}: {}", offset_ + position_, what));
    }
    void once(bool& isPresent, const std::string& key) const {
        if (isPresent) failAtPosition(fmt::format("the key '{}' is there twice", key));
        isPresent = true;
    }
    void skipSpace() {
        while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
    }
    char peek() {
        skipSpace();
        return position_ < text_.size() ? text_[position_] : '\0';
    }
    bool accept(char wanted) {
        if (peek() != wanted) return false;
        ++position_;
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted)) failAtPosition(fmt::format("expected '{}'", wanted));
    }
    std::string parseString() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') failAtPosition("expected a quoted string");
        const std::size_t end = text_.find(quote, position_ + 1);
        if (end == std::string_view::npos) failAtPosition("a string without end");
        std::string value(text_.substr(position_ + 1, end - position_ - 1));
        position_ = end + 1;
        return value;
    }
    std::string parseDtype() {
        if (peek() == '[')
            failAtPosition(
                fmt::format("a structured dtype; accepted are plain arrays of {}", kAcceptedTypes));
        return parseString();
    }
    bool parseBoolean() {
        skipSpace();
        for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}})
            if (text_.substr(position_).starts_with(word)) {
                position_ += word.size();
                return value;
            }
        failAtPosition("expected True or False");
    }
    std::vector<std::size_t> parseShape() {
        std::vector<std::size_t> shape;
        expect('(');
        while (!accept(')')) {
            skipSpace();
            std::size_t extent = 0;
            const char* begin = text_.data() + position_;
            const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
            if (error == std::errc::result_out_of_range)
                failAtPosition("an extent of the shape is too large");
            if (error != std::errc()) failAtPosition("expected an extent of the shape, a whole number ≥ 0");
            position_ += static_cast<std::size_t>(end - begin);
            shape.push_back(extent);
            if (accept(')')) break;
            expect(',');
        }
        return shape;
    }

    const ByteSource& source_;
    std::string_view text_;
    std::size_t offset_;
    std::size_t position_ = 0;
};

/// Sets kind, itemBytes and bigEndian from the dtype, which gives byte order, kind and size.
void interpretDtype(const ByteSource& source, NpyHeader& header) {
    const auto refuse = [&] {
        failReading(source,
                    fmt::format("the dtype is '{}'; accepted are {}", excerpt(header.dtype), kAcceptedTypes));
    };
    const std::string_view dtype = header.dtype;
    if (dtype.size() < 3) refuse();
    const char order = dtype[0];
    if (order != '<' && order != '>' && order != '|' && order != '=') refuse();
    header.bigEndian = order == '>';
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(dtype.data() + 2, dtype.data() + dtype.size(), size);
    if (error != std::errc() || end != dtype.data() + dtype.size()) refuse();
    const bool isWordSize = size == 1 || size == 2 || size == 4 || size == 8;
    switch (dtype[1]) {
        case 'f':
            if (size != 4 && size != 8) refuse();
            header.kind = NpyKind::Float;
            break;
        case 'i':
        case 'u':
            if (!isWordSize) refuse();
            header.kind = dtype[1] == 'i' ? NpyKind::Signed : NpyKind::Unsigned;
            break;
        case 'b':
            if (size != 1) refuse();
            header.kind = NpyKind::Unsigned;
            break;
        case 'U':
            if (size > std::numeric_limits<std::int32_t>::max() / 4) refuse();
            header.kind = NpyKind::Text;
            size *= 4;
            break;
        default:
            refuse();
    }
    header.itemBytes = size;
}

void checkExtent(const ByteSource& source, const NpyHeader& header) {
    std::size_t bytes = header.itemBytes;
    std::size_t elements = 1;
    for (const std::size_t extent : header.shape)
        if (__builtin_mul_overflow(bytes, extent, &bytes) ||
            __builtin_mul_overflow(elements, extent, &elements))
            failReading(source, fmt::format("the shape ({}) holds more than 2⁶⁴ bytes",
                                            fmt::join(header.shape, ", ")));
    const std::uint64_t present = source.size() - std::min<std::uint64_t>(source.size(), header.dataOffset);
    if (present < bytes)
        failReading(
            source,
            fmt::format("truncated: {} bytes follow the header, which asks for {} (shape ({}), dtype {})",
                        present, bytes, fmt::join(header.shape, ", "), header.dtype));
}

}  // namespace

std::size_t NpyHeader::elements() const {
    std::size_t product = 1;
    for (const std::size_t extent : shape) product *= extent;
    return product;
}

NpyHeader readNpyHeader(ByteSource& source) {
    std::array<std::byte, 8> start{};
    readExactly(source, start, "NPY magic string and version");
    if (std::string_view(reinterpret_cast<const char*>(start.data()), kMagic.size()) != kMagic)
        failReading(source, "not an NPY file: it does not begin with \\x93NUMPY");
    const int major = std::to_integer<int>(start[6]);
    const int minor = std::to_integer<int>(start[7]);
    if (major < 1 || major > 3 || minor != 0)
        failReading(source, fmt::format("NPY version {}.{}; accepted are 1.0, 2.0 and 3.0", major, minor));

    std::array<std::byte, 4> lengthBytes{};
    const std::size_t lengthSize = major == 1 ? 2 : 4;
    readExactly(source, std::span(lengthBytes).first(lengthSize), "NPY header length");
    std::size_t length = 0;
    for (std::size_t i = 0; i < lengthSize; ++i)
        length |= std::to_integer<std::size_t>(lengthBytes[i]) << (8 * i);
    if (length > kLargestHeader)
        failReading(source, fmt::format("an NPY header of {} bytes; at most {} are accepted", length,
                                        kLargestHeader));

    std::string text(length, '\0');
    readExactly(source, std::as_writable_bytes(std::span(text)), "NPY header");
    const std::size_t textOffset = start.size() + lengthSize;
    NpyHeader header = NpyHeaderParser(source, text, textOffset).parse();
    header.dataOffset = textOffset + length;
    interpretDtype(source, header);
    checkExtent(source, header);
    return header;
}

std::string npyHeaderText(std::string_view dtype, std::span<const std::size_t> shape) {
    std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                         dtype, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    // The elements begin at a multiple of 64 bytes; the header ends with a line feed.
    constexpr std::size_t kPrefix = 10;
    constexpr std::size_t kAlignment = 64;
    const std::size_t used = kPrefix + dictionary.size() + 1;
    dictionary.append((kAlignment - used % kAlignment) % kAlignment, ' ');
    dictionary += '\n';
    std::string header(kMagic);
    header += '\x01';
    header += '\x00';
    header += static_cast<char>(dictionary.size() & 0xff);
    header += static_cast<char>(dictionary.size() >> 8);
    return header + dictionary;
}

// ---- reading

namespace {

static_assert(std::endian::native == std::endian::little, "element bytes are taken as they are in the file");

/// Bytes that are read or written at once. Each thread gets as much as its cache may hold, and a large page
/// of new memory of its own, so that none waits while another clears one.
std::size_t blockBytes() {
    constexpr std::size_t kLeast = std::size_t{4} << 20, kOfAThread = std::size_t{2} << 20,
                          kMost = std::size_t{64} << 20;
    return std::clamp(kOfAThread * static_cast<std::size_t>(omp_get_max_threads()), kLeast, kMost);
}

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
        // Both limits of int32 are exact in double; the comparison fails for NaN.
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

std::optional<NpyValues> npyValuesInPlace(std::span<const std::byte> file, const NpyHeader& header) {
    if (header.shape.size() != 2 || header.kind == NpyKind::Text) return std::nullopt;
    if (header.bigEndian && header.itemBytes > 1) return std::nullopt;
    if (file.size() < header.dataOffset || file.size() - header.dataOffset < header.dataBytes())
        return std::nullopt;
    const std::byte* const elements = file.data() + header.dataOffset;
    if (reinterpret_cast<std::uintptr_t>(elements) % header.itemBytes != 0) return std::nullopt;
    return interpretElements(header, elements, header.elements());
}

void visitNpyMatrix(ByteSource& source, const NpyHeader& header,
                    const std::function<void(const NpyBlock&)>& visit) {
    requireNumbers(source, header);
    if (header.elements() == 0) return;
    const std::size_t lines = header.shape[header.fortranOrder ? 1 : 0];
    const std::size_t lineLength = header.shape[header.fortranOrder ? 0 : 1];
    const std::size_t lineBytes = lineLength * header.itemBytes;
    const std::size_t blockLines = std::clamp<std::size_t>(blockBytes() / lineBytes, 1, lines);
    // Matrix aligns its elements to 64 bytes, which suits every type.
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
    // Check before allocating: text of length 0 takes no bytes in the file, whatever its shape.
    requireNumbers(source, header);
    Matrix<T> matrix(header.shape[0], header.shape[1]);
    visitNpyMatrix(source, header, [&](const NpyBlock& block) {
        std::visit(
            [&](const auto& values) {
                const std::size_t n = block.lineLength;
                std::size_t refused = block.lines * n;  // the first one in the file's order
#pragma omp parallel for reduction(min : refused) if (block.lines > 1)
                for (std::size_t line = 0; line < block.lines; ++line)
                    for (std::size_t k = 0; k < n; ++k) {
                        const auto value = values[line * n + k];
                        if (fits<T>(value))
                            (block.isColumns ? matrix(k, block.firstLine + line)
                                             : matrix(block.firstLine + line, k)) = static_cast<T>(value);
                        else
                            refused = std::min(refused, line * n + k);
                    }
                if (refused == block.lines * n) return;
                const std::size_t line = block.firstLine + refused / n, k = refused % n;
                failReading(source, fmt::format("({}, {}) is {}; expected {}", block.isColumns ? k : line,
                                                block.isColumns ? line : k, values[refused], kFitting<T>));
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
    // Elements of no bytes take no room in the file, so any count would pass the check against the file's
    // size.
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

// ---- writing

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
    return {.dtype = dtype,
            .itemBytes = sizeof(T),
            .rows = matrix.rows(),
            .columns = matrix.columns(),
            .copyRow =
                [matrix](std::size_t row, std::byte* target) {
                    std::memcpy(target, matrix.row(row), matrix.columns() * sizeof(T));
                },
            .takesAnyOrder = true};
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

void writeNpyRows(const NpyMatrixSource& array,
                  const std::function<void(std::span<const std::byte>)>& write) {
    const std::size_t longestRow = array.columns * array.itemBytes;
    const std::size_t rowsAtOnce =
        std::max<std::size_t>(1, blockBytes() / std::max<std::size_t>(longestRow, 1));
    Matrix<std::byte> buffer(std::min(rowsAtOnce, array.rows), longestRow);
    std::vector<std::size_t> begins;
    for (std::size_t first = 0; first < array.rows; first += rowsAtOnce) {
        const std::size_t count = std::min(rowsAtOnce, array.rows - first);
        std::size_t filled = 0;
        begins.resize(count);
        for (std::size_t k = 0; k < count; ++k) {
            begins[k] = filled;
            filled += array.rowBytes(first + k);
        }
        parallelFor(array.takesAnyOrder ? omp_get_max_threads() : 1, count,
                    [&](std::size_t k, std::size_t) { array.copyRow(first + k, buffer.data() + begins[k]); });
        write({buffer.data(), filled});
    }
}

namespace {

void writeArray(storage::AtomicFile& file, const NpyMatrixSource& array) {
    file.write(npyHeaderText(array));
    writeNpyRows(array, [&](std::span<const std::byte> rows) { file.write(rows.data(), rows.size()); });
}

void writeNames(storage::AtomicFile& file, std::span<const std::string> rows,
                std::span<const std::string> columns) {
    std::string text;
    const auto add = [&text](std::string name) {
        std::ranges::replace_if(
            name, [](char c) { return c == '\n' || c == '\r'; }, '_');
        text.append(name) += '\n';
    };
    for (const std::string& name : rows) add(name);
    if (!columns.empty()) text += '\n';
    for (const std::string& name : columns) add(name);
    file.write(text);
}

}  // namespace

void writeNpy(const std::filesystem::path& path, const NpyMatrixSource& array) {
    storage::AtomicFile file(path);
    writeArray(file, array);
    file.commit();
}

void writeNpy(const std::filesystem::path& path, const NpyMatrixSource& array,
              std::span<const std::string> rows, std::span<const std::string> columns) {
    storage::AtomicFile file(path);
    writeArray(file, array);
    commitWithNames(file, path, rows, columns);
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
    storage::AtomicFile file(npyNamesFile(npy));
    writeNames(file, rows, columns);
    file.commit();
}

void commitWithNames(storage::AtomicFile& file, const std::filesystem::path& npy,
                     std::span<const std::string> rows, std::span<const std::string> columns) {
    storage::AtomicFile names(npyNamesFile(npy));
    writeNames(names, rows, columns);
    storage::AtomicFile::commitTogether({&file, &names});
}

}  // namespace glycine::io
