#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/core/matrix.hpp"
#include "engine/distance/discrete_data.hpp"

/// Data made from a seed, for tests and measurements: the same on every machine.
namespace glycine::distance {

/// Throws UsageError unless there is at least one instance and one attribute.
void checkRandomSize(std::size_t instances, std::size_t attributes);

/// Genotypes made from a seed: every entry follows from (seed, instance, attribute) alone, so that any part
/// of any size can be made on any machine.
struct RandomGenotypesOptions {
    std::size_t instances = 0;
    std::size_t attributes = 0;
    std::uint64_t seed = 1;
    double missing = 0;  ///< share of the entries that are missing
    /// Each of 0, 1, 2 with probability 1/3, as in the paper; else Hardy-Weinberg proportions with an allele
    /// frequency of each attribute uniform in [0.05, 0.5].
    bool uniform = false;
};
/// Throws UsageError for no instances or attributes, or a share that is not in [0, 1).
std::unique_ptr<DiscreteSource> randomGenotypes(const RandomGenotypesOptions& options);

/// Symbols 0 … symbols − 1 with equal probability, 1 to 255 of them, coded in as few planes as hold them.
/// Throws as randomGenotypes, and for any other number of symbols.
std::unique_ptr<DiscreteSource> randomSymbols(std::size_t instances, std::size_t attributes, unsigned symbols,
                                              double missing, std::uint64_t seed);

/// Standard normal coordinates, each from (seed, instance, attribute) alone. Throws UsageError for no
/// instances or attributes.
Matrix<float> randomCoordinates(std::size_t instances, std::size_t attributes, std::uint64_t seed);

}  // namespace glycine::distance
