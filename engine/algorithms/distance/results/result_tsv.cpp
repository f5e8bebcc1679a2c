#include <string>
#include <vector>

#include "engine/algorithms/distance/results/number_text.hpp"
#include "engine/algorithms/distance/results/result_formats.hpp"
#include "engine/algorithms/distance/results/result_rows.hpp"

namespace glycine::distance {

namespace {

constexpr std::string_view kSeparators = "\t\r\n";

}  // namespace

void writeTsvResult(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    const std::vector<std::string> names = namesWithout(kSeparators, result.labels.names, path);
    const ValueType type = result.store.valueType();
    const bool isTriangle = shape == Shape::Triangle;
    io::AtomicFile file(path);
    std::string header;
    for (const std::string& name : names) header.append("\t").append(name);
    file.write(header += '\n');
    writeRows(file, result.store, isTriangle ? RowPart::Below : RowPart::Whole, result.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[1 + kNumberChars] = {'\t'};
                  text.append(names[row]);
                  for (std::size_t j = 0; j < (isTriangle ? row + 1 : names.size()); ++j)
                      text.append(number, writeShortest(number + 1, values[j], type));
                  text.push_back('\n');
              });
    file.commit();
}

void writeMoltenResult(const std::filesystem::path& path, const ResultParts& result, Shape shape,
                       std::optional<double> maxDistance) {
    const std::vector<std::string> names = namesWithout(kSeparators, result.labels.names, path);
    const ValueType type = result.store.valueType();
    const bool isTriangle = shape == Shape::Triangle;
    io::AtomicFile file(path);
    writeRows(file, result.store, isTriangle ? RowPart::Below : RowPart::Whole, result.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[kNumberChars];
                  for (std::size_t j = 0; j < (isTriangle ? row : names.size()); ++j) {
                      if (maxDistance && !(values[j] <= *maxDistance)) continue;
                      text.append(names[row]).append("\t").append(names[j]).append("\t");
                      text.append(number, writeShortest(number, values[j], type)).push_back('\n');
                  }
              });
    file.commit();
}

}  // namespace glycine::distance
