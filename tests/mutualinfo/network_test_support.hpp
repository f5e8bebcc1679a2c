#pragma once

#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo::fixtures {

/// A store with these values, row by row. Elements above the diagonal are ignored.
inline std::unique_ptr<pairs::PairStore> storeOf(const std::vector<std::vector<double>>& rows,
                                                 pairs::StoreLayout layout = pairs::StoreLayout::Square) {
    const std::size_t n = rows.size();
    auto store = std::make_unique<pairs::PairStore>(pairs::PairFormat{.layout = {n, layout}, .diagonal = 99});
    Matrix<double> values(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) values(i, j) = rows[i][j];
    store->store({{0, n}, {0, n}}, values.view());
    return store;
}

/// Removes values of a gene until `values` remain. The seed selects the removed samples.
inline void leaveValues(std::span<double> gene, std::size_t values, std::uint64_t seed) {
    std::vector<std::size_t> samples(gene.size());
    std::iota(samples.begin(), samples.end(), 0);
    RandomSequence random(seed);
    shuffle(std::span(samples), random);
    for (std::size_t s = values; s < samples.size(); ++s)
        gene[samples[s]] = std::numeric_limits<double>::quiet_NaN();
}

/// Distribution of the values: normal, or log-normal for every second gene.
enum class Marginals { Normal, Mixed };

/// Independent genes in 77 samples. Of every three genes, one has all values, one 60 to 77, and one 5 to 77.
inline Matrix<double> expressionWithGaps(std::size_t genes, Marginals marginals, bool haveGaps = true) {
    constexpr std::size_t kSamples = 77;
    Matrix<double> expression(genes, kSamples);
    for (std::size_t g = 0; g < genes; ++g) {
        RandomSequence random(1000 + g);
        for (std::size_t s = 0; s < kSamples; ++s) {
            const double value = normalPair(random)[0];
            expression(g, s) = marginals == Marginals::Mixed && g % 2 == 0 ? std::exp(value) : value;
        }
        if (!haveGaps) continue;
        const std::size_t least = g % 3 == 0 ? kSamples : g % 3 == 1 ? 60 : 5;
        leaveValues({expression.row(g), kSamples}, least + random.below(kSamples - least + 1), 2000 + g);
    }
    return expression;
}

}  // namespace glycine::mutualinfo::fixtures

namespace glycine::mutualinfo {
using namespace fixtures;
}
