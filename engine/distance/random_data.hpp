#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/core/matrix.hpp"
#include "engine/distance/discrete_data.hpp"

/// Data generated from a seed, for tests and measurements: identical on every machine.
namespace glycine::distance {

/// Throws UsageError unless there is at least one instance and one attribute.
void checkRandomSize(std::size_t instances, std::size_t attributes);

/// Genotypes generated from a seed. Every entry depends only on (seed, instance, attribute), so any part of
/// any size can be generated on any machine.
struct RandomGenotypesOptions {
    std::size_t instances = 0;
    std::size_t attributes = 0;
    std::uint64_t seed = 1;
    double missing = 0;  ///< fraction of missing entries
    /// 0, 1 and 2 each with probability 1/3, as in the paper; else Hardy-Weinberg proportions, with the
    /// allele frequency of each attribute uniform in [0.05, 0.5].
    bool uniform = false;
};
/// Throws UsageError for no instances or attributes, and for a fraction outside [0, 1).
std::unique_ptr<DiscreteSource> randomGenotypes(const RandomGenotypesOptions& options);

/// Symbols 0 … symbols − 1 with equal probability, in as few planes as possible; 1 to 255 symbols. Throws as
/// randomGenotypes does, and for any other number of symbols.
std::unique_ptr<DiscreteSource> randomSymbols(std::size_t instances, std::size_t attributes, unsigned symbols,
                                              double missing, std::uint64_t seed);

/// Standard normal coordinates, each depending only on (seed, instance, attribute). Throws UsageError for no
/// instances or attributes.
Matrix<float> randomCoordinates(std::size_t instances, std::size_t attributes, std::uint64_t seed);

}  // namespace glycine::distance
