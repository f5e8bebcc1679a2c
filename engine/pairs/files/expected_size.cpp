#include "engine/pairs/files/expected_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/text.hpp"

namespace glycine::pairs {

namespace {

/// Characters of the longest value.
double mostCharacters(const ExpectedValues& values) {
    constexpr double kNan = 3, kInt32 = 11, kFloat32 = 15, kFloat64 = 24;
    switch (values.type) {
        case ValueType::Int32:
            break;
        case ValueType::Float32:
            return kFloat32;
        case ValueType::Float64:
            return kFloat64;
    }
    if (!std::isfinite(values.largest)) return kInt32;
    return std::max(kNan, static_cast<double>(fmt::formatted_size("{:.0f}", values.largest)));
}

}  // namespace

storage::ExpectedFile expectedFile(const std::filesystem::path& path, MatrixFormat format, MatrixShape shape,
                                   const ExpectedValues& values) {
    constexpr double kHead = 4096;
    const auto n = static_cast<double>(values.names.size());
    const auto columns = static_cast<double>(values.references);
    const bool isRectangle = values.references > 0, isSquare = shape == MatrixShape::Square;
    const double below = n * (n - 1) / 2;
    const double all = isRectangle ? columns * (n - columns) : isSquare ? n * n : below;
    constexpr std::size_t kPadded = 12;
    const storage::NameCharacters names(values.names, kPadded);
    const double characters = mostCharacters(values);
    storage::ExpectedFile file{path};
    switch (format) {
        case MatrixFormat::Npy:
        case MatrixFormat::Npz:
            file.least = all * static_cast<double>(bytesOf(values.type));
            // An .npz file has the names, four bytes per character of the longest.
            file.most = file.least + kHead + (format == MatrixFormat::Npz ? 4 * n * names.longest : 0);
            break;
        case MatrixFormat::Molten: {
            // Each name once for each of its pairs, in a rectangle with at least this many others.
            const double others = isRectangle ? std::min(columns, n - columns) : isSquare ? 2 * n : n - 1;
            const double most = isRectangle ? std::max(columns, n - columns) : others;
            file.least = names.least * others + all * 4;
            file.most = kHead + names.most * most + all * (3 + characters);
            break;
        }
        case MatrixFormat::Csv:
        case MatrixFormat::Tsv:
        case MatrixFormat::Phylip:
            file.least = names.least + all * 2;
            file.most = kHead + 2 * names.most + 2 * n + (all + n) * (1 + characters);
            break;
    }
    if (lowerCase(path.extension().string()) == ".gz") file.least = 0;
    return file;
}

std::vector<storage::ExpectedFile> expectedFiles(const std::vector<std::string>& outputs,
                                                 const MatrixFileOptions& options,
                                                 const ExpectedValues& values) {
    std::vector<storage::ExpectedFile> files;
    for (const std::string& path : outputs)
        files.push_back(expectedFile(path, matrixFormat(path, options), options.shape, values));
    return files;
}

}  // namespace glycine::pairs
