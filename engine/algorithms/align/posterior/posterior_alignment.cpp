#include "engine/algorithms/align/posterior/posterior_alignment.hpp"

#include <algorithm>
#include <numeric>

#include "engine/algorithms/align/posterior/accuracy_aligner.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/leaf_weights.hpp"

namespace glycine::align {

namespace {

/// 1 − expected accuracy / residues of the shorter sequence, below the diagonal.
std::vector<float> accuracyDistances(const Sequences& sequences, const PosteriorSet& posteriors) {
    const std::size_t n = sequences.size();
    std::vector<float> distances(n * (n - 1) / 2);
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t a = 1; a < n; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const std::size_t letters = sequences.codes[b].size();
            const auto shorter = static_cast<double>(std::min(sequences.codes[a].size(), letters));
            distances[a * (a - 1) / 2 + b] =
                static_cast<float>(1 - expectedAccuracy(posteriors.pair(a, b), letters) / shorter);
        }
    return distances;
}

}  // namespace

PosteriorAlignment alignByPosteriors(const Sequences& sequences, PosteriorRun& run,
                                     const PosteriorAlignmentOptions& options, Progress& progress) {
    PosteriorAlignment result;
    PosteriorSet posteriors = run.posteriors(progress);
    result.guideTree = trees::treeOf(trees::clusterByAverageLinkage(
        sequences.size(), accuracyDistances(sequences, posteriors), progress));
    std::vector<double> weights = trees::leafWeights(result.guideTree);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights)
        weight = sum > 0 ? std::max(weight / sum * static_cast<double>(weights.size()), 0.01) : 1;
    for (std::size_t round = 0; round < options.consistencyRounds; ++round)
        posteriors = run.madeConsistent(posteriors, weights, options.selfWeight, progress);
    AccuracyAligner aligner(sequences, posteriors, weights);
    aligner.alignAlong(result.guideTree, progress);
    aligner.refine(options.refinements, options.seed, progress);
    result.columns = aligner.columns();
    result.width = aligner.width();
    result.order = aligner.order();
    result.confidences = aligner.confidences();
    return result;
}

}  // namespace glycine::align
