#include "engine/io/arrays/hdf5.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <array>
#include <cstring>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/storage/input_file.hpp"

namespace glycine::io::hdf5 {

namespace fs = std::filesystem;

namespace {

using Close = herr_t (*)(hid_t);

/// Owns an object of the library.
class Handle {
  public:
    Handle(hid_t id, Close close) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    hid_t id() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }

  private:
    hid_t id_;
    Close close_;
};

/// The library's message for its last error, from the function that failed first.
std::string libraryMessage() {
    std::string message;
    const auto keep = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
        if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep, &message);
    H5Eclear2(H5E_DEFAULT);
    return message.empty() ? "the HDF5 library does not say why" : message;
}

std::string typeNameOf(hid_t type) {
    const std::size_t bits = 8 * H5Tget_size(type);
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
        case H5T_FLOAT:
            return fmt::format("float{}", bits);
        case H5T_STRING:
            return "text";
        case H5T_COMPOUND:
            return "records of several fields";
        case H5T_ENUM:
            return "named values (such as true and false)";
        case H5T_REFERENCE:
            return "references";
        default:
            return "neither numbers nor text";
    }
}

bool isNumber(hid_t type) {
    const H5T_class_t kind = H5Tget_class(type);
    return (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Tget_size(type) <= sizeof(double);
}

/// The texts of `count` elements of type `type`, read by `read(memory type, buffer)`. `space` is that of all
/// elements.
template <class Read>
std::optional<std::vector<std::string>> textsOf(hid_t type, std::size_t count, const Handle& space,
                                                const Read& read) {
    // Keep the file's encoding: the library would not convert it.
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_cset(memory.id(), H5Tget_cset(type));
    std::vector<std::string> texts;
    texts.reserve(count);
    if (H5Tis_variable_str(type) > 0) {
        H5Tset_size(memory.id(), H5T_VARIABLE);
        std::vector<char*> buffer(count, nullptr);
        const bool isRead = read(memory.id(), static_cast<void*>(buffer.data()));
        if (isRead)
            for (const char* text : buffer) texts.emplace_back(text == nullptr ? "" : text);
        H5Dvlen_reclaim(memory.id(), space.id(), H5P_DEFAULT, static_cast<void*>(buffer.data()));
        if (!isRead) return std::nullopt;
        return texts;
    }
    const std::size_t length = H5Tget_size(type);
    const Handle fixed(H5Tcopy(type), H5Tclose);
    std::vector<char> buffer(count * length + 1);
    if (!read(fixed.id(), static_cast<void*>(buffer.data()))) return std::nullopt;
    const bool hasBlanks = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
    for (std::size_t i = 0; i < count; ++i) {
        std::string text(buffer.data() + i * length, strnlen(buffer.data() + i * length, length));
        if (hasBlanks) text.erase(text.find_last_not_of(' ') + 1);
        texts.push_back(std::move(text));
    }
    return texts;
}

/// A dataset of an open file.
class Dataset : public Hdf5Dataset {
  public:
    Dataset(fs::path path, std::string name, Handle dataset, Handle type, Handle space, hid_t made);

    std::string place() const override { return fmt::format("{}: dataset '{}'", path_.string(), name_); }
    Hdf5Kind kind() const override;
    bool isWhole() const override {
        return kind() == Hdf5Kind::Numbers && H5Tget_class(type_.id()) == H5T_INTEGER;
    }
    std::string words() const override { return typeNameOf(type_.id()); }
    const std::vector<std::size_t>& shape() const override { return shape_; }
    const std::vector<std::size_t>& pieces() const override { return pieces_; }
    void readNumbers(std::span<const Range> part, double* target) const override;
    void readWholeNumbers(std::span<const Range> part, std::int64_t* target) const override;
    std::vector<std::string> readTexts() const override;
    std::vector<std::string> readReferences() const override;

  private:
    /// Reads the part's elements in the memory type `memory`.
    void read(std::span<const Range> part, hid_t memory, void* target) const {
        std::vector<hsize_t> start, count;
        hsize_t all = 1;
        for (const Range& range : part) {
            start.push_back(range.begin);
            count.push_back(range.size());
            all *= range.size();
        }
        if (all == 0) return;
        const Handle chosen(H5Scopy(space_.id()), H5Sclose);
        const Handle here(H5Screate_simple(1, &all, nullptr), H5Sclose);
        H5Sselect_hyperslab(chosen.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
        if (H5Dread(dataset_.id(), memory, here.id(), chosen.id(), H5P_DEFAULT, target) < 0)
            throw InputError(fmt::format("{} cannot be read: {}", place(), libraryMessage()));
    }

    /// Reads the part's 64-bit integers; each must be exact in float64.
    template <class Whole>
    void readExactly(std::span<const Range> part, hid_t memory, double* target) const {
        static_assert(sizeof(Whole) == sizeof(double));
        read(part, memory, target);
        std::size_t count = 1;
        for (const Range& range : part) count *= range.size();
        for (std::size_t i = 0; i < count; ++i) {
            Whole number;
            std::memcpy(&number, target + i, sizeof(number));
            if (!holdsExactly<double>(number))
                throw InputError(fmt::format("{}: element ({}) is {}; expected {}", place(),
                                             fmt::join(indexOf(part, i), ", "), number,
                                             kExactWholeNumber<double>));
            target[i] = static_cast<double>(number);
        }
    }

    /// Index of element `i` of the part.
    static std::vector<std::size_t> indexOf(std::span<const Range> part, std::size_t i) {
        std::vector<std::size_t> index(part.size());
        for (std::size_t d = part.size(); d-- > 0; i /= part[d].size())
            index[d] = part[d].begin + i % part[d].size();
        return index;
    }

    fs::path path_;
    std::string name_;
    Handle dataset_;
    Handle type_;
    Handle space_;
    std::vector<std::size_t> shape_{};
    std::vector<std::size_t> pieces_{};
};

Dataset::Dataset(fs::path path, std::string name, Handle dataset, Handle type, Handle space, hid_t made)
    : path_(std::move(path)),
      name_(std::move(name)),
      dataset_(std::move(dataset)),
      type_(std::move(type)),
      space_(std::move(space)) {
    const int dimensions = std::max(0, H5Sget_simple_extent_ndims(space_.id()));
    std::vector<hsize_t> extents(static_cast<std::size_t>(dimensions));
    H5Sget_simple_extent_dims(space_.id(), extents.data(), nullptr);
    shape_.assign(extents.begin(), extents.end());
    pieces_.assign(extents.size(), 1);
    if (H5Pget_layout(made) == H5D_CHUNKED && H5Pget_chunk(made, dimensions, extents.data()) == dimensions)
        pieces_.assign(extents.begin(), extents.end());
}

Hdf5Kind Dataset::kind() const {
    if (isNumber(type_.id())) return Hdf5Kind::Numbers;
    return H5Tget_class(type_.id()) == H5T_STRING ? Hdf5Kind::Text : Hdf5Kind::Other;
}

void Dataset::readNumbers(std::span<const Range> part, double* target) const {
    if (kind() != Hdf5Kind::Numbers)
        throw InputError(fmt::format("{} holds {}; expected numbers of at most 64 bits", place(), words()));
    if (!isWhole() || H5Tget_size(type_.id()) < sizeof(std::int64_t))
        read(part, H5T_NATIVE_DOUBLE, target);
    else if (H5Tget_sign(type_.id()) == H5T_SGN_NONE)
        readExactly<std::uint64_t>(part, H5T_NATIVE_UINT64, target);
    else
        readExactly<std::int64_t>(part, H5T_NATIVE_INT64, target);
}

void Dataset::readWholeNumbers(std::span<const Range> part, std::int64_t* target) const {
    if (!isWhole()) throw InputError(fmt::format("{} holds {}; expected whole numbers", place(), words()));
    read(part, H5T_NATIVE_INT64, target);
}

std::vector<std::string> Dataset::readTexts() const {
    if (kind() != Hdf5Kind::Text || shape().size() != 1)
        throw InputError(fmt::format("{} holds {} in {} dimensions; expected a list of texts", place(),
                                     words(), shape().size()));
    const auto texts = textsOf(type_.id(), shape()[0], space_, [&](hid_t memory, void* target) {
        return shape()[0] == 0 || H5Dread(dataset_.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, target) >= 0;
    });
    if (!texts) throw InputError(fmt::format("{} cannot be read: {}", place(), libraryMessage()));
    return *texts;
}

std::vector<std::string> Dataset::readReferences() const {
    if (H5Tequal(type_.id(), H5T_STD_REF_OBJ) <= 0)
        throw InputError(fmt::format("{} holds {}; expected references", place(), words()));
    std::vector<hobj_ref_t> references(
        static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space_.id()))));
    if (!references.empty() && H5Dread(dataset_.id(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                       static_cast<void*>(references.data())) < 0)
        throw InputError(fmt::format("{} cannot be read: {}", place(), libraryMessage()));
    std::vector<std::string> names;
    for (const hobj_ref_t& reference : references) {
        std::array<char, 256> name{};
        (void)H5Rget_name(dataset_.id(), H5R_OBJECT, &reference, name.data(), name.size());
        names.emplace_back(name.data());
    }
    H5Eclear2(H5E_DEFAULT);
    return names;
}

class File : public Hdf5File {
  public:
    explicit File(const fs::path& path);

    const fs::path& path() const override { return path_; }
    bool has(const std::string& name) const override;
    bool isGroup(const std::string& name) const override;
    std::vector<std::string> children(const std::string& group) const override;
    std::unique_ptr<Hdf5Dataset> dataset(const std::string& name) const override;
    std::optional<std::string> text(const std::string& object, const std::string& attribute) const override;
    std::optional<std::vector<std::int64_t>> wholeNumbers(const std::string& object,
                                                          const std::string& attribute) const override;

  private:
    /// Opens the file with the library.
    static Handle opened(const fs::path& path);

    fs::path path_;
    Handle file_;
};

File::File(const fs::path& path) : path_(path), file_(opened(path)) {}

Handle File::opened(const fs::path& path) {
    // Errors are reported by exceptions, not printed.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const std::string openable = storage::openablePath(path);
    { const storage::InputDescriptor opened(path); }  // for the system's message if it cannot be opened
    if (H5Fis_hdf5(openable.c_str()) <= 0) {
        H5Eclear2(H5E_DEFAULT);
        throw InputError(fmt::format("{}: is no HDF5 file", path.string()));
    }
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
    // Some network folders do not support locks.
    H5Pset_file_locking(access.id(), true, true);
#endif
    Handle file(H5Fopen(openable.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
    if (!file)
        throw InputError(
            fmt::format("{}: the HDF5 file cannot be opened: {}", path.string(), libraryMessage()));
    return file;
}

bool File::has(const std::string& name) const {
    // The library requires every part of a path to be checked separately.
    for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
        if (end > 0 && H5Lexists(file_.id(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    const bool is = name == "/" || (!name.empty() && H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) > 0 &&
                                    H5Oexists_by_name(file_.id(), name.c_str(), H5P_DEFAULT) > 0);
    H5Eclear2(H5E_DEFAULT);
    return is;
}

bool File::isGroup(const std::string& name) const {
    if (!has(name)) return false;
    const Handle object(H5Oopen(file_.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
    return object && H5Iget_type(object.id()) == H5I_GROUP;
}

std::vector<std::string> File::children(const std::string& group) const {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    if (!isGroup(group)) throw InputError(fmt::format("{}: has no group '{}'", path_.string(), group));
    const Handle opened(H5Gopen2(file_.id(), group.c_str(), H5P_DEFAULT), H5Gclose);
    if (!opened || H5Literate(opened.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0)
        throw InputError(
            fmt::format("{}: group '{}' cannot be read: {}", path_.string(), group, libraryMessage()));
    return names;
}

std::unique_ptr<Hdf5Dataset> File::dataset(const std::string& name) const {
    if (!has(name)) {
        const std::size_t slash = name.rfind('/');
        const std::string parent = slash == std::string::npos || slash == 0 ? "/" : name.substr(0, slash);
        throw InputError(fmt::format(
            "{}: has no dataset '{}'{}", path_.string(), name,
            isGroup(parent) ? fmt::format("; in '{}' there are {}", parent, quoteNames(children(parent)))
                            : ""));
    }
    Handle dataset(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset) {
        H5Eclear2(H5E_DEFAULT);
        throw InputError(fmt::format("{}: '{}' is no dataset", path_.string(), name));
    }
    Handle type(H5Dget_type(dataset.id()), H5Tclose);
    Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const Handle made(H5Dget_create_plist(dataset.id()), H5Pclose);
    if (!type || !space || !made)
        throw InputError(
            fmt::format("{}: dataset '{}' cannot be read: {}", path_.string(), name, libraryMessage()));
    return std::make_unique<Dataset>(path_, name, std::move(dataset), std::move(type), std::move(space),
                                     made.id());
}

/// An open attribute, with its type and shape; `attribute` is invalid if it does not exist.
struct Attribute {
    Handle attribute;
    Handle type;
    Handle space;
    Attribute(hid_t file, const std::string& object, const std::string& name)
        : attribute(H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) > 0
                        ? H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT)
                        : H5I_INVALID_HID,
                    H5Aclose),
          type(attribute ? H5Aget_type(attribute.id()) : H5I_INVALID_HID, H5Tclose),
          space(attribute ? H5Aget_space(attribute.id()) : H5I_INVALID_HID, H5Sclose) {
        H5Eclear2(H5E_DEFAULT);
    }
    explicit operator bool() const { return attribute && type && space; }
    std::size_t count() const {
        return static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id())));
    }
};

std::optional<std::string> File::text(const std::string& object, const std::string& attribute) const {
    const Attribute found(file_.id(), object, attribute);
    if (!found || H5Tget_class(found.type.id()) != H5T_STRING || found.count() != 1) return std::nullopt;
    const auto texts = textsOf(found.type.id(), 1, found.space, [&](hid_t memory, void* target) {
        return H5Aread(found.attribute.id(), memory, target) >= 0;
    });
    H5Eclear2(H5E_DEFAULT);
    if (!texts) return std::nullopt;
    return texts->front();
}

std::optional<std::vector<std::int64_t>> File::wholeNumbers(const std::string& object,
                                                            const std::string& attribute) const {
    const Attribute found(file_.id(), object, attribute);
    if (!found || H5Tget_class(found.type.id()) != H5T_INTEGER) return std::nullopt;
    std::vector<std::int64_t> values(found.count());
    if (values.empty() || H5Aread(found.attribute.id(), H5T_NATIVE_INT64, values.data()) < 0) {
        H5Eclear2(H5E_DEFAULT);
        return std::nullopt;
    }
    return values;
}

std::unique_ptr<Hdf5File> open(const fs::path& path) {
    return std::make_unique<File>(path);
}

}  // namespace

}  // namespace glycine::io::hdf5

GLYCINE_MODULE(hdf5, glycine::io::Hdf5Module, glycine::io::hdf5::open);
