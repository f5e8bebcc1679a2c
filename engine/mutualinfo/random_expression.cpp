#include "engine/mutualinfo/random_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"

namespace glycine::mutualinfo {

Matrix<double> randomExpression(const RandomExpressionOptions& options) {
    if (options.genes == 0 || options.samples == 0)
        throw UsageError(fmt::format("{} genes × {} samples: expected at least one of each", options.genes,
                                     options.samples));
    if (!(options.missing >= 0 && options.missing < 1))
        throw UsageError(fmt::format(
            "a share of at least 0 and below 1 was expected for missing values, not {}", options.missing));
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    Matrix<double> expression(options.genes, options.samples);
    for (std::size_t g = 0; g < options.genes; ++g) {
        RandomSequence random(derivedSeed(options.seed, g));
        for (std::size_t s = 0; s < options.samples; ++s) {
            const double noise = normalPair(random)[0];
            const double other = g % 2 == 1 ? expression(g - 1, s) : 0;
            expression(g, s) = g % 2 == 1 ? other * other - other + 0.5 * noise : noise;
        }
    }
    if (options.missing > 0)
        for (std::size_t g = 0; g < options.genes; ++g) {
            RandomSequence random(derivedSeed(options.seed, options.genes + g));
            for (std::size_t s = 0; s < options.samples; ++s)
                if (random.uniform() < options.missing) expression(g, s) = kMissing;
        }
    if (options.hasIdleGenes) {
        const std::size_t middle = options.genes / 2;
        std::fill_n(expression.row(middle), options.samples, 2.5);
        if (middle + 1 < options.genes) std::fill_n(expression.row(middle + 1), options.samples, kMissing);
    }
    return expression;
}

}  // namespace glycine::mutualinfo
