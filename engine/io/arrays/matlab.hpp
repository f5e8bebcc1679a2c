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
    /// As the file has them, little-endian.
    enum class Type { Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float32, Float64 };

    Kind kind = Kind::Other;
    std::vector<std::size_t> shape;     ///< two extents at least; elements lie column by column
    std::string text;                   ///< UTF-8
    Type type = Type::Float64;          ///< of numbers
    std::span<const std::byte> bytes;   ///< of numbers
    std::shared_ptr<const void> owner;  ///< keeps them alive
    std::vector<MatlabValue> cells;
    /// Of a structure or an array of structures: one value an element.
    std::map<std::string, std::vector<MatlabValue>, std::less<>> fields;

    std::size_t count() const;
    double number(std::size_t index) const;  ///< precondition: kind is Numbers, index < count()
    /// Of a single number.
    std::optional<double> number() const;
    /// A field's value in one element; nullptr where there is none.
    const MatlabValue* find(std::string_view field, std::size_t element = 0) const;
};

std::size_t bytesOf(MatlabValue::Type type);

/// The variables of a file of version 5 (to 7.2), as fields of one structure. Values that are objects, sparse
/// or complex are Kind::Other. `owner` keeps `bytes` alive. Throws InputError for another version, a file
/// written big-endian, and for what is damaged or truncated, naming the byte.
/// Source: MathWorks, "MAT-File Format", sections on level 5.
MatlabValue parseMatlab(std::span<const std::byte> bytes, const std::string& name,
                        std::shared_ptr<const void> owner = {});

/// The variables of a file of either version; of version 7.3 only the fields `wanted` of variables and, where
/// the variable `within` is a structure, of this one. Throws InputError as parseMatlab and openHdf5 do.
MatlabValue readMatlab(const std::filesystem::path& path, std::string_view within,
                       std::span<const std::string_view> wanted);

}  // namespace glycine::io
