#include "engine/mutualinfo/network/resampling.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::mutualinfo {

Matrix<double> permutedGenes(ExpressionView expression, std::span<const std::size_t> genes,
                             std::uint64_t seed) {
    checkExpression(expression);
    for (const std::size_t gene : genes)
        if (gene >= expression.rows())
            throw UsageError(
                fmt::format("gene {} of {}: expected a number below it", gene, expression.rows()));
    const std::size_t samples = expression.columns();
    Matrix<double> permuted(genes.size(), samples);
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t g, std::size_t) {
        double* row = permuted.row(g);
        std::copy_n(expression.row(genes[g]), samples, row);
        RandomSequence random(derivedSeed(seed, g));
        shuffle(std::span(row, samples), random);
    });
    return permuted;
}

Matrix<double> withoutGaps(ExpressionView expression, std::span<const std::size_t> genes) {
    const std::size_t samples = expression.columns();
    Matrix<double> filled(genes.size(), samples);
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t g, std::size_t) {
        const std::span<const double> values(expression.row(genes[g]), samples);
        std::vector<double> present;
        for (const double value : values)
            if (!std::isnan(value)) present.push_back(value);
        if (present.size() == samples) {
            std::ranges::copy(values, filled.row(g));
            return;
        }
        std::ranges::sort(present);
        for (std::size_t s = 0; s < samples; ++s) {
            // Of a gap there is another sample: `samples` is 2 at least.
            const double place =
                static_cast<double>(s * (present.size() - 1)) / static_cast<double>(samples - 1);
            const auto below = static_cast<std::size_t>(place);
            const double above = present[std::min(below + 1, present.size() - 1)];
            filled(g, s) = std::lerp(present[below], above, place - static_cast<double>(below));
        }
    });
    return filled;
}

Matrix<double> bootstrapSample(ExpressionView expression, std::uint64_t seed) {
    checkExpression(expression);
    RandomSequence random(seed);
    std::vector<std::size_t> drawn(expression.columns());
    for (std::size_t& sample : drawn) sample = random.below(expression.columns());
    Matrix<double> sampled(expression.rows(), expression.columns());
    parallelFor(omp_get_max_threads(), expression.rows(), [&](std::size_t g, std::size_t) {
        for (std::size_t s = 0; s < drawn.size(); ++s) sampled(g, s) = expression(g, drawn[s]);
    });
    return sampled;
}

}  // namespace glycine::mutualinfo
