#include "engine/mutualinfo/simulated_expression.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"

namespace glycine::mutualinfo {

namespace {

constexpr double kDegreeExponent = 2.2;  ///< γ
constexpr double kHubs = 20;             ///< the first 1/20 of the factors have similar weights
constexpr double kActivation = 9;        ///< f
constexpr double kOwnModule = 0.9;       ///< share of regulators from the gene's own module
constexpr std::size_t kModule = 50;      ///< approximate number of genes per module
constexpr double kLog2 = 0.69314718055994531;

/// Independent streams of random numbers from one seed.
enum : std::uint64_t { kTopology, kKinetics, kSamples };

/// A number ≥ 1 from a geometric distribution with this mean.
std::size_t geometric(RandomSequence& random, double mean) {
    std::size_t count = 1;
    while (random.uniform() < 1 - 1 / mean) ++count;
    return count;
}

/// Draws up to `count` distinct factors from `candidates` with probabilities proportional to their weights.
std::vector<std::size_t> drawFactors(RandomSequence& random, std::span<const std::size_t> candidates,
                                     std::span<const double> weights, std::size_t count) {
    std::vector<std::size_t> left(candidates.begin(), candidates.end());
    std::vector<std::size_t> drawn;
    double total = 0;
    for (const std::size_t factor : left) total += weights[factor];
    while (drawn.size() < count && !left.empty()) {
        double at = random.uniform() * total;
        std::size_t i = 0;
        while (i + 1 < left.size() && at >= weights[left[i]]) at -= weights[left[i++]];
        drawn.push_back(left[i]);
        total -= weights[left[i]];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return drawn;
}

/// The edge's contribution to the logarithm of its target's level.
double effectOf(const RegulatoryEdge& edge, double regulatorLevel) {
    // Beyond these limits the effect is saturated.
    const double ratio =
        portableExponential(std::clamp(edge.coefficient * (regulatorLevel - edge.threshold), -40.0, 40.0));
    return edge.isActivating ? portableLogarithm(1 + kActivation * ratio / (1 + ratio))
                             : -portableLogarithm(1 + ratio);
}

/// Logarithms of the levels of all genes, for given deviations of ln V.
void findLevels(const SimulatedNetwork& network, std::span<const double> deviations,
                std::span<double> levels) {
    std::size_t edge = 0;
    for (std::size_t g = 0; g < levels.size(); ++g) {
        levels[g] = network.rates[g] + deviations[g];
        for (; edge < network.edges.size() && network.edges[edge].target == g; ++edge)
            levels[g] += effectOf(network.edges[edge], levels[network.edges[edge].regulator]);
    }
}

/// A Poisson number with this mean. Splits the mean into pieces and, for each, counts how many uniform
/// numbers can be multiplied until the product is below e^−piece (D. E. Knuth, The Art of Computer
/// Programming 2, 3.4.1).
double poissonNumber(RandomSequence& random, double mean) {
    constexpr double kPiece = 32;
    double count = 0;
    for (double left = mean; left > 0; left -= kPiece) {
        const double limit = portableExponential(-std::min(left, kPiece));
        double product = random.uniform();
        for (; product > limit; product *= random.uniform()) ++count;
    }
    return count;
}

/// Turns the logarithms of levels into the molecule counts of a cell with a random library size.
void countMolecules(RandomSequence& random, const SimulatedExpressionOptions& options,
                    std::span<double> levels) {
    double total = 0;
    for (double& level : levels) total += level = portableExponential(level);
    const double library =
        options.depth * portableExponential(options.depthVariation * normalPair(random)[0]);
    for (double& level : levels) {
        const double mean = library * level / total;
        const bool isLost = random.uniform() * (mean + options.dropoutMidpoint) < options.dropoutMidpoint;
        level = isLost ? 0 : poissonNumber(random, mean);
    }
}

void drawTopology(SimulatedNetwork& network, const SimulatedNetworkOptions& options) {
    const std::size_t modules =
        options.topology == Topology::Modular
            ? std::clamp<std::size_t>((options.genes + kModule / 2) / kModule, 1, network.factors)
            : 1;
    RandomSequence random(derivedSeed(options.seed, kTopology));
    std::vector<double> weights;
    const double first = 1 + static_cast<double>(network.factors) / static_cast<double>(modules) / kHubs;
    // Gene g belongs to module g % modules, so every module has factors of all weights.
    for (std::size_t f = 0; f < network.factors; ++f)
        weights.push_back(portableExponential(-portableLogarithm(static_cast<double>(f / modules) + first) /
                                              (kDegreeExponent - 1)));
    for (std::size_t g = 0; g < options.genes; ++g) {
        const bool isFactor = g < network.factors;
        // About half of the factors are regulated by other factors, which makes cascades.
        if (isFactor && (g == 0 || random.uniform() < 0.5)) continue;
        const std::size_t known = isFactor ? g : network.factors;
        std::vector<std::size_t> own, others;
        for (std::size_t f = 0; f < known; ++f) (f % modules == g % modules ? own : others).push_back(f);
        const std::size_t count = geometric(random, options.regulators);
        std::size_t fromOwn = 0;
        for (std::size_t i = 0; i < count; ++i) fromOwn += random.uniform() < kOwnModule || others.empty();
        if (own.empty()) fromOwn = 0;
        std::vector<std::size_t> regulators = drawFactors(random, own, weights, fromOwn);
        for (const std::size_t factor : drawFactors(random, others, weights, count - fromOwn))
            regulators.push_back(factor);
        std::sort(regulators.begin(), regulators.end());
        for (const std::size_t regulator : regulators) network.edges.push_back({regulator, g});
    }
}

void drawKinetics(SimulatedNetwork& network, std::uint64_t seed) {
    RandomSequence random(derivedSeed(seed, kKinetics));
    const std::size_t genes = network.genes.size();
    // Levels of about 2⁸, like intensities of arrays.
    for (std::size_t g = 0; g < genes; ++g)
        network.rates.push_back((8 + 1.5 * normalPair(random)[0]) * kLog2);
    std::vector<double> levels(genes);
    std::size_t edge = 0;
    for (std::size_t g = 0; g < genes; ++g) {
        levels[g] = network.rates[g];
        for (; edge < network.edges.size() && network.edges[edge].target == g; ++edge) {
            RegulatoryEdge& one = network.edges[edge];
            one.isActivating = random.uniform() < 0.6;
            one.coefficient = 1 + 3 * random.uniform();
            // Close to the usual level of the regulator, where the effect changes most.
            one.threshold = levels[one.regulator] + (random.uniform() - 0.5) * kLog2;
            levels[g] += effectOf(one, levels[one.regulator]);
        }
    }
}

}  // namespace

SimulatedNetwork simulateNetwork(const SimulatedNetworkOptions& options) {
    checkKnown(options.topology);
    if (options.genes < 2)
        throw UsageError(
            fmt::format("{} genes: expected 2 at least, a regulator and its target", options.genes));
    const std::size_t factors =
        options.factors > 0 ? options.factors : std::max<std::size_t>(1, options.genes / 10);
    if (factors > options.genes)
        throw UsageError(fmt::format("{} transcription factors among {} genes: expected as many at most",
                                     factors, options.genes));
    if (!(options.regulators >= 1 && options.regulators <= 100))
        throw UsageError(
            fmt::format("{} regulators of a gene in the mean: expected 1 to 100", options.regulators));
    SimulatedNetwork network{.genes = {}, .factors = factors, .edges = {}, .rates = {}};
    for (std::size_t g = 0; g < options.genes; ++g)
        network.genes.push_back(g < factors ? fmt::format("TF{}", g + 1)
                                            : fmt::format("G{}", g + 1 - factors));
    drawTopology(network, options);
    drawKinetics(network, options.seed);
    return network;
}

Matrix<double> simulateExpression(const SimulatedNetwork& network, const SimulatedExpressionOptions& options,
                                  Progress& progress) {
    if (options.samples == 0) throw UsageError("0 samples: expected 1 at least");
    if (!(options.variation >= 0 && options.noise >= 0 && options.variation <= 10 && options.noise <= 100))
        throw UsageError(fmt::format("variation {} and noise {}: expected 0 to 10 and 0 to 100",
                                     options.variation, options.noise));
    if (!(options.missing >= 0 && options.missing < 1))
        throw UsageError(fmt::format(
            "a share of at least 0 and below 1 was expected for missing values, not {}", options.missing));
    constexpr double kMaxDepth = 1e9;
    if (!(options.depth >= 0 && options.depth <= kMaxDepth && options.depthVariation >= 0 &&
          options.depthVariation <= 10 && options.dropoutMidpoint >= 0 &&
          options.dropoutMidpoint <= kMaxDepth))
        throw UsageError(fmt::format(
            "libraries of {} molecules, variation {}, dropouts at {}: expected 0 to {:g}, 0 to 10 and 0 to "
            "{:g}",
            options.depth, options.depthVariation, options.dropoutMidpoint, kMaxDepth, kMaxDepth));
    const std::size_t genes = network.genes.size();
    std::vector<char> isRegulated(genes, 0);
    for (const RegulatoryEdge& edge : network.edges) isRegulated[edge.target] = 1;
    Matrix<double> expression(genes, options.samples);
    progress.begin("simulating samples", static_cast<double>(options.samples));
    const std::uint64_t seed = derivedSeed(options.seed, kSamples);
    parallelFor(omp_get_max_threads(), options.samples, [&](std::size_t s, std::size_t) {
        RandomSequence random(derivedSeed(seed, s));
        std::vector<double> deviations(genes), levels(genes);
        for (std::size_t g = 0; g < genes; ++g)
            deviations[g] = normalPair(random)[0] * (isRegulated[g] != 0 ? options.variation : 1);
        findLevels(network, deviations, levels);
        if (options.depth > 0) {
            countMolecules(random, options, levels);
            for (std::size_t g = 0; g < genes; ++g) expression(g, s) = levels[g];
            progress.advance(1);
            return;
        }
        for (std::size_t g = 0; g < genes; ++g) {
            const double value = levels[g] / kLog2 + options.noise * normalPair(random)[0];
            const bool isMissing = random.uniform() < options.missing;
            expression(g, s) =
                isMissing ? std::numeric_limits<double>::quiet_NaN() : std::round(value * 1e4) / 1e4;
        }
        progress.advance(1);
    });
    return expression;
}

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
