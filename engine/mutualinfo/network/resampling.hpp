#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "engine/core/random.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

/// Expression matrices made of other ones by chance, the same for a seed on every machine.
namespace glycine::mutualinfo {

/// Brings what is there into a random order.
template <class T>
void shuffle(std::span<T> values, RandomSequence& random) {
    for (std::size_t left = values.size(); left > 1; --left)
        std::swap(values[left - 1], values[random.below(left)]);
}

/// The rows of `genes` (some may be there several times), the samples of each permuted by themselves.
Matrix<double> permutedGenes(ExpressionView expression, std::span<const std::size_t> genes,
                             std::uint64_t seed);

/// The rows of `genes`. Where a gene has gaps, all its samples become even points of the quantile function of
/// the values that it has (linear between these), in ascending order: as many values with its distribution
/// as a gene without gaps has, for permutations. Each has a value at least.
Matrix<double> withoutGaps(ExpressionView expression, std::span<const std::size_t> genes);

/// As many samples, drawn with replacement: the same ones for all genes.
Matrix<double> bootstrapSample(ExpressionView expression, std::uint64_t seed);

}  // namespace glycine::mutualinfo
