#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/data_size.hpp"
#include "engine/distance/input/input_data.hpp"

/// Data sets generated from a seed: identical on every machine for the same arguments.
namespace glycine::distance {

struct RandomDataOptions {
    DataKind kind = DataKind::Genotypes;  ///< not Automatic
    DataSize size;
    double missing = 0;  ///< fraction of missing entries; ignored for coordinates
    /// Genotypes 0, 1, 2 with equal probability, instead of Hardy-Weinberg proportions. Other symbols are
    /// equally probable; coordinates are standard normal.
    bool uniform = false;
    std::uint64_t seed = 1;
};
/// "random genotypes, 1 % missing, seed 1", without the size.
std::string describe(const RandomDataOptions& options);
/// Bytes of such data in memory, with symbols as bit planes (PlaneSource).
double bytesOf(const RandomDataOptions& options);
/// Has no names; the description gives kind and size. Throws as randomGenotypes does.
DataSet randomDataSet(const RandomDataOptions& options);

/// A kind of data on which backends are compared.
struct SampleKind {
    std::string_view name;
    DataKind kind;
    bool isGapped;       ///< a tenth of the entries is missing, and all entries of the middle instance
    bool isFar = false;  ///< float64 coordinates that are far from 0 compared with their differences
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
/// Bytes in memory, if the data are not generated bit by bit from the seed.
double bytesOf(const SampleKind& kind, DataSize size);
DataSet sampleDataSet(const SampleKind& kind, DataSize size, std::uint64_t seed);

}  // namespace glycine::distance
