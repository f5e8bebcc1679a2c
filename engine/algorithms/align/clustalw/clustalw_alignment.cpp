#include "engine/algorithms/align/clustalw/clustalw_alignment.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/algorithms/align/clustal_pair.hpp"
#include "engine/algorithms/align/clustal_scoring.hpp"
#include "engine/algorithms/align/clustalw/guide_tree.hpp"
#include "engine/core/error.hpp"
#include "engine/trees/rooting.hpp"

namespace glycine::align::clustalw {

namespace {

std::vector<double> pairDistances(const Sequences& sequences, Progress& progress) {
    const std::size_t n = sequences.size();
    double cells = 0;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < j; ++i)
            cells += static_cast<double>(sequences.codes[i].size()) *
                     static_cast<double>(sequences.codes[j].size());
    progress.begin("pairs", cells);
    ClustalPair pair(clustalMatrix(sequences.alphabet));
    std::vector<double> distances;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < j; ++i) {
            const auto& a = sequences.codes[i];
            const auto& b = sequences.codes[j];
            progress.throwIfCancelled();
            const PairResult result =
                pair.align(a, b, clustalPenalties(sequences.alphabet, a.size(), b.size()), [](double) {});
            const auto shorter = static_cast<double>(std::min(a.size(), b.size()));
            progress.advance(static_cast<double>(a.size()) * static_cast<double>(b.size()));
            // By way of percents, as the program: equal distances are to be rounded alike.
            const double percent = 100 * static_cast<double>(result.identities) / shorter;
            distances.push_back((100 - percent) / 100);
        }
    return distances;
}

}  // namespace

ClustalwAlignment alignAsClustalw(const Sequences& sequences, Progress& progress) {
    if (sequences.size() < 2) throw UsageError("an alignment needs at least two sequences");
    ClustalwAlignment result;
    result.guideTree = guideTree(sequences.size(), pairDistances(sequences, progress), progress);
    result.alignment = alignProgressively(sequences, trees::rootAtMeanDistance(result.guideTree),
                                          usualOptions(sequences.alphabet), progress);
    return result;
}

}  // namespace glycine::align::clustalw
