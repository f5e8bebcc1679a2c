#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/data_size.hpp"
#include "engine/distance/input/input_data.hpp"

/// Data sets made from a seed: the same for the same arguments on every machine.
namespace glycine::distance {

struct RandomDataOptions {
    DataKind kind = DataKind::Genotypes;  ///< not Automatic
    DataSize size;
    double missing = 0;  ///< share of the entries that are missing; of coordinates none is
    /// Genotypes 0, 1, 2 with equal probability; else in Hardy-Weinberg proportions. All others are equally
    /// probable, coordinates standard normal.
    bool uniform = false;
    std::uint64_t seed = 1;
};
/// "random genotypes, 1 % missing, seed 1", without the size.
std::string describe(const RandomDataOptions& options);
/// Bytes that such data take in memory, symbols as bit planes (PlaneSource).
double bytesOf(const RandomDataOptions& options);
/// Without names, described by kind and size. Throws as randomGenotypes.
DataSet randomDataSet(const RandomDataOptions& options);

/// What backends are compared on.
struct SampleKind {
    std::string_view name;
    DataKind kind;
    bool isGapped;       ///< a tenth of the entries is missing, and the instance in the middle altogether
    bool isFar = false;  ///< float64 coordinates far from 0 beside their differences
};
inline constexpr std::array<SampleKind, 8> kSampleKinds{
    {{"genotypes", DataKind::Genotypes, false},
     {"gapped genotypes", DataKind::Genotypes, true},
     {"dna", DataKind::Dna, false},
     {"gapped dna", DataKind::Dna, true},
     {"protein", DataKind::Protein, false},
     {"gapped protein", DataKind::Protein, true},
     {"coordinates", DataKind::Coordinates, false},
     {"far coordinates", DataKind::Coordinates, false, true}}};
/// Bytes that it takes in memory, where it is not made bit by bit from its seed.
double bytesOf(const SampleKind& kind, DataSize size);
DataSet sampleDataSet(const SampleKind& kind, DataSize size, std::uint64_t seed);

}  // namespace glycine::distance
