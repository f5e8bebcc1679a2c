#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"

namespace glycine::io {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kAcceptedTypes =
    "f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 and U, of either byte order";
/// NumPy writes well under 1 KiB for arrays without fields.
constexpr std::size_t kLargestHeader = std::size_t{1} << 16;

void readExactly(ByteSource& source, std::span<std::byte> target, std::string_view part) {
    const std::size_t count = source.read(target);
    if (count < target.size())
        failReading(source,
                    fmt::format("truncated: {} of the {} bytes of the {} are there; the file has {} bytes",
                                count, target.size(), part, source.size()));
}

/// The Python dictionary of an NPY header: exactly the keys descr, fortran_order and shape, in any order.
class NpyHeaderParser {
  public:
    NpyHeaderParser(const ByteSource& source, std::string_view text, std::size_t offset)
        : source_(source), text_(text), offset_(offset) {}

    NpyHeader parse() {
        NpyHeader header;
        std::array<bool, 3> seen{};
        expect('{');
        while (!accept('}')) {
            const std::string key = parseString();
            expect(':');
            if (key == "descr")
                once(seen[0], key), header.dtype = parseDtype();
            else if (key == "fortran_order")
                once(seen[1], key), header.fortranOrder = parseBoolean();
            else if (key == "shape")
                once(seen[2], key), header.shape = parseShape();
            else
                failHere(
                    fmt::format("unknown key '{}'; expected descr, fortran_order and shape", excerpt(key)));
            if (accept('}')) break;
            expect(',');
        }
        skipSpace();
        if (position_ != text_.size()) failHere("expected nothing after the closing brace");
        if (!seen[0] || !seen[1] || !seen[2])
            failHere(fmt::format("the key '{}' is missing", !seen[0]   ? "descr"
                                                            : !seen[1] ? "fortran_order"
                                                                       : "shape"));
        return header;
    }

  private:
    [[noreturn]] void failHere(std::string_view what) const {
        failReading(source_, fmt::format("NPY header, byte {}: {}", offset_ + position_, what));
    }
    void once(bool& seen, const std::string& key) const {
        if (seen) failHere(fmt::format("the key '{}' is there twice", key));
        seen = true;
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
        if (!accept(wanted)) failHere(fmt::format("expected '{}'", wanted));
    }
    std::string parseString() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') failHere("expected a quoted string");
        const std::size_t end = text_.find(quote, position_ + 1);
        if (end == std::string_view::npos) failHere("a string without end");
        std::string value(text_.substr(position_ + 1, end - position_ - 1));
        position_ = end + 1;
        return value;
    }
    std::string parseDtype() {
        if (peek() == '[')
            failHere(fmt::format("a structured dtype; accepted are plain arrays of {}", kAcceptedTypes));
        return parseString();
    }
    bool parseBoolean() {
        skipSpace();
        for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}})
            if (text_.substr(position_).starts_with(word)) {
                position_ += word.size();
                return value;
            }
        failHere("expected True or False");
    }
    std::vector<std::size_t> parseShape() {
        std::vector<std::size_t> shape;
        expect('(');
        while (!accept(')')) {
            skipSpace();
            std::size_t extent = 0;
            const char* begin = text_.data() + position_;
            const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
            if (error == std::errc::result_out_of_range) failHere("an extent of the shape is too large");
            if (error != std::errc()) failHere("expected an extent of the shape, a whole number ≥ 0");
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

/// Fills kind, itemBytes and bigEndian from the dtype: byte order, kind, size.
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

}  // namespace glycine::io
