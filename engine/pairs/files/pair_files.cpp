#include "engine/pairs/files/pair_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "engine/io/arrays/npy.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::pairs {

namespace {

constexpr std::string_view kTsvSeparators = "\t\r\n";

template <class T>
void writeTyped(const std::filesystem::path& path, const PairFile& pairs, StoreLayout part) {
    const std::size_t n = pairs.store.instances();
    storage::AtomicFile file(path);
    file.write(npyHeader({n, part}, pairs.store.valueType()));
    writeRows(file, pairs.store, part, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  const std::size_t first = part == StoreLayout::Condensed ? row + 1 : 0;
                  const std::vector<T> converted(values + first, values + n);
                  text.append(reinterpret_cast<const char*>(converted.data()), converted.size() * sizeof(T));
              });
    file.commit();
}

/// A matrix as text: `head`, then a line an instance with what stands for its name and its values, each
/// behind `separator`. `hasDiagonal`: whether a triangle has it. `undefined`: written for NaN.
void writeLines(const std::filesystem::path& path, const PairFile& pairs, StoreLayout part,
                const std::string& head, const std::vector<std::string>& names, char separator,
                bool hasDiagonal, double undefined) {
    const ValueType type = pairs.store.valueType();
    storage::AtomicFile file(path);
    file.write(head);
    writeRows(file, pairs.store, part, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[1 + io::kNumberChars] = {separator};
                  text.append(names[row]);
                  const std::size_t count =
                      part == StoreLayout::Square ? names.size() : row + (hasDiagonal ? 1 : 0);
                  for (std::size_t j = 0; j < count; ++j)
                      text.append(number, writeValue(number + 1,
                                                     std::isnan(values[j]) ? undefined : values[j], type));
                  text.push_back('\n');
              });
    file.commit();
}

/// The names with what comes between them and the first value in a PHYLIP file.
std::vector<std::string> phylipNames(std::span<const std::string> names, const std::filesystem::path& path) {
    constexpr std::size_t kStrictLength = 10;
    std::vector<std::string> fields = namesWithout(" \t\r\n\v\f", names, path);
    const bool isStrict = std::all_of(fields.begin(), fields.end(),
                                      [](const std::string& name) { return name.size() <= kStrictLength; });
    for (std::string& name : fields) name.append(isStrict ? kStrictLength - name.size() : 1, ' ');
    return fields;
}

}  // namespace

std::string npyHeader(const PairLayout& layout, ValueType type) {
    const char* dtype = type == ValueType::Int32 ? "<i4" : type == ValueType::Float32 ? "<f4" : "<f8";
    const std::size_t square[] = {layout.instances, layout.instances};
    const std::size_t condensed[] = {layout.elements()};
    switch (layout.layout) {
        case StoreLayout::Square:
            return io::npyHeaderText(dtype, square);
        case StoreLayout::Condensed:
            return io::npyHeaderText(dtype, condensed);
        case StoreLayout::Triangle:
            break;
    }
    throw std::invalid_argument("an .npy file holds a square or the condensed form");
}

void writeNpy(const std::filesystem::path& path, const PairFile& file, StoreLayout part) {
    switch (file.store.valueType()) {
        case ValueType::Int32:
            return writeTyped<std::int32_t>(path, file, part);
        case ValueType::Float32:
            return writeTyped<float>(path, file, part);
        case ValueType::Float64:
            return writeTyped<double>(path, file, part);
    }
}

void writeTsv(const std::filesystem::path& path, const PairFile& file, StoreLayout part) {
    const std::vector<std::string> names = namesWithout(kTsvSeparators, file.names, path);
    std::string header;
    for (const std::string& name : names) header.append("\t").append(name);
    writeLines(path, file, part, header + '\n', names, '\t', true, std::nan(""));
}

void writePhylip(const std::filesystem::path& path, const PairFile& file, StoreLayout part) {
    const std::vector<std::string> names = phylipNames(file.names, path);
    writeLines(path, file, part, fmt::format("{}\n", names.size()), names, ' ', false, -1);
}

void writeMolten(const std::filesystem::path& path, const PairFile& pairs, StoreLayout part,
                 std::optional<double> largest) {
    const std::vector<std::string> names = namesWithout(kTsvSeparators, pairs.names, path);
    const ValueType type = pairs.store.valueType();
    storage::AtomicFile file(path);
    writeRows(file, pairs.store, part, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[io::kNumberChars];
                  for (std::size_t j = 0; j < (part == StoreLayout::Square ? names.size() : row); ++j) {
                      if (largest && !(values[j] <= *largest)) continue;
                      text.append(names[row]).append("\t").append(names[j]).append("\t");
                      text.append(number, writeValue(number, values[j], type)).push_back('\n');
                  }
              });
    file.commit();
}

}  // namespace glycine::pairs
