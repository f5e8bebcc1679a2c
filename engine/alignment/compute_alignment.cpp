#include "engine/alignment/compute_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "engine/alignment/check_arguments.hpp"
#include "engine/alignment/clustal/guide_tree.hpp"
#include "engine/alignment/clustal/progressive.hpp"
#include "engine/alignment/clustal/thesis_alignment.hpp"
#include "engine/alignment/fast/fast_alignment.hpp"
#include "engine/alignment/method_choice.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"

namespace glycine::align {

namespace {

trees::Tree rootedBy(AlignMethod method, const trees::Tree& tree) {
    if (tree.nodes[tree.root].children.size() == 2) return tree;
    return method == AlignMethod::ClustalW ? trees::rootAtMeanDistance(tree) : trees::rootAtMidpoint(tree);
}

std::vector<double> alignPairs(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                               AlignmentReport& report, Progress& progress) {
    pairs::PairStore store(
        {.layout = {sequences.size(), pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Float64});
    report.pairs =
        pairwise::computePairwise(backend, sequences, pairsOf(sequences, options), store, progress);
    return distancesOf(sequences, options.method, store);
}

/// The guide tree that was given, or that of distances that were given.
std::optional<trees::Tree> givenTree(std::size_t sequences, const AlignOptions& options, Progress& progress) {
    if (options.guideTree || !options.distances) return options.guideTree;
    return guideTreeOf(sequences, options.method, *options.distances, progress, options.treeMethod);
}

PosteriorRequest posteriorRequestFor(const Sequences& sequences, const AlignOptions& options) {
    return {.variant = options.variant, .sequences = sequences.size(), .longest = sequences.longest()};
}

AlignmentResult alignForAccuracy(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                                 Progress& progress) {
    const PosteriorRequest request = posteriorRequestFor(sequences, options);
    const std::unique_ptr<PosteriorEngine> engine = createPosteriorEngine(backend);
    if (const Support support = engine->supports(request); !support) throw UnavailableError(support.reason());
    PosteriorAlignmentOptions how = posteriorOptionsOf(sequences.size(), options);
    how.seed = options.seed;
    how.endsWithTree = options.endsWithTree;
    how.kept = options.kept;
    how.recount = options.recount;
    how.joinsNeighbours = options.treeMethod == trees::TreeMethod::NeighbourJoining;
    const std::optional<trees::Tree> guideTree = givenTree(sequences.size(), options, progress);
    if (guideTree) how.guideTree = resolved(rootedBy(options.method, *guideTree));
    const std::unique_ptr<PosteriorRun> run = engine->start(sequences);
    PosteriorAlignment found = alignByPosteriors(sequences, *run, how, progress);
    AlignmentResult result;
    result.alignment.alphabet = sequences.alphabet;
    result.alignment.names = sequences.names;
    if (!options.endsWithTree) result.alignment.rows = letteredRows(sequences, found.columns, found.width);
    result.distances = std::move(found.distances);
    result.alignment.order = std::move(found.order);
    result.alignment.confidence = std::move(found.confidences);
    result.alignment.guideTree = guideTree ? *guideTree : std::move(found.guideTree);
    result.report.stages = std::move(found.stages);
    result.report.variant = run->variantName();
    result.report.note = std::move(found.note);
    return result;
}

AlignmentResult alignQuickly(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                             Progress& progress) {
    if (const Support support = supportsAlignment(backend, sequences, options); !support)
        throw UnavailableError(support.reason());
    FastOptions how{.instructions = dynamic_cast<const HostBackend&>(backend).instructions(),
                    .isDouble = backend.name() == "reference",
                    .refinements = usualRefinements(sequences.size()),
                    .seed = options.seed};
    const std::optional<trees::Tree> guideTree = givenTree(sequences.size(), options, progress);
    if (guideTree) how.guideTree = resolved(rootedBy(options.method, *guideTree));
    FastAlignment found = alignFast(sequences, how, progress);
    AlignmentResult result;
    result.alignment.alphabet = sequences.alphabet;
    result.alignment.names = sequences.names;
    requireHostMemory(fmt::format("an alignment of {} with {}", formatCount(sequences.size(), "sequence"),
                                  formatCount(found.width, "column")),
                      static_cast<double>(sequences.size()) * static_cast<double>(found.width));
    result.alignment.rows = letteredRows(sequences, found.columns, found.width);
    result.alignment.order = std::move(found.order);
    result.alignment.guideTree = guideTree ? *guideTree : std::move(found.guideTree);
    result.report.stages = std::move(found.stages);
    result.report.variant = found.variant;
    if (found.repeated > 0)
        result.report.note = fmt::format("{} in double precision, whose sums float32 does not hold",
                                         formatCount(found.repeated, "join"));
    return result;
}

/// ClustalW's way, and the thesis'.
AlignmentResult alignByPairs(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                             Progress& progress) {
    AlignmentResult result;
    MultipleAlignment& alignment = result.alignment;
    alignment.alphabet = sequences.alphabet;
    alignment.names = sequences.names;
    Stopwatch watch;
    const auto finishStage = [&](const char* name) {
        result.report.stages.emplace_back(name, watch.restart());
    };
    if (options.guideTree) {
        alignment.guideTree = *options.guideTree;
    } else {
        std::vector<double> distances;
        if (options.distances) {
            distances = *options.distances;
        } else {
            distances = alignPairs(backend, sequences, options, result.report, progress);
            finishStage("pairs");
        }
        alignment.guideTree =
            guideTreeOf(sequences.size(), options.method, std::move(distances), progress, options.treeMethod);
        finishStage("guide tree");
    }
    const trees::Tree rooted = rootedBy(options.method, alignment.guideTree);
    const std::unique_ptr<clustalw::ProfilePaths> paths = clustalw::createProfilePaths(backend);
    if (paths) paths->recountWith(options.recount);
    if (options.method == AlignMethod::ClustalW) {
        clustalw::ProgressiveAlignment found = clustalw::alignProgressively(
            sequences, rooted, clustalw::usualOptions(sequences.alphabet), paths.get(), progress);
        alignment.rows = letteredRows(sequences, found.rows);
        alignment.order = std::move(found.order);
    } else {
        thesis::ThesisAlignment found = thesis::alignByThesis(sequences, rooted, paths.get(), progress);
        alignment.rows = letteredRows(sequences, found.rows);
        alignment.order = std::move(found.order);
    }
    if (paths) result.report.note = paths->note();
    finishStage("progressive");
    return result;
}

bool runsOnHost(const Backend& backend) {
    return dynamic_cast<const HostBackend*>(&backend) != nullptr;
}

/// With a method in place of Auto.
AlignOptions settled(const Backend& backend, const Sequences& sequences, const AlignOptions& options) {
    return options.method == AlignMethod::Auto
               ? withChoice(options, chooseMethod(sequences, options, runsOnHost(backend)))
               : options;
}

}  // namespace

void requireAlignmentMemory(const Sequences& sequences, const AlignOptions& options) {
    const std::size_t n = sequences.size();
    const auto count = static_cast<double>(n), longest = static_cast<double>(sequences.longest());
    if (options.method == AlignMethod::Accuracy) {
        requireHostMemory(fmt::format("the posteriors of all pairs of {}; --fast takes much less",
                                      formatCount(n, "sequence")),
                          bytesOfPosteriors(sequences, posteriorOptionsOf(n, options)));
    } else if (options.method == AlignMethod::Fast) {
        // Rows have at least as many columns as the longest sequence has letters; beside them each residue's
        // place.
        requireHostMemory(fmt::format("an alignment of {} of up to {}, at least", formatCount(n, "sequence"),
                                      formatCount(sequences.longest(), "letter")),
                          count * longest + static_cast<double>(sequences.total()) * sizeof(std::uint32_t));
    } else if (options.method == AlignMethod::Thesis && n >= 2) {
        // Somewhere the groups of the two longest ones are joined, through the whole matrix.
        std::vector<std::size_t> letters;
        for (const std::string& one : sequences.letters) letters.push_back(one.size());
        std::ranges::nth_element(letters, letters.begin() + 1, std::ranges::greater{});
        requireHostMemory(fmt::format("the steps of {} × {} columns, at least", letters[0], letters[1]),
                          thesis::bytesOfSteps(letters[0], letters[1]));
    }
}

Support supportsAlignment(Backend& backend, const Sequences& sequences, const AlignOptions& options) {
    if (options.method == AlignMethod::Auto)
        return supportsAlignment(backend, sequences, settled(backend, sequences, options));
    if (options.method == AlignMethod::Fast) {
        if (!runsOnHost(backend))
            return Support::no("profiles are aligned on the processor alone: backend cpu or reference");
        return Support::yes();
    }
    if (options.method == AlignMethod::Accuracy)
        return supportsRequest(backend, posteriorRequestFor(sequences, options));
    if (options.guideTree || options.distances) return Support::yes();
    return pairwise::supportsPairwise(backend, sequences, pairsOf(sequences, options));
}

pairwise::PairwiseOptions pairsOf(const Sequences& sequences, const AlignOptions& options) {
    return {.scoring = options.method == AlignMethod::Thesis
                           ? pairwise::thesisScoring(sequences.alphabet)
                           : pairwise::PairScoring{.method = pairwise::PairMethod::ClustalW},
            .measure = pairwise::PairMeasure::Distance,
            .variant = options.variant,
            .tile = options.tile};
}

std::vector<double> distancesOf(const Sequences& sequences, AlignMethod method,
                                const pairs::PairStore& store) {
    const std::size_t n = sequences.size();
    checkKnown(method);
    checkCount("the instances of the distances", store.instances(), n, "one for each sequence");
    if (n < 2) return {};
    std::vector<double> distances;
    distances.reserve(n * (n - 1) / 2);
    std::vector<double> row(n);
    for (std::size_t j = 1; j < n; ++j) {
        store.readRow(j, 0, j, row.data());
        for (std::size_t i = 0; i < j; ++i) {
            if (method == AlignMethod::ClustalW) {
                const auto shorter =
                    static_cast<double>(std::min(sequences.codes[i].size(), sequences.codes[j].size()));
                distances.push_back(clustalw::distanceOf(std::round((1 - row[i]) * shorter), shorter));
            } else {
                distances.push_back(row[i]);
            }
        }
    }
    return distances;
}

trees::Tree guideTreeOf(std::size_t sequences, AlignMethod method, std::vector<double> distances,
                        Progress& progress, std::optional<trees::TreeMethod> treeMethod) {
    checkKnown(method);
    if (treeMethod) checkKnown(*treeMethod);
    if (sequences < 2) throw UsageError("a guide tree needs at least two sequences");
    checkCount("the distances", distances.size(), sequences * (sequences - 1) / 2,
               fmt::format("one for each pair of {} sequences", sequences));
    if (!std::ranges::all_of(distances, [](double distance) { return std::isfinite(distance); }))
        throw InputError("a guide tree needs distances that are finite numbers, for all pairs");
    const bool isLinkage = method != AlignMethod::ClustalW && method != AlignMethod::Thesis;
    if (treeMethod ? *treeMethod == trees::TreeMethod::Upgma : isLinkage)
        return trees::treeOf(trees::clusterByAverageLinkage(
            sequences, std::vector<float>(distances.begin(), distances.end()), progress));
    if (method == AlignMethod::ClustalW)
        return clustalw::guideTree(sequences, std::move(distances), progress);
    return trees::joinNeighbours(sequences, std::move(distances), progress);
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
    return namingDevice(backend, [&] {
        if (options.method == AlignMethod::Accuracy)
            return alignForAccuracy(backend, sequences, options, progress);
        if (options.method == AlignMethod::Fast) return alignQuickly(backend, sequences, options, progress);
        return alignByPairs(backend, sequences, options, progress);
    });
}

}  // namespace glycine::align
