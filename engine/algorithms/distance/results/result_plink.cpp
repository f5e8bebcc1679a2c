#include "engine/algorithms/distance/results/result_plink.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/algorithms/distance/results/plink_number.hpp"
#include "engine/pairs/files/pair_rows.hpp"

namespace glycine::distance {

namespace {

/// Family and individual identifiers, a line an instance.
void writeIds(storage::AtomicFile& file, const ResultLabels& labels) {
    std::vector<std::string> lines;
    // White space within an identifier would make it two.
    constexpr std::string_view kWhite = " \t\r\n\v\f";
    for (const auto& [family, individual] : labels.familyIds)
        lines.push_back(pairs::nameWithout(kWhite, family) + '\t' + pairs::nameWithout(kWhite, individual));
    for (const std::string& line : pairs::namesWithout("\n", lines, file.target())) file.write(line + '\n');
}

template <class T>
void appendBytes(std::string& text, T value) {
    // PLINK's undefined values come from 0/0 on x86, which sets the sign.
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr T kUndefined = std::bit_cast<T>(sizeof(T) == 8 ? Bits(0xfff8000000000000) : Bits(0xffc00000));
    if (std::isnan(value)) value = kUndefined;
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class T>
void writeBinaryRows(storage::AtomicFile& file, const ResultParts& result, Shape shape) {
    const std::size_t n = result.store.instances();
    pairs::writeRows(file, result.store,
                     shape == Shape::Square ? pairs::RowPart::Whole : pairs::RowPart::Below, result.progress,
                     [&](std::size_t row, const double* values, std::string& text) {
                         for (std::size_t j = 0; j < (shape == Shape::Square ? n : row); ++j)
                             appendBytes(text, static_cast<T>(values[j]));
                         if (shape == Shape::SquareZero) text.append((n - row) * sizeof(T), '\0');
                     });
}

/// Writes both files; neither appears without the other being complete.
template <class WriteMatrix>
void writeWithIds(const std::filesystem::path& path, ResultFormat format, const ResultParts& result,
                  const WriteMatrix& writeMatrix) {
    const std::vector<std::filesystem::path> paths = resultFiles(path, format);
    storage::AtomicFile matrix(paths[0]);
    storage::AtomicFile ids(paths[1]);
    writeIds(ids, result.labels);
    writeMatrix(matrix);
    matrix.commit();
    ids.commit();
}

}  // namespace

void writePlinkText(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    const std::size_t n = result.store.instances();
    const bool isSimilarity = result.labels.measure == Measure::Ibs;
    writeWithIds(path, ResultFormat::PlinkText, result, [&](storage::AtomicFile& file) {
        pairs::writeRows(
            file, result.store, shape == Shape::Square ? pairs::RowPart::Whole : pairs::RowPart::Below,
            result.progress, [&](std::size_t row, const double* values, std::string& text) {
                const std::size_t triangleEnd = isSimilarity || shape == Shape::SquareZero ? row + 1 : row;
                const std::size_t end = shape == Shape::Square ? n : triangleEnd;
                if (end == 0) return;
                char number[io::kNumberChars + 1];
                for (std::size_t j = 0; j < end; ++j) {
                    char* const stop = writePlinkNumber(number, values[j]);
                    *stop = '\t';
                    text.append(number, stop + 1);
                }
                if (shape == Shape::SquareZero)
                    for (std::size_t j = end; j < n; ++j) text.append("0\t");
                text.back() = '\n';
            });
    });
}

void writePlinkBinary(const std::filesystem::path& path, const ResultParts& result, Shape shape) {
    writeWithIds(path, ResultFormat::PlinkBinary, result, [&](storage::AtomicFile& file) {
        if (result.store.valueType() == pairs::ValueType::Float32)
            writeBinaryRows<float>(file, result, shape);
        else
            writeBinaryRows<double>(file, result, shape);
    });
}

}  // namespace glycine::distance
