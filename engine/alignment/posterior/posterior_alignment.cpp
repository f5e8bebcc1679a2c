#include "engine/alignment/posterior/posterior_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "engine/alignment/method.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align {

// ---- joins of groups

AccuracyAligner::AccuracyAligner(const Sequences& sequences, GroupJoins& joins,
                                 std::span<const double> weights)
    : sequences_(sequences), joins_(joins), weights_(weights) {
    for (const auto& codes : sequences.codes) {
        columns_.emplace_back(codes.size());
        std::iota(columns_.back().begin(), columns_.back().end(), 0U);
    }
}

std::size_t AccuracyAligner::join(const GroupJoin& groups, const ColumnChain& chain) {
    // Between paired columns, columns of the first group come before those of the second.
    std::vector<std::uint32_t> places[2];
    std::uint32_t place = 0;
    const auto advanceTo = [&](std::size_t i, std::size_t j) {
        while (places[0].size() < i) places[0].push_back(place++);
        while (places[1].size() < j) places[1].push_back(place++);
    };
    for (const auto& [i, j] : chain) {
        advanceTo(i, j);
        places[0].push_back(place);
        places[1].push_back(place++);
    }
    advanceTo(groups.firstWidth, groups.secondWidth);
    for (const std::size_t x : groups.first)
        for (std::uint32_t& column : columns_[x]) column = places[0][column];
    for (const std::size_t y : groups.second)
        for (std::uint32_t& column : columns_[y]) column = places[1][column];
    return place;
}

void AccuracyAligner::alignAlong(const trees::Tree& tree, Progress& progress) {
    struct Group {
        std::vector<std::size_t> sequences;
        std::size_t width = 0;
    };
    std::vector<Group> groups(tree.nodes.size());
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf)
        groups[leaf] = {{leaf}, sequences_.codes[leaf].size()};
    progress.begin("progressive alignment", static_cast<double>(tree.leaves));
    for (const std::vector<std::size_t>& nodes : trees::innerNodesByRounds(tree)) {
        std::vector<GroupJoin> joins;
        for (const std::size_t node : nodes) {
            const Group &left = groups[tree.nodes[node].children[0]],
                        &right = groups[tree.nodes[node].children[1]];
            joins.push_back({left.sequences, right.sequences, left.width, right.width});
        }
        const std::vector<ColumnChain> chains = joins_.heaviestChains(joins, columns_, progress);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            Group& here = groups[nodes[k]];
            here.width = join(joins[k], chains[k]);
            const std::vector<std::size_t>& children = tree.nodes[nodes[k]].children;
            here.sequences = std::move(groups[children[0]].sequences);
            const std::vector<std::size_t>& right = groups[children[1]].sequences;
            here.sequences.insert(here.sequences.end(), right.begin(), right.end());
        }
        progress.advance(static_cast<double>(nodes.size()));
    }
    order_ = groups[tree.root].sequences;
    width_ = groups[tree.root].width;
}

std::size_t AccuracyAligner::compact(std::span<const std::size_t> group) {
    std::vector<std::uint32_t> places(width_, 0);
    for (const std::size_t x : group)
        for (const std::uint32_t column : columns_[x]) places[column] = 1;
    std::uint32_t count = 0;
    for (std::uint32_t& place : places) {
        const std::uint32_t here = count;
        count += place;
        place = here;
    }
    for (const std::size_t x : group)
        for (std::uint32_t& column : columns_[x]) column = places[column];
    return count;
}

void AccuracyAligner::refine(std::size_t times, std::uint64_t seed, Progress& progress) {
    progress.begin("refinement", static_cast<double>(times));
    RandomSequence random(seed);
    for (std::size_t turn = 0; turn < times; ++turn) {
        progress.advance(1);
        const GapSplit split = splitAtGap(order_, columns_, width_, random);
        if (split.without.empty()) continue;
        const GroupJoin groups{split.with, split.without, compact(split.with), compact(split.without)};
        width_ = join(groups, joins_.heaviestChains({&groups, 1}, columns_, progress).front());
    }
}

Confidences AccuracyAligner::confidences(Progress& progress) const {
    std::vector<double> weights(width_, 0), squares(width_, 0);
    Confidences found{std::vector<double>(width_, 0), joins_.sumsWithin(columns_, progress)};
    for (std::size_t x = 0; x < columns_.size(); ++x)
        for (std::size_t k = 0; k < columns_[x].size(); ++k) {
            const std::uint32_t column = columns_[x][k];
            weights[column] += weights_[x];
            squares[column] += weights_[x] * weights_[x];
            found.columns[column] += weights_[x] * found.residues[x][k];
        }
    const auto share = [](double sum, double most) { return most > 0 ? std::min(sum / most, 1.0) : 0; };
    for (std::size_t column = 0; column < width_; ++column)
        found.columns[column] =
            share(found.columns[column], weights[column] * weights[column] - squares[column]);
    for (std::size_t x = 0; x < columns_.size(); ++x)
        for (std::size_t k = 0; k < columns_[x].size(); ++k)
            found.residues[x][k] = share(found.residues[x][k], weights[columns_[x][k]] - weights_[x]);
    return found;
}

namespace {

/// 1 − expected accuracy / residues of the shorter sequence, for pairs below the diagonal.
std::vector<float> accuracyDistances(const Sequences& sequences, const std::vector<double>& accuracies) {
    std::vector<float> distances;
    distances.reserve(accuracies.size());
    for (std::size_t a = 0; a < sequences.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const auto shorter =
                static_cast<double>(std::min(sequences.codes[a].size(), sequences.codes[b].size()));
            distances.push_back(static_cast<float>(1 - accuracies[distances.size()] / shorter));
        }
    return distances;
}

PosteriorAlignment alignInStages(const Sequences& sequences, PosteriorRun& run,
                                 const PosteriorAlignmentOptions& options, Progress& progress) {
    PosteriorAlignment result;
    Stopwatch watch;
    const auto finishStage = [&](const char* name) { result.stages.emplace_back(name, watch.restart()); };
    PosteriorSet posteriors(sequences.size());
    {
        std::optional<PosteriorCheckpoint::Following> following;
        if (options.kept != nullptr) following.emplace(*options.kept, sequences, posteriors);
        run.complete(posteriors, progress);
    }
    const std::string variant(run.variantName());
    if (options.recount != nullptr)
        recountPosteriors(*options.recount, sequences, posteriors, variant, watch.seconds(), progress);
    finishStage("posteriors");
    const std::vector<double> accuracies = run.expectedAccuracies(posteriors, progress);
    StageRecount* const recount = options.recount;
    const bool recountsAll = recount != nullptr && recount->isWanted() && run.followsOnDevice();
    if (recountsAll) recountAccuracies(*recount, sequences, posteriors, accuracies, variant, watch.seconds());
    std::vector<float> distances = accuracyDistances(sequences, accuracies);
    result.distances.assign(distances.begin(), distances.end());
    const ThirdSequences thirds(sequences.size(), distances, options.mostThirds);
    result.guideTree = options.guideTree ? *options.guideTree
                       : options.joinsNeighbours
                           ? resolved(trees::rootAtMidpoint(trees::joinNeighbours(
                                 sequences.size(), result.distances, progress, {}, options.treeDevice)))
                           : trees::treeOf(trees::clusterByAverageLinkage(
                                 sequences.size(), std::move(distances), progress, options.treeDevice));
    if (!options.guideTree) finishStage("guide tree");
    if (options.endsWithTree) {
        result.note = run.note();
        return result;
    }
    const std::vector<double> weights = trees::relativeLeafWeights(result.guideTree);
    for (std::size_t number = 0; number < options.consistencyRounds; ++number) {
        const ConsistencyRound round{weights, options.selfWeight, thirds};
        PosteriorSet consistent = run.applyConsistency(posteriors, round, progress);
        result.consistencyOnHost = run.consistencyOnHost();
        if (recount != nullptr && recount->isWanted() && result.consistencyOnHost.empty())
            recountConsistency(*recount, sequences, posteriors, round, consistent, variant, watch.seconds());
        posteriors = std::move(consistent);
    }
    if (options.consistencyRounds > 0) finishStage("consistency");
    std::unique_ptr<GroupJoins> joins = run.joins(posteriors, weights);
    RecountedJoins* recounted = nullptr;
    if (recount != nullptr && recount->isWanted()) {
        auto both = std::make_unique<RecountedJoins>(std::move(joins), *recount, sequences, posteriors,
                                                     weights, variant, run.followsOnDevice());
        recounted = both.get();
        joins = std::move(both);
    }
    const auto beginStage = [&](const char* name) {
        if (recounted != nullptr) recounted->enter(name);
    };
    AccuracyAligner aligner(sequences, *joins, weights);
    beginStage("progressive alignment");
    aligner.alignAlong(result.guideTree, progress);
    finishStage("progressive");
    beginStage("refinement");
    aligner.refine(options.refinements, options.seed, progress);
    finishStage("refinement");
    beginStage("confidence");
    result.columns = aligner.columns();
    result.width = aligner.width();
    result.order = aligner.order();
    result.confidences = aligner.confidences(progress);
    finishStage("confidence");
    result.note = run.note();
    if (const std::string note = joins->note(); !note.empty())
        result.note += (result.note.empty() ? "" : "; ") + note;
    return result;
}

}  // namespace

double bytesOfPosteriors(const Sequences& sequences, const PosteriorAlignmentOptions& options) {
    // Entries per residue and other sequence: 3 to 7 on the measured families.
    constexpr double kEntries = 5;
    const double rows = static_cast<double>(sequences.total()) * static_cast<double>(sequences.size() - 1);
    const double set = rows * (sizeof(std::uint32_t) + kEntries * sizeof(PosteriorEntry));
    return options.consistencyRounds > 0 ? 2 * set : set;
}

PosteriorAlignmentOptions defaultOptions(std::size_t sequences) {
    PosteriorAlignmentOptions options;
    options.consistencyRounds = sequences <= kMaxForTwoRounds ? 2 : sequences <= kMaxForOneRound ? 1 : 0;
    if (sequences > kMaxForTwoRounds) options.refinements = 30;
    return options;
}

PosteriorAlignment alignByPosteriors(const Sequences& sequences, PosteriorRun& run,
                                     const PosteriorAlignmentOptions& options, Progress& progress) {
    try {
        return alignInStages(sequences, run, options, progress);
    } catch (const WrongResultError&) {
        if (options.kept != nullptr) options.kept->discard();
        throw;
    }
}

// ---- the method

namespace {

PosteriorRequest posteriorRequestFor(const Sequences& sequences, const AlignOptions& options) {
    return {.variant = options.variant, .sequences = sequences.size(), .longest = sequences.longest()};
}

class PosteriorMethod final : public Method {
  public:
    MethodTraits traits() const override {
        static constexpr std::array<LackedOption, 1> kLacks{
            {{"--tile", "is for --method clustalw and thesis"}}};
        return {.flag = "--method accuracy",
                .description = "maximum expected accuracy over posteriors of residue pairs",
                .similarity = "expected accuracy of pairs",
                .hasPosteriors = true,
                .lacks = kLacks};
    }

    Support supports(Backend& backend, const Sequences& sequences,
                     const AlignOptions& options) const override {
        return supportsRequest(backend, posteriorRequestFor(sequences, options));
    }

    void requireMemory(const Sequences& sequences, const AlignOptions& options) const override {
        requireHostMemory(fmt::format("the posteriors of all pairs of {}; --method fast takes much less",
                                      formatCount(sequences.size(), "sequence")),
                          bytesOfPosteriors(sequences, posteriorOptionsOf(sequences.size(), options)));
    }

    AlignmentResult align(Backend& backend, const Sequences& sequences, const AlignOptions& options,
                          Progress& progress) const override {
        const std::unique_ptr<PosteriorEngine> engine = createImplementation<PosteriorEngine>(backend);
        if (const Support support = engine->supports(posteriorRequestFor(sequences, options)); !support)
            throw UnavailableError(support.reason());
        PosteriorAlignmentOptions how = posteriorOptionsOf(sequences.size(), options);
        how.seed = options.seed;
        how.endsWithTree = options.endsWithTree;
        how.kept = options.kept;
        how.recount = options.recount;
        how.joinsNeighbours = options.treeMethod == trees::TreeMethod::NeighbourJoining;
        trees::TreeDevice device(backend, options.recount);
        how.treeDevice = &device;
        const std::optional<trees::Tree> guideTree = givenTree(sequences.size(), options, &device, progress);
        if (guideTree) how.guideTree = resolved(rooted(*guideTree));
        const std::unique_ptr<PosteriorRun> run = engine->start(sequences);
        PosteriorAlignment found = alignByPosteriors(sequences, *run, how, progress);
        AlignmentResult result;
        result.alignment.alphabet = sequences.alphabet;
        result.alignment.names = sequences.names;
        if (!options.endsWithTree)
            result.alignment.rows = letteredRows(sequences, found.columns, found.width);
        result.distances = std::move(found.distances);
        result.alignment.order = std::move(found.order);
        result.alignment.confidence = std::move(found.confidences.columns);
        result.alignment.residueConfidence = std::move(found.confidences.residues);
        result.alignment.guideTree = guideTree ? *guideTree : std::move(found.guideTree);
        result.report.stages = std::move(found.stages);
        result.report.treeOnHost = device.reason();
        result.report.consistencyOnHost = found.consistencyOnHost;
        result.report.variant = run->variantName();
        result.report.note = std::move(found.note);
        return result;
    }
};

}  // namespace

const Method& posteriorMethod() {
    static const PosteriorMethod method;
    return method;
}

}  // namespace glycine::align
