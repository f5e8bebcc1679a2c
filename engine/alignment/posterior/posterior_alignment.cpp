#include "engine/alignment/posterior/posterior_alignment.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/alignment/posterior/accuracy_aligner.hpp"
#include "engine/alignment/recount_joins.hpp"
#include "engine/alignment/recount_posteriors.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/leaf_weights.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"

namespace glycine::align {

namespace {

/// 1 − expected accuracy / residues of the shorter sequence, below the diagonal.
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
        std::optional<KeptPosteriors::Following> following;
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
    result.guideTree =
        options.guideTree ? *options.guideTree
        : options.joinsNeighbours
            ? resolved(
                  trees::rootAtMidpoint(trees::joinNeighbours(sequences.size(), result.distances, progress)))
            : trees::treeOf(trees::clusterByAverageLinkage(sequences.size(), std::move(distances), progress));
    if (!options.guideTree) finishStage("guide tree");
    if (options.endsWithTree) {
        result.note = run.note();
        return result;
    }
    const std::vector<double> weights = trees::relativeLeafWeights(result.guideTree);
    for (std::size_t number = 0; number < options.consistencyRounds; ++number) {
        const ConsistencyRound round{weights, options.selfWeight, thirds};
        PosteriorSet consistent = run.madeConsistent(posteriors, round, progress);
        if (recountsAll)
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
    // 3 to 7 on the families that were measured.
    constexpr double kEntries = 5;
    const double rows = static_cast<double>(sequences.total()) * static_cast<double>(sequences.size() - 1);
    const double set = rows * (sizeof(std::uint32_t) + kEntries * sizeof(PosteriorEntry));
    return options.consistencyRounds > 0 ? 2 * set : set;
}

PosteriorAlignmentOptions usualOptions(std::size_t sequences) {
    PosteriorAlignmentOptions options;
    options.consistencyRounds = sequences <= kMostForTwoRounds ? 2 : sequences <= kMostForOneRound ? 1 : 0;
    if (sequences > kMostForTwoRounds) options.refinements = 30;
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

}  // namespace glycine::align
