#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <type_traits>

#include "engine/distance/input/input_data.hpp"

/// Inside the reading of input: one function a family of formats, and what they share.
namespace glycine::distance {

// Each gives everything but `description`; names and family identifiers stay empty where the file has none.
DataSet readPlinkData(const std::filesystem::path& path, const InputOptions& options);
DataSet readCallData(const std::filesystem::path& path, const InputOptions& options);
DataSet readSequenceData(const std::filesystem::path& path, const InputOptions& options);
DataSet readTableData(const std::filesystem::path& path, const InputOptions& options);
DataSet readNpyData(const std::filesystem::path& path, const InputOptions& options);

/// Throws UsageError when options.kind is neither Automatic nor one of `possible`.
void requireKind(const std::filesystem::path& path, const InputOptions& options,
                 std::initializer_list<DataKind> possible);

/// genotypeSymbol of what is no genotype.
inline constexpr std::uint8_t kNoGenotype = 254;

/// A number of a table or array as a genotype: the symbol 0, 1 or 2; kMissingSymbol for NaN, -1, -9 and,
/// among integers, -127; kNoGenotype for anything else.
template <class Number>
std::uint8_t genotypeSymbol(Number value) {
    if (value == 0) return 0;
    if (value == 1) return 1;
    if (value == 2) return 2;
    if constexpr (std::is_signed_v<Number>)
        if (value == -1 || value == -9) return kMissingSymbol;
    if constexpr (std::is_floating_point_v<Number>)
        if (value != value) return kMissingSymbol;
    if constexpr (std::is_integral_v<Number> && std::is_signed_v<Number>)
        if (value == -127) return kMissingSymbol;
    return kNoGenotype;
}

/// Genotypes instance by instance, as symbols.
std::unique_ptr<DiscreteSource> genotypesInMemory(Matrix<std::uint8_t> symbols);

}  // namespace glycine::distance
