#include "engine/distance/input/random_data_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>

#include "engine/core/quantity.hpp"
#include "engine/distance/random_data.hpp"

namespace glycine::distance {

namespace {

constexpr double kMissingShare = 0.1;
constexpr unsigned kNucleotideCount = 4;
constexpr unsigned kAminoAcidCount = 20;

/// Number of symbols in sequences of this kind.
unsigned symbolsOf(DataKind kind) {
    return kind == DataKind::Dna ? kNucleotideCount : kAminoAcidCount;
}

/// A copy of the source in which one instance is entirely missing.
std::unique_ptr<DiscreteSource> withoutInstance(const DiscreteSource& source, std::size_t instance) {
    const DiscreteShape& shape = source.shape();
    Matrix<std::uint8_t> symbols(shape.instances, shape.attributes);
    source.readSymbols({0, shape.instances}, {0, shape.attributes}, symbols.view());
    std::fill_n(symbols.row(instance), shape.attributes, kMissingSymbol);
    return std::make_unique<SymbolMatrix>(std::move(symbols), shape);
}

/// The coordinates in float64, with an offset per attribute of about 10⁵ to 10⁹. float32 cannot hold the
/// numbers and the offsets together.
Matrix<double> farAway(const Matrix<float>& coordinates) {
    Matrix<double> result(coordinates.rows(), coordinates.columns());
    for (std::size_t i = 0; i < coordinates.rows(); ++i)
        for (std::size_t k = 0; k < coordinates.columns(); ++k)
            result(i, k) =
                1.1 * double{coordinates(i, k)} + 123456.7 * std::pow(10, static_cast<double>(k % 5));
    return result;
}

}  // namespace

std::string describe(const RandomDataOptions& options) {
    std::string text = fmt::format("random {}", toString(options.kind));
    if (options.kind == DataKind::Coordinates) text += ", standard normal";
    if (options.missing > 0) text += fmt::format(", {} missing", formatShare(options.missing, 1));
    return fmt::format("{}, seed {}", text, options.seed);
}

double bytesOf(const RandomDataOptions& options) {
    const auto instances = static_cast<double>(options.size.instances);
    if (options.kind == DataKind::Coordinates)
        return instances * static_cast<double>(options.size.attributes) * sizeof(float);
    const unsigned planes = (options.kind == DataKind::Genotypes
                                 ? 2U
                                 : static_cast<unsigned>(std::bit_width(symbolsOf(options.kind) - 1))) +
                            (options.missing > 0 ? 1U : 0U);
    return instances * planes * static_cast<double>(PlaneBlock::strideFor(options.size.attributes)) *
           sizeof(std::uint64_t);
}

DataSet randomDataSet(const RandomDataOptions& options) {
    const auto [instances, attributes] = options.size;
    DataSet set;
    set.kind = options.kind;
    set.description = fmt::format("{}, {}", toString(options.kind), formatDataSize(options.size));
    if (options.kind == DataKind::Coordinates)
        set.coordinates = randomCoordinates(instances, attributes, options.seed);
    else if (options.kind == DataKind::Genotypes)
        set.discrete = randomGenotypes({.instances = instances,
                                        .attributes = attributes,
                                        .seed = options.seed,
                                        .missing = options.missing,
                                        .uniform = options.uniform});
    else
        set.discrete =
            randomSymbols(instances, attributes, symbolsOf(options.kind), options.missing, options.seed);
    return set;
}

double bytesOf(const SampleKind& kind, DataSize size) {
    const auto entries = static_cast<double>(size.instances) * static_cast<double>(size.attributes);
    if (kind.kind == DataKind::Coordinates) return entries * (kind.isFar ? sizeof(double) : sizeof(float));
    return kind.isGapped ? entries * sizeof(std::uint8_t) : 0;
}

DataSet sampleDataSet(const SampleKind& kind, DataSize size, std::uint64_t seed) {
    DataSet set = randomDataSet({.kind = kind.kind,
                                 .size = size,
                                 .missing = kind.isGapped ? kMissingShare : 0,
                                 .uniform = true,
                                 .seed = seed});
    set.description = fmt::format("{}, {}", kind.name, formatDataSize(size));
    if (kind.isFar) set.coordinates = farAway(std::get<Matrix<float>>(set.coordinates));
    if (kind.isGapped) set.discrete = withoutInstance(*set.discrete, size.instances / 2);
    return set;
}

}  // namespace glycine::distance
