#include "engine/mutualinfo/common_samples.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::mutualinfo {

namespace {

constexpr std::size_t kWordBits = 64;

std::size_t wordsOf(std::size_t samples) {
    return (samples + kWordBits - 1) / kWordBits;
}

}  // namespace

CommonSamples::CommonSamples(ExpressionView expression)
    : samples_(expression.columns()), counts_(expression.rows()), places_(expression.rows()) {
    parallelFor(omp_get_max_threads(), counts_.size(), [&](std::size_t gene, std::size_t) {
        const double* values = expression.row(gene);
        counts_[gene] =
            samples_ - static_cast<std::size_t>(std::count_if(values, values + samples_,
                                                              [](double one) { return std::isnan(one); }));
    });
    const std::size_t words = wordsOf(samples_);
    std::size_t wanted = 0;
    for (std::size_t gene = 0; gene < counts_.size(); ++gene)
        if (counts_[gene] < samples_) {
            places_[gene] = wanted;
            wanted += words;
        }
    requireHostMemory("the common samples of all pairs", static_cast<double>(wanted) * sizeof(std::uint64_t));
    bits_.resize(wanted);
    parallelFor(omp_get_max_threads(), counts_.size(), [&](std::size_t gene, std::size_t) {
        if (counts_[gene] == samples_) return;
        for (std::size_t s = 0; s < samples_; ++s)
            if (!std::isnan(expression(gene, s)))
                bits_[places_[gene] + s / kWordBits] |= std::uint64_t{1} << (s % kWordBits);
    });
}

std::size_t CommonSamples::of(std::size_t i, std::size_t j) const {
    if (counts_[i] == samples_) return counts_[j];
    if (counts_[j] == samples_) return counts_[i];
    std::size_t common = 0;
    const std::uint64_t* a = bits_.data() + places_[i];
    const std::uint64_t* b = bits_.data() + places_[j];
    for (std::size_t word = 0; word < wordsOf(samples_); ++word)
        common += static_cast<std::size_t>(std::popcount(a[word] & b[word]));
    return common;
}

std::vector<std::size_t> CommonSamples::genesBelow(std::size_t values) const {
    std::vector<std::size_t> genes;
    for (std::size_t gene = 0; gene < counts_.size(); ++gene)
        if (counts_[gene] < values) genes.push_back(gene);
    return genes;
}

}  // namespace glycine::mutualinfo
