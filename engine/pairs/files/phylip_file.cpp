#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_rows.hpp"

namespace glycine::pairs {

namespace {

/// The names with what comes between them and the first value.
std::vector<std::string> nameFields(std::span<const std::string> names, const std::filesystem::path& path) {
    constexpr std::size_t kStrictLength = 10;
    std::vector<std::string> fields = namesWithout(" \t\r\n\v\f", names, path);
    const bool isStrict = std::all_of(fields.begin(), fields.end(),
                                      [](const std::string& name) { return name.size() <= kStrictLength; });
    for (std::string& name : fields) name.append(isStrict ? kStrictLength - name.size() : 1, ' ');
    return fields;
}

}  // namespace

void writePhylip(const std::filesystem::path& path, const PairFile& pairs, FilePart part) {
    const std::vector<std::string> names = nameFields(pairs.names, path);
    const ValueType type = pairs.store.valueType();
    const bool isTriangle = part == FilePart::Triangle;
    storage::AtomicFile file(path);
    file.write(fmt::format("{}\n", names.size()));
    writeRows(file, pairs.store, isTriangle ? RowPart::Below : RowPart::Whole, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[1 + io::kNumberChars] = {' '};
                  text.append(names[row]);
                  for (std::size_t j = 0; j < (isTriangle ? row : names.size()); ++j)
                      text.append(number,
                                  writeValue(number + 1, std::isnan(values[j]) ? -1 : values[j], type));
                  text.push_back('\n');
              });
    file.commit();
}

}  // namespace glycine::pairs
