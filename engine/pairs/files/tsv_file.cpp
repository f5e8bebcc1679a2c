#include <string>
#include <vector>

#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_rows.hpp"

namespace glycine::pairs {

namespace {

constexpr std::string_view kSeparators = "\t\r\n";

}  // namespace

void writeTsv(const std::filesystem::path& path, const PairFile& pairs, FilePart part) {
    const std::vector<std::string> names = namesWithout(kSeparators, pairs.names, path);
    const ValueType type = pairs.store.valueType();
    const bool isTriangle = part == FilePart::Triangle;
    storage::AtomicFile file(path);
    std::string header;
    for (const std::string& name : names) header.append("\t").append(name);
    file.write(header += '\n');
    writeRows(file, pairs.store, isTriangle ? RowPart::Below : RowPart::Whole, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[1 + io::kNumberChars] = {'\t'};
                  text.append(names[row]);
                  for (std::size_t j = 0; j < (isTriangle ? row + 1 : names.size()); ++j)
                      text.append(number, writeValue(number + 1, values[j], type));
                  text.push_back('\n');
              });
    file.commit();
}

void writeMolten(const std::filesystem::path& path, const PairFile& pairs, FilePart part,
                 std::optional<double> largest) {
    const std::vector<std::string> names = namesWithout(kSeparators, pairs.names, path);
    const ValueType type = pairs.store.valueType();
    const bool isTriangle = part == FilePart::Triangle;
    storage::AtomicFile file(path);
    writeRows(file, pairs.store, isTriangle ? RowPart::Below : RowPart::Whole, pairs.progress,
              [&](std::size_t row, const double* values, std::string& text) {
                  char number[io::kNumberChars];
                  for (std::size_t j = 0; j < (isTriangle ? row : names.size()); ++j) {
                      if (largest && !(values[j] <= *largest)) continue;
                      text.append(names[row]).append("\t").append(names[j]).append("\t");
                      text.append(number, writeValue(number, values[j], type)).push_back('\n');
                  }
              });
    file.commit();
}

}  // namespace glycine::pairs
