#include "engine/algorithms/distance/study/validation_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/algorithms/distance/random_data.hpp"
#include "engine/core/names.hpp"

namespace glycine::distance {

namespace {

constexpr NameTable<InputKind, 7> kInputKinds{{
    {InputKind::Genotypes, "genotypes"},
    {InputKind::GappedGenotypes, "gapped genotypes"},
    {InputKind::Dna, "dna"},
    {InputKind::GappedDna, "gapped dna"},
    {InputKind::Protein, "protein"},
    {InputKind::GappedProtein, "gapped protein"},
    {InputKind::Coordinates, "coordinates"},
}};

constexpr double kMissingShare = 0.1;
constexpr unsigned kNucleotides = 4;
constexpr unsigned kAminoAcids = 20;

DataKind dataKind(InputKind kind) {
    switch (kind) {
        case InputKind::Genotypes:
        case InputKind::GappedGenotypes:
            return DataKind::Genotypes;
        case InputKind::Dna:
        case InputKind::GappedDna:
            return DataKind::Dna;
        case InputKind::Protein:
        case InputKind::GappedProtein:
            return DataKind::Protein;
        case InputKind::Coordinates:
            break;
    }
    return DataKind::Coordinates;
}

std::unique_ptr<DiscreteSource> makeSource(InputKind kind, DataSize size, std::uint64_t seed) {
    switch (kind) {
        case InputKind::Genotypes:
        case InputKind::GappedGenotypes:
            return randomGenotypes({.instances = size.instances,
                                    .attributes = size.attributes,
                                    .seed = seed,
                                    .missing = kind == InputKind::Genotypes ? 0 : kMissingShare,
                                    .uniform = true});
        case InputKind::Dna:
            return randomSymbols(size.instances, size.attributes, kNucleotides, 0, seed);
        case InputKind::GappedDna:
            return randomSymbols(size.instances, size.attributes, kNucleotides, kMissingShare, seed);
        case InputKind::Protein:
            return randomSymbols(size.instances, size.attributes, kAminoAcids, 0, seed);
        case InputKind::GappedProtein:
            return randomSymbols(size.instances, size.attributes, kAminoAcids, kMissingShare, seed);
        case InputKind::Coordinates:
            break;
    }
    return nullptr;
}

/// The same with nothing known of the instance in the middle.
std::unique_ptr<DiscreteSource> withoutOneInstance(const DiscreteSource& source) {
    const DiscreteShape& shape = source.shape();
    Matrix<std::uint8_t> symbols(shape.instances, shape.attributes);
    source.readSymbols({0, shape.instances}, {0, shape.attributes}, symbols.view());
    std::fill_n(symbols.row(shape.instances / 2), shape.attributes, kMissingSymbol);
    return std::make_unique<SymbolMatrix>(std::move(symbols), shape);
}

}  // namespace

std::string_view toString(InputKind kind) {
    return nameOf(kind, kInputKinds);
}

const std::vector<InputKind>& allInputKinds() {
    static const std::vector<InputKind> kinds = [] {
        std::vector<InputKind> all;
        for (const auto& [kind, name] : kInputKinds) all.push_back(kind);
        return all;
    }();
    return kinds;
}

DataSet makeValidationInput(InputKind kind, DataSize size, std::uint64_t seed) {
    DataSet data;
    data.description = fmt::format("{}, {}", toString(kind), formatDataSize(size));
    data.kind = dataKind(kind);
    if (kind == InputKind::Coordinates) {
        data.coordinates = randomCoordinates(size.instances, size.attributes, seed);
        return data;
    }
    data.discrete = makeSource(kind, size, seed);
    const bool isGapped = kind == InputKind::GappedGenotypes || kind == InputKind::GappedDna ||
                          kind == InputKind::GappedProtein;
    if (isGapped) data.discrete = withoutOneInstance(*data.discrete);
    return data;
}

}  // namespace glycine::distance
