#include "engine/io/arrays/matlab.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/hdf5.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io {

namespace {

using Value = MatlabValue;
using Kind = Value::Kind;
using Type = Value::Type;
using Bytes = std::span<const std::byte>;

template <class T>
T numberAt(Bytes bytes, std::size_t position) {
    T value;
    std::memcpy(&value, bytes.data() + position, sizeof(value));
    return value;
}

/// The product of the extents; nothing if it exceeds `most`.
std::optional<std::size_t> product(std::span<const std::size_t> shape, std::size_t most) {
    if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end()) return 0;
    std::size_t all = 1;
    for (const std::size_t extent : shape) {
        if (all > most / extent) return std::nullopt;
        all *= extent;
    }
    return all;
}

void appendUtf16(std::string& text, std::span<const std::uint16_t> units) {
    for (std::size_t k = 0; k < units.size(); ++k) {
        std::uint32_t code = units[k];
        const bool isPair = code >= 0xd800 && code < 0xdc00 && k + 1 < units.size() &&
                            units[k + 1] >= 0xdc00 && units[k + 1] < 0xe000;
        if (isPair) code = 0x10000 + ((code - 0xd800) << 10) + (units[++k] - 0xdc00U);
        if (code != 0) appendUtf8(text, code >= 0xd800 && code < 0xe000 ? U'\ufffd' : code);
    }
}

// ---- Level 5

constexpr unsigned kMatrix = 14, kCompressed = 15, kUtf8Text = 16, kUtf16Text = 17;
// Classes of arrays.
constexpr unsigned kCell = 1, kStructure = 2, kCharacters = 4, kFirstNumber = 6, kLastNumber = 15;

std::optional<Type> storedType(unsigned number) {
    constexpr std::pair<unsigned, Type> kTypes[] = {
        {1, Type::Int8},   {2, Type::UInt8},   {3, Type::Int16},   {4, Type::UInt16}, {5, Type::Int32},
        {6, Type::UInt32}, {7, Type::Float32}, {9, Type::Float64}, {12, Type::Int64}, {13, Type::UInt64}};
    for (const auto& [known, type] : kTypes)
        if (known == number) return type;
    return std::nullopt;
}

class Parser {
  public:
    Parser(Bytes bytes, const std::string& name, std::shared_ptr<const void> owner)
        : bytes_(bytes), name_(name), owner_(std::move(owner)) {}

    Value file() {
        constexpr std::size_t kHeader = 128;
        if (bytes_.size() < kHeader) fail(0, "no MATLAB file: it is shorter than the header");
        if (numberAt<std::uint16_t>(bytes_, 126) == 0x494d)
            fail(126, "the file was written in big-endian order, which is not read; save it again");
        if (numberAt<std::uint16_t>(bytes_, 126) != 0x4d49 || numberAt<std::uint16_t>(bytes_, 124) != 0x0100)
            fail(124, "no MATLAB file of version 5, 6 or 7");
        Value all;
        all.kind = Kind::Structure;
        all.shape = {1, 1};
        for (std::size_t at = kHeader; at < bytes_.size();) {
            Element element = take(bytes_, at);
            place_ = element.position;
            std::shared_ptr<const void> owner = owner_;
            if (element.type == kCompressed) {
                auto unpacked = std::make_shared<std::vector<std::byte>>(unpack(element.bytes));
                std::size_t within = 0;
                element = take(*unpacked, within);
                owner = std::move(unpacked);
            }
            if (element.type != kMatrix) continue;
            std::string variable;
            Value value = array(element.bytes, owner, 0, &variable);
            if (!variable.empty()) all.fields[variable] = {std::move(value)};
        }
        return all;
    }

  private:
    struct Element {
        unsigned type = 0;
        std::size_t position = 0;
        Bytes bytes;
    };

    /// `position` is an offset in the file. Within compressed variables, it is where the variable begins.
    [[noreturn]] void fail(std::size_t position, std::string_view what) const {
        throw InputError(fmt::format("{}: byte {}: {}", name_, position, what));
    }
    [[noreturn]] void damaged() const { fail(place_, "this variable is damaged"); }

    /// The element at `at`; advances `at` past it.
    Element take(Bytes bytes, std::size_t& at) const {
        const bool isTop = bytes.data() == bytes_.data();
        const std::size_t position = isTop ? at : place_;
        if (bytes.size() - at < 8) fail(position, "truncated: the file ends here");
        const auto first = numberAt<std::uint32_t>(bytes, at);
        if (const std::uint32_t small = first >> 16; small != 0) {
            if (small > 4) fail(position, "a small element of more than 4 bytes");
            at += 8;
            return {first & 0xffffU, position, bytes.subspan(at - 4, small)};
        }
        const std::size_t size = numberAt<std::uint32_t>(bytes, at + 4);
        if (size > bytes.size() - at - 8)
            fail(position,
                 fmt::format("truncated: an element of {} bytes, {} are there", size, bytes.size() - at - 8));
        const Element element{first, position, bytes.subspan(at + 8, size)};
        const std::size_t padded = first == kCompressed ? size : (size + 7) / 8 * 8;
        at = std::min(bytes.size(), at + 8 + padded);
        return element;
    }

    std::vector<std::byte> unpack(Bytes packed) const {
        z_stream stream{};
        if (inflateInit(&stream) != Z_OK) throw MemoryError(name_ + ": no memory to unpack with");
        const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
        stream.avail_in = static_cast<uInt>(packed.size());
        std::vector<std::byte> result(8);
        const auto fill = [&](std::size_t begin) {
            while (begin < result.size()) {
                const std::size_t room = std::min<std::size_t>(result.size() - begin, 1U << 30);
                stream.next_out = reinterpret_cast<Bytef*>(result.data() + begin);
                stream.avail_out = static_cast<uInt>(room);
                const int status = inflate(&stream, Z_NO_FLUSH);
                const std::size_t came = room - stream.avail_out;
                begin += came;
                if ((status != Z_OK && status != Z_STREAM_END) || came == 0)
                    fail(place_, "this packed variable is damaged or truncated");
            }
        };
        fill(0);
        // Deflate expands a byte to at most 1032 bytes.
        const double size = numberAt<std::uint32_t>(result, 4);
        if (size > 1032.0 * static_cast<double>(packed.size())) damaged();
        requireHostMemory(name_ + ": unpacking", size);
        result.resize(8 + static_cast<std::size_t>(size));
        fill(8);
        return result;
    }

    /// The content of a matrix element.
    Value array(Bytes bytes, const std::shared_ptr<const void>& owner, int depth,
                std::string* variable = nullptr) {
        constexpr int kDeepest = 32;
        Value value;
        value.shape = {0, 0};
        if (bytes.empty()) return value;
        if (depth > kDeepest) damaged();
        std::size_t at = 0;
        const Element flags = take(bytes, at), extents = take(bytes, at), title = take(bytes, at);
        if (flags.bytes.size() < 8 || extents.bytes.size() < 8 || extents.bytes.size() % 4 != 0) damaged();
        const auto word = numberAt<std::uint32_t>(flags.bytes, 0);
        const unsigned kind = word & 0xffU;
        const bool isComplex = (word & 0x0800U) != 0;
        value.shape.clear();
        for (std::size_t k = 0; k < extents.bytes.size(); k += 4)
            value.shape.push_back(
                static_cast<std::size_t>(std::max(0, numberAt<std::int32_t>(extents.bytes, k))));
        if (variable != nullptr)
            variable->assign(reinterpret_cast<const char*>(title.bytes.data()), title.bytes.size());
        if (kind == kCell || kind == kStructure) {
            // Each element takes at least eight bytes.
            const auto count = product(value.shape, bytes.size() / 8);
            if (!count) damaged();
            value.kind = kind == kCell ? Kind::Cells : Kind::Structure;
            if (kind == kCell)
                for (std::size_t k = 0; k < *count; ++k) value.cells.push_back(next(bytes, at, owner, depth));
            else
                takeFields(value, bytes, at, owner, depth, *count);
        } else if (kind == kCharacters) {
            const Element data = take(bytes, at);
            value.kind = Kind::Text;
            value.text = textOf(data);
        } else if (kind >= kFirstNumber && kind <= kLastNumber && !isComplex) {
            const Element data = take(bytes, at);
            const std::optional<Type> type = storedType(data.type);
            if (!type) damaged();
            const auto count = product(value.shape, data.bytes.size());
            if (!count || *count * bytesOf(*type) != data.bytes.size()) damaged();
            value.kind = Kind::Numbers;
            value.type = *type;
            value.bytes = data.bytes;
            value.owner = owner;
        }
        return value;
    }

    Value next(Bytes bytes, std::size_t& at, const std::shared_ptr<const void>& owner, int depth) {
        const Element element = take(bytes, at);
        if (element.type != kMatrix) damaged();
        return array(element.bytes, owner, depth + 1);
    }

    void takeFields(Value& value, Bytes bytes, std::size_t& at, const std::shared_ptr<const void>& owner,
                    int depth, std::size_t count) {
        const Element width = take(bytes, at), names = take(bytes, at);
        if (width.bytes.size() != 4) damaged();
        const auto length = static_cast<std::size_t>(numberAt<std::uint32_t>(width.bytes, 0));
        if (length == 0 || names.bytes.size() % length != 0) damaged();
        const std::string_view all(reinterpret_cast<const char*>(names.bytes.data()), names.bytes.size());
        std::vector<std::vector<Value>*> targets;
        for (std::size_t begin = 0; begin < all.size(); begin += length) {
            const std::string_view name = all.substr(begin, length);
            targets.push_back(&value.fields[std::string(name.substr(0, name.find('\0')))]);
        }
        for (std::size_t k = 0; k < count; ++k)
            for (std::vector<Value>* target : targets) target->push_back(next(bytes, at, owner, depth));
    }

    static std::string textOf(const Element& data) {
        const std::string_view raw(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
        if (data.type != 4 && data.type != kUtf16Text) return utf8FromUnknown(raw.substr(0, raw.find('\0')));
        std::vector<std::uint16_t> units(raw.size() / 2);
        if (!units.empty()) std::memcpy(units.data(), raw.data(), 2 * units.size());
        std::string text;
        appendUtf16(text, units);
        return text;
    }

    Bytes bytes_;
    const std::string& name_;
    std::shared_ptr<const void> owner_;
    std::size_t place_ = 0;  ///< where the current variable begins
};

// ---- Version 7.3

/// Values as MATLAB stores them in HDF5: extents in reverse order, texts as character codes, cells and arrays
/// of structures as references.
class Hdf5Values {
  public:
    explicit Hdf5Values(const Hdf5File& file) : file_(file) {}

    Value value(const std::string& path, int depth = 0) const {
        constexpr int kDeepest = 8;
        Value value;
        value.shape = {1, 1};
        if (depth > kDeepest || !file_.has(path)) return value;
        if (file_.isGroup(path)) {
            value.kind = Kind::Structure;
            for (const std::string& field : file_.children(path))
                add(value, field, path + "/" + field, depth);
            return value;
        }
        const std::unique_ptr<Hdf5Dataset> dataset = file_.dataset(path);
        const Hdf5Dataset& data = *dataset;
        const std::string kind = file_.text(path, "MATLAB_class").value_or("");
        const bool isEmpty =
            file_.wholeNumbers(path, "MATLAB_empty").value_or(std::vector<std::int64_t>{0}).front() != 0;
        value.shape.assign(data.shape().rbegin(), data.shape().rend());
        if (isEmpty) value.shape = {0, 0};
        if (kind == "cell") {
            value.kind = Kind::Cells;
            if (!isEmpty)
                for (const std::string& target : data.readReferences())
                    value.cells.push_back(this->value(target, depth + 1));
        } else if (data.kind() == Hdf5Kind::Numbers) {
            takeNumbers(value, data, isEmpty, kind == "char");
        }
        return value;
    }

    /// Adds a field of a structure: one value, or a list of references, one per element.
    void add(Value& structure, const std::string& field, const std::string& path, int depth = 0) const {
        std::vector<Value>& values = structure.fields[field];
        const bool isList = !file_.isGroup(path) && file_.dataset(path)->kind() == Hdf5Kind::Other &&
                            !file_.text(path, "MATLAB_class");
        if (!isList) {
            values.push_back(value(path, depth + 1));
            return;
        }
        for (const std::string& target : file_.dataset(path)->readReferences())
            values.push_back(value(target, depth + 1));
        structure.shape = {1, std::max(structure.shape[1], values.size())};
    }

  private:
    static void takeNumbers(Value& value, const Hdf5Dataset& data, bool isEmpty, bool isText) {
        std::vector<Range> all;
        for (const std::size_t extent : data.shape()) all.push_back({0, isEmpty ? 0 : extent});
        const std::size_t count = isEmpty ? 0 : value.count();
        requireHostMemory(data.place(), static_cast<double>(count) * sizeof(double));
        auto numbers = std::make_shared<std::vector<double>>(count);
        if (count > 0) data.readNumbers(all, numbers->data());
        value.kind = isText ? Kind::Text : Kind::Numbers;
        if (isText) {
            std::vector<std::uint16_t> units;
            for (const double number : *numbers)
                units.push_back(number >= 0 && number < 65536 ? static_cast<std::uint16_t>(number) : 0xfffdU);
            appendUtf16(value.text, units);
            return;
        }
        value.bytes = std::as_bytes(std::span(*numbers));
        value.owner = numbers;
    }

    const Hdf5File& file_;
};

}  // namespace

std::size_t bytesOf(MatlabValue::Type type) {
    using enum MatlabValue::Type;
    switch (type) {
        case Int8:
        case UInt8:
            return 1;
        case Int16:
        case UInt16:
            return 2;
        case Int32:
        case UInt32:
        case Float32:
            return 4;
        case Int64:
        case UInt64:
        case Float64:
            break;
    }
    return 8;
}

std::size_t MatlabValue::count() const {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

double MatlabValue::number(std::size_t index) const {
    const auto as = [&]<class T>(T) { return static_cast<double>(numberAt<T>(bytes, index * sizeof(T))); };
    switch (type) {
        case Type::Int8:
            return as(std::int8_t{});
        case Type::UInt8:
            return as(std::uint8_t{});
        case Type::Int16:
            return as(std::int16_t{});
        case Type::UInt16:
            return as(std::uint16_t{});
        case Type::Int32:
            return as(std::int32_t{});
        case Type::UInt32:
            return as(std::uint32_t{});
        case Type::Int64:
            return as(std::int64_t{});
        case Type::UInt64:
            return as(std::uint64_t{});
        case Type::Float32:
            return as(float{});
        case Type::Float64:
            break;
    }
    return as(double{});
}

std::optional<double> MatlabValue::number() const {
    if (kind != Kind::Numbers || count() != 1) return std::nullopt;
    return number(0);
}

const MatlabValue* MatlabValue::find(std::string_view field, std::size_t element) const {
    const auto found = fields.find(field);
    return found == fields.end() || element >= found->second.size() ? nullptr : &found->second[element];
}

MatlabValue parseMatlab(std::span<const std::byte> bytes, const std::string& name,
                        std::shared_ptr<const void> owner) {
    return Parser(bytes, name, std::move(owner)).file();
}

MatlabValue readMatlab(const std::filesystem::path& path, std::string_view within,
                       std::span<const std::string_view> wanted) {
    const auto file = std::make_shared<const storage::MappedFile>(path);
    constexpr std::string_view kHdf5 = "\x89HDF";
    const auto holdsHdf5 = [&](std::size_t at) {
        return file->bytes().size() >= at + kHdf5.size() &&
               std::memcmp(file->bytes().data() + at, kHdf5.data(), kHdf5.size()) == 0;
    };
    // MATLAB puts a block of its own before the HDF5 data.
    if (!holdsHdf5(0) && !holdsHdf5(512)) {
        MatlabValue all = parseMatlab(file->bytes(), path.string(), file);
        file->requireUnchanged();
        return all;
    }
    const std::unique_ptr<Hdf5File> opened = openHdf5(path);
    const Hdf5Values values(*opened);
    const auto take = [&](const std::string& folder) {
        MatlabValue structure;
        structure.kind = MatlabValue::Kind::Structure;
        structure.shape = {1, 1};
        for (const std::string_view field : wanted)
            if (const std::string place = folder + std::string(field); opened->has(place))
                structure.fields[std::string(field)] = {values.value(place)};
        return structure;
    };
    MatlabValue all = take("");
    if (opened->isGroup(std::string(within)))
        all.fields[std::string(within)] = {take(std::string(within) + "/")};
    return all;
}

}  // namespace glycine::io
