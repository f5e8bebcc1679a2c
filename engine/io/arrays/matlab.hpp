#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Values of MATLAB files: versions 5 to 7.2 are read here, 7.3 (HDF5) through the HDF5 library.
namespace glycine::io {

struct MatlabValue {
    enum class Kind { Numbers, Text, Cells, Structure, Other };
    /// Number types in the file, little-endian.
    enum class Type { Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float32, Float64 };

    Kind kind = Kind::Other;
    std::vector<std::size_t> shape;     ///< at least two extents; elements in column-major order
    std::string text;                   ///< UTF-8
    Type type = Type::Float64;          ///< of the numbers
    std::span<const std::byte> bytes;   ///< of the numbers
    std::shared_ptr<const void> owner;  ///< keeps `bytes` alive
    std::vector<MatlabValue> cells;
    /// Fields of a structure or an array of structures: one value per element.
    std::map<std::string, std::vector<MatlabValue>, std::less<>> fields;

    std::size_t count() const;
    double number(std::size_t index) const;  ///< precondition: kind is Numbers, index < count()
    /// The value of a single number; nothing for anything else.
    std::optional<double> number() const;
    /// A field's value in one element; nullptr if it does not exist.
    const MatlabValue* find(std::string_view field, std::size_t element = 0) const;
};

std::size_t bytesOf(MatlabValue::Type type);

/// Parses the variables of a file of version 5 (to 7.2), as fields of one structure. Objects, sparse and
/// complex values are Kind::Other. `owner` keeps `bytes` alive. Throws InputError, naming the byte, for
/// another version, a big-endian file, and damaged or truncated data.
/// Source: MathWorks, "MAT-File Format", sections on level 5.
MatlabValue parseMatlab(std::span<const std::byte> bytes, const std::string& name,
                        std::shared_ptr<const void> owner = {});

/// Reads the variables of a file of any version. Of version 7.3, reads only the fields `wanted` of variables
/// and, if the variable `within` is a structure, of that one. Throws InputError as parseMatlab and openHdf5
/// do.
MatlabValue readMatlab(const std::filesystem::path& path, std::string_view within,
                       std::span<const std::string_view> wanted);

}  // namespace glycine::io
