#include "engine/alignment/fast/fast_alignment.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/alignment/fast/column_profile.hpp"
#include "engine/alignment/fast/profile_progression.hpp"
#include "engine/alignment/fast/profile_refinement.hpp"
#include "engine/alignment/fast/subsequence_tree.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/leaf_weights.hpp"

namespace glycine::align {

std::size_t usualRefinements(std::size_t sequences) {
    constexpr std::size_t kTimes = 4, kMostSequences = 2000;
    return sequences <= kMostSequences ? kTimes : 0;
}

FastAlignment alignFast(const Sequences& sequences, const FastOptions& options, Progress& progress) {
    FastAlignment result;
    Stopwatch watch;
    const auto finishStage = [&](const char* name) { result.stages.emplace_back(name, watch.restart()); };
    if (options.guideTree) {
        result.guideTree = *options.guideTree;
    } else {
        result.guideTree = subsequenceTree(sequences, options.instructions, progress);
        finishStage("guide tree");
    }
    const std::vector<double> weights = trees::relativeLeafWeights(result.guideTree);
    const ProfileJoiner joiner(sequences, options.instructions, options.isDouble);
    JoinedSequences joined = joinAlong(result.guideTree, sequences, weights, joiner, progress);
    finishStage("progressive");
    result.variant =
        fmt::format("profiles, {}", options.isDouble ? "double precision" : toString(options.instructions));
    if (options.refinements > 0) {
        refineByProfiles(joined, sequences, weights, joiner, options.refinements, options.seed, progress);
        finishStage("refinement");
    }
    result.repeated = joined.repeated;
    result.columns = std::move(joined.columns);
    result.width = joined.width;
    result.order = std::move(joined.order);
    return result;
}

}  // namespace glycine::align
