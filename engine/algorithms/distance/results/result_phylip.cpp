#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/algorithms/distance/results/number_text.hpp"
#include "engine/algorithms/distance/results/result_formats.hpp"
#include "engine/algorithms/distance/results/result_rows.hpp"

namespace glycine::distance {

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

void writePhylipResult(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    const std::vector<std::string> names = nameFields(result.labels.names, path);
    const ValueType type = result.store.valueType();
    const bool isTriangle = shape == Shape::Triangle;
    io::AtomicFile file(path);
    file.write(fmt::format("{}\n", names.size()));
    writeRows(file, result.store, isTriangle ? RowPart::Below : RowPart::Whole, result.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[1 + kNumberChars] = {' '};
                  text.append(names[row]);
                  for (std::size_t j = 0; j < (isTriangle ? row : names.size()); ++j)
                      text.append(number,
                                  writeShortest(number + 1, std::isnan(values[j]) ? -1 : values[j], type));
                  text.push_back('\n');
              });
    file.commit();
}

}  // namespace glycine::distance
