#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/distance/input/input_readers.hpp"
#include "engine/io/arrays/npy.hpp"

namespace glycine::distance {

namespace {

/// What an element of the array becomes.
struct ToSymbol {
    using Target = std::uint8_t;
    template <class Source>
    static Target convert(Source value) {
        return genotypeSymbol(value);
    }
    static bool accepts(Target symbol) { return symbol != kNoGenotype; }
    static constexpr std::string_view kExpected =
        "outside the alphabet; expected 0, 1 or 2, or -1, -9, -127 or NaN for a missing genotype";
};
/// Number: float for what it holds exactly, else double.
template <class Number>
struct ToCoordinate {
    using Target = Number;
    template <class Source>
    static Target convert(Source value) {
        if constexpr (std::is_integral_v<Source>)
            if (!holdsExactly<Number>(value)) return std::numeric_limits<Number>::quiet_NaN();
        return static_cast<Number>(value);
    }
    static bool accepts(Target value) { return std::isfinite(value); }
    static constexpr std::string_view kExpected =
        "expected a finite number, of integers one that float64 holds exactly (up to 2^53 each is)";
};

/// Whether float32 holds every element of the array.
bool isSingle(const io::NpyHeader& header) {
    return header.itemBytes <= (header.kind == io::NpyKind::Float ? sizeof(float) : sizeof(std::int16_t));
}

/// Puts a block of the file where it belongs; its lines are instances, or else attributes. Returns whether
/// all elements are accepted.
template <class Conversion, class Source>
bool convert(const io::NpyBlock& block, std::span<const Source> values, bool linesAreInstances,
             Matrix<typename Conversion::Target>& target) {
    const std::size_t length = block.lineLength;
    const std::size_t rows = linesAreInstances ? block.lines : length;
    const std::size_t count = linesAreInstances ? length : block.lines;
    const std::size_t rowStep = linesAreInstances ? length : 1;
    const std::size_t step = linesAreInstances ? 1 : length;
    bool isGood = true;
    // A row of the target belongs to one thread, which writes it in the order of memory.
#pragma omp parallel for schedule(static) reduction(&& : isGood) if (values.size() > 100000)
    for (std::ptrdiff_t row = 0; row < static_cast<std::ptrdiff_t>(rows); ++row) {
        const auto index = static_cast<std::size_t>(row);
        auto* const to =
            linesAreInstances ? target.row(block.firstLine + index) : target.row(index) + block.firstLine;
        unsigned refused = 0;
        for (std::size_t k = 0; k < count; ++k) {
            to[k] = Conversion::convert(values[index * rowStep + k * step]);
            refused |= Conversion::accepts(to[k]) ? 0U : 1U;
        }
        isGood = isGood && refused == 0;
    }
    return isGood;
}

/// Names the first element that is not accepted by its row and column in the array, counted from 0.
template <class Conversion, class Source>
[[noreturn]] void refuse(const io::NpyBlock& block, std::span<const Source> values, const std::string& name) {
    std::size_t k = 0;
    while (k + 1 < values.size() && Conversion::accepts(Conversion::convert(values[k]))) ++k;
    std::size_t row = block.firstLine + k / block.lineLength;
    std::size_t column = k % block.lineLength;
    if (block.isColumns) std::swap(row, column);
    throw InputError(
        fmt::format("{}: ({}, {}) is {}; {}", name, row, column, values[k], Conversion::kExpected));
}

template <class Conversion>
Matrix<typename Conversion::Target> readArray(io::ByteSource& source, const io::NpyHeader& header,
                                              bool transpose) {
    const bool isMatrix = header.shape.size() == 2;
    Matrix<typename Conversion::Target> target(isMatrix ? header.shape[transpose ? 1 : 0] : 0,
                                               isMatrix ? header.shape[transpose ? 0 : 1] : 0);
    io::visitNpyMatrix(source, header, [&](const io::NpyBlock& block) {
        std::visit(
            [&](const auto& values) {
                if (!convert<Conversion>(block, values, block.isColumns == transpose, target))
                    refuse<Conversion>(block, values, source.name());
            },
            block.values);
    });
    return target;
}

}  // namespace

DataSet readNpyData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes, DataKind::Coordinates});
    const std::unique_ptr<io::ByteSource> source = io::openFile(path);
    const io::NpyHeader header = io::readNpyHeader(*source);
    DataSet data;
    data.kind = options.kind != DataKind::Automatic ? options.kind
                : header.kind == io::NpyKind::Float ? DataKind::Coordinates
                                                    : DataKind::Genotypes;
    if (data.kind == DataKind::Coordinates && isSingle(header))
        data.coordinates = readArray<ToCoordinate<float>>(*source, header, options.transpose);
    else if (data.kind == DataKind::Coordinates)
        data.coordinates = readArray<ToCoordinate<double>>(*source, header, options.transpose);
    else
        data.discrete = genotypesInMemory(readArray<ToSymbol>(*source, header, options.transpose));
    return data;
}

}  // namespace glycine::distance
