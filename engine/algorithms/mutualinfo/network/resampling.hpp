#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "engine/algorithms/mutualinfo/mutualinfo.hpp"
#include "engine/core/random.hpp"

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

/// As many samples, drawn with replacement: the same ones for all genes.
Matrix<double> bootstrapSample(ExpressionView expression, std::uint64_t seed);

}  // namespace glycine::mutualinfo
