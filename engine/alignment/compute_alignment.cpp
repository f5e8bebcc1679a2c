#include "engine/alignment/compute_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/alignment/method.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::align {

namespace {

/// Refuses options that the method does not have.
void checkMethodOptions(const AlignOptions& options) {
    const MethodTraits method = methodOf(options.method).traits();
    const auto refuse = [&](const char* option) {
        throw UsageError(fmt::format("{} is not for the method {}", option, toString(options.method)));
    };
    if (!method.hasVariants && options.variant != pairwise::Variant::Default) refuse("a variant");
    if (!method.hasTreeMethods && options.treeMethod) refuse("a tree method");
    if (!method.hasPosteriors) {
        if (options.endsWithTree) refuse("an end with the tree");
        if (options.kept != nullptr) refuse("a file of kept posteriors");
        if (options.consistencyRounds) refuse("a number of rounds of consistency");
        if (options.refinements) refuse("a number of refinements");
    }
    constexpr std::size_t kMaxRounds = 100;
    if (options.consistencyRounds.value_or(0) > kMaxRounds)
        throw UsageError(
            fmt::format("{} rounds of consistency; expected 0 … {}", *options.consistencyRounds, kMaxRounds));
    checkNumber("the budget of work", options.budgetSeconds,
                options.budgetSeconds > 0 && std::isfinite(options.budgetSeconds),
                "a finite number of seconds above 0");
    if (options.guideTree && options.distances)
        throw UsageError("a guide tree and distances exclude each other: the tree comes from the distances");
}

void checkDistances(std::size_t sequences, const std::vector<double>& distances) {
    checkCount("the distances", distances.size(), sequences * (sequences - 1) / 2,
               fmt::format("one for each pair of {} sequences", sequences));
    for (std::size_t j = 1, pair = 0; j < sequences; ++j)
        for (std::size_t i = 0; i < j; ++i, ++pair)
            if (!std::isfinite(distances[pair]))
                throw InputError(
                    fmt::format("the distance of sequences {} and {} is {}; expected a finite number", j + 1,
                                i + 1, distances[pair]));
}

bool runsOnHost(const Backend& backend) {
    return dynamic_cast<const HostBackend*>(&backend) != nullptr;
}

void checkAlignment(const Sequences& sequences, const AlignOptions& options) {
    checkKnown(options.method);
    checkKnown(options.variant);
    if (options.treeMethod) checkKnown(*options.treeMethod);
    checkMethodOptions(options);
    if (sequences.size() < 2) throw UsageError("an alignment needs at least two sequences");
    checkSequences(sequences);
    if (options.guideTree) checkGuideTree(*options.guideTree, sequences.size());
    if (options.distances) checkDistances(sequences.size(), *options.distances);
}

}  // namespace

void requireAlignmentMemory(const Sequences& sequences, const AlignOptions& options) {
    if (options.method != AlignMethod::Auto) methodOf(options.method).requireMemory(sequences, options);
}

Support supportsAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options) {
    if (options.method == AlignMethod::Auto)
        return supportsAlignment(backend, sequences,
                                 withChoice(options, chooseMethod(sequences, options, runsOnHost(backend))));
    return methodOf(options.method).supports(backend, sequences, options);
}

pairwise::PairwiseOptions pairsOf(const Sequences& sequences, const AlignOptions& options) {
    return {.scoring = methodOf(options.method).scoringOf(sequences.alphabet),
            .measure = options.method == AlignMethod::Thesis ? pairwise::PairMeasure::Mismatch
                                                             : pairwise::PairMeasure::Distance,
            .variant = options.variant,
            .tile = options.tile};
}

std::vector<double> distancesOf(const Sequences& sequences, AlignMethod method,
                                const pairs::PairStore& store) {
    const std::size_t n = sequences.size();
    checkKnown(method);
    const Method& how = methodOf(method);
    checkCount("the instances of the distances", store.instances(), n, "one for each sequence");
    if (n < 2) return {};
    std::vector<double> distances;
    distances.reserve(n * (n - 1) / 2);
    std::vector<double> row(n);
    for (std::size_t j = 1; j < n; ++j) {
        store.readRow(j, 0, j, row.data());
        for (std::size_t i = 0; i < j; ++i)
            distances.push_back(how.distanceOf(
                row[i], static_cast<double>(std::min(sequences.codes[i].size(), sequences.codes[j].size()))));
    }
    return distances;
}

trees::Tree guideTreeOf(std::size_t sequences, AlignMethod method, std::vector<double> distances,
                        Progress& progress, std::optional<trees::TreeMethod> treeMethod,
                        trees::TreeDevice* device) {
    checkKnown(method);
    if (treeMethod) checkKnown(*treeMethod);
    if (sequences < 2) throw UsageError("a guide tree needs at least two sequences");
    checkCount("the distances", distances.size(), sequences * (sequences - 1) / 2,
               fmt::format("one for each pair of {} sequences", sequences));
    if (!std::ranges::all_of(distances, [](double distance) { return std::isfinite(distance); }))
        throw InputError("a guide tree needs distances that are finite numbers, for all pairs");
    const Method& how = methodOf(method);
    if (treeMethod.value_or(how.traits().defaultTree) == trees::TreeMethod::Upgma)
        return trees::treeOf(trees::clusterByAverageLinkage(
            sequences, std::vector<float>(distances.begin(), distances.end()), progress, device));
    return how.joinNeighbours(sequences, std::move(distances), device, progress);
}

AlignmentResult computeAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                                 Progress& progress) {
    checkAlignment(sequences, options);
    if (options.method == AlignMethod::Auto) {
        MethodChoice choice = chooseMethod(sequences, options, runsOnHost(backend));
        AlignmentResult result = computeAlignment(backend, sequences, withChoice(options, choice), progress);
        result.report.choice = std::move(choice);
        return result;
    }
    requireAlignmentMemory(sequences, options);
    const ThreadsOf threads(backend);
    return namingDevice(
        backend, [&] { return methodOf(options.method).align(backend, sequences, options, progress); });
}

}  // namespace glycine::align
