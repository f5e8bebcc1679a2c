#include "engine/alignment/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/quantity.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"

namespace glycine::align {

pairwise::PairScoring Method::scoringOf(Alphabet) const {
    throw std::logic_error("the method aligns no pairs by themselves");
}

double Method::distanceOf(double found, double) const {
    return found;
}

trees::Tree Method::joinNeighbours(std::size_t sequences, std::vector<double> distances,
                                   trees::TreeDevice* device, Progress& progress) const {
    return trees::joinNeighbours(sequences, std::move(distances), progress, {}, device);
}

trees::Tree Method::rooted(const trees::Tree& tree) const {
    return tree.nodes[tree.root].children.size() == 2 ? tree : newRoot(tree);
}

trees::Tree Method::newRoot(const trees::Tree& tree) const {
    return trees::rootAtMidpoint(tree);
}

std::optional<trees::Tree> Method::givenTree(std::size_t sequences, const AlignOptions& options,
                                             trees::TreeDevice* device, Progress& progress) const {
    if (options.guideTree || !options.distances) return options.guideTree;
    return guideTreeOf(sequences, options.method, *options.distances, progress, options.treeMethod, device);
}

const Method& methodOf(AlignMethod method) {
    switch (method) {
        case AlignMethod::Accuracy:
        case AlignMethod::Auto:
            return posteriorMethod();
        case AlignMethod::ClustalW:
            return clustalMethod();
        case AlignMethod::Thesis:
            return thesisMethod();
        case AlignMethod::Fast:
            return fastMethod();
    }
    checkKnown(method);
    throw std::logic_error("a method without a class");
}

// ---- choice of a method

namespace {

double pairsOfAll(const Sequences& sequences) {
    const auto n = static_cast<double>(sequences.size());
    return n * (n - 1) / 2;
}

double meanLength(const Sequences& sequences) {
    return static_cast<double>(sequences.total()) / static_cast<double>(sequences.size());
}

std::string describe(const PosteriorAlignmentOptions& options) {
    switch (options.consistencyRounds) {
        case 0:
            return "posteriors without consistency";
        case 1:
            return "posteriors with a round of consistency";
        default:
            return fmt::format("posteriors with {} rounds of consistency", options.consistencyRounds);
    }
}

/// A method that may be chosen, with the memory that it needs.
struct Candidate {
    MethodChoice choice;
    double bytes = 0;  ///< for posteriors

    bool fits(double budget) const { return choice.seconds <= budget && bytes <= kMaxPosteriorBytes; }
};

Candidate accuracyOf(const Sequences& sequences, const PosteriorAlignmentOptions& options) {
    return {.choice = {.method = AlignMethod::Accuracy,
                       .consistencyRounds = options.consistencyRounds,
                       .refinements = options.refinements,
                       .name = describe(options),
                       .seconds = accuracySeconds(sequences, options)},
            .bytes = bytesOfPosteriors(sequences, options)};
}

std::vector<Candidate> candidatesFor(const Sequences& sequences, const AlignOptions& options,
                                     bool mayBeFast) {
    PosteriorAlignmentOptions how = posteriorOptionsOf(sequences.size(), options);
    std::vector<Candidate> candidates;
    if (options.endsWithTree) how.consistencyRounds = how.refinements = 0;
    candidates.push_back(accuracyOf(sequences, how));
    if (options.endsWithTree) {
        candidates.back().choice.name = "posteriors";
        return candidates;
    }
    how.refinements = std::min<std::size_t>(how.refinements, 30);
    for (const std::size_t rounds : {1U, 0U}) {
        if (how.consistencyRounds <= rounds) continue;
        how.consistencyRounds = rounds;
        candidates.push_back(accuracyOf(sequences, how));
    }
    if (mayBeFast && options.variant == pairwise::Variant::Default && !options.treeMethod)
        candidates.push_back(
            {.choice = {.method = AlignMethod::Fast, .name = "fast", .seconds = fastSeconds(sequences)}});
    return candidates;
}

}  // namespace

double posteriorCells(const Sequences& sequences) {
    double sum = 0, squares = 0;
    for (const std::string& letters : sequences.letters) {
        const auto length = static_cast<double>(letters.size());
        sum += length;
        squares += length * length;
    }
    return (sum * sum - squares) / 2 * (isNucleotide(sequences.alphabet) ? 2 : 1);
}

double accuracySeconds(const Sequences& sequences, const PosteriorAlignmentOptions& options) {
    constexpr double kCellsPerThird = 5, kCellsPerRefinedLetter = 2;
    const auto n = static_cast<double>(sequences.size());
    const double length = meanLength(sequences);
    const double thirds = std::clamp(n - 2, 0.0, static_cast<double>(options.mostThirds));
    const double cells =
        posteriorCells(sequences) +
        static_cast<double>(options.consistencyRounds) * pairsOfAll(sequences) * thirds * length *
            kCellsPerThird +
        static_cast<double>(options.refinements) * n * n / 4 * length * kCellsPerRefinedLetter;
    return cells / kCellsPerSecond;
}

double fastSeconds(const Sequences& sequences) {
    constexpr double kCellsPerJoinedCell = 3, kCellsPerCommonCell = 1.0 / 500, kMembersOfGroup = 100;
    const auto n = static_cast<double>(sequences.size());
    const double cells = meanLength(sequences) * meanLength(sequences);
    const double seeds = std::pow(std::log2(n), 2);
    const double compared = std::min(pairsOfAll(sequences), n * (seeds + kMembersOfGroup));
    return ((n - 1) * kCellsPerJoinedCell + compared * kCellsPerCommonCell) * cells / kCellsPerSecond;
}

PosteriorAlignmentOptions posteriorOptionsOf(std::size_t sequences, const AlignOptions& options) {
    PosteriorAlignmentOptions how = defaultOptions(sequences);
    if (options.consistencyRounds) how.consistencyRounds = *options.consistencyRounds;
    if (options.refinements) how.refinements = *options.refinements;
    return how;
}

MethodChoice chooseMethod(const Sequences& sequences, const AlignOptions& options, bool mayBeFast) {
    const std::vector<Candidate> candidates = candidatesFor(sequences, options, mayBeFast);
    auto best = std::ranges::find_if(
        candidates, [&](const Candidate& candidate) { return candidate.fits(options.budgetSeconds); });
    const bool fits = best != candidates.end();
    if (!fits) best = std::prev(candidates.end());
    MethodChoice choice = best->choice;
    choice.budgetSeconds = options.budgetSeconds;
    choice.reason = fmt::format("estimated {} of work, {} {}", formatSeconds(choice.seconds),
                                fits ? "budget" : "the least there is for a budget of",
                                formatSeconds(options.budgetSeconds));
    if (best != candidates.begin()) {
        const Candidate& first = candidates.front();
        choice.reason +=
            fmt::format("; {} would take {}", first.choice.name, formatSeconds(first.choice.seconds));
        if (first.bytes > kMaxPosteriorBytes)
            choice.reason +=
                fmt::format(" and {} of memory", formatBytes(static_cast<std::uint64_t>(first.bytes)));
    }
    return choice;
}

AlignOptions withChoice(AlignOptions options, const MethodChoice& choice) {
    options.method = choice.method;
    if (choice.method == AlignMethod::Fast) options.kept = nullptr;
    if (choice.method == AlignMethod::Accuracy && !options.endsWithTree) {
        options.consistencyRounds = choice.consistencyRounds;
        options.refinements = choice.refinements;
    }
    return options;
}

// ---- for the registry

const Algorithm& alignAlgorithm() {
    static const Algorithm algorithm(
        "align", "Aligns many proteins or nucleotide sequences by the posteriors of their residue pairs",
        "Y. Liu, B. Schmidt, D. L. Maskell, \"MSAProbs\", Bioinformatics 26 (2010); A. Gudyś, S. Deorowicz, "
        "\"QuickProbs 2\", Scientific Reports 7 (2017)",
        [] { return allVariants<PosteriorEngine>(); },
        [](Backend& backend, const Configuration& configuration, const Dimensions& dimensions) {
            if (const Support format = supportsNumberFormat(algorithm.variants(), configuration); !format)
                return format;
            PosteriorRequest request{.sequences = dimension(dimensions, "sequences"),
                                     .longest = dimension(dimensions, "letters")};
            if (!configuration.variant.empty())
                request.variant = fromString<pairwise::Variant>(configuration.variant);
            return supportsRequest(backend, request);
        });
    return algorithm;
}

}  // namespace glycine::align
