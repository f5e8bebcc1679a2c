#include "engine/mutualinfo/network/truth.hpp"

#include <algorithm>

#include "engine/mutualinfo/network/check_network.hpp"

namespace glycine::mutualinfo {

namespace {

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TruePairs truePairsOf(const SimulatedNetwork& network) {
    TruePairs pairs;
    for (const RegulatoryEdge& edge : network.edges) {
        const auto [smaller, larger] = std::minmax(edge.regulator, edge.target);
        pairs.emplace(static_cast<std::uint32_t>(larger), static_cast<std::uint32_t>(smaller));
    }
    return pairs;
}

double TruthScore::precision() const {
    return share(truePositives, truePositives + falsePositives);
}
double TruthScore::recall() const {
    return share(truePositives, positives);
}
double TruthScore::specificity() const {
    return share(trueNegatives, trueNegatives + falsePositives);
}

TruthScore compareWithTruth(std::span<const Edge> edges, const TruePairs& truth, std::size_t genes,
                            const Regulators& regulators) {
    checkTruth(edges, truth, genes, regulators);
    TruthScore score{.pairs = regulators.pairs(genes)};
    score.positives = static_cast<std::size_t>(std::ranges::count_if(
        truth, [&](const auto& pair) { return regulators.mayLink(pair.first, pair.second); }));
    const std::size_t negatives = score.pairs - score.positives;
    std::size_t found = 0;
    std::size_t wrong = 0;
    const auto addGroup = [&](std::size_t hits, std::size_t misses) {
        if (hits + misses == 0) return;
        score.precisionRecallArea +=
            share(hits, score.positives) * share(found + hits, found + hits + wrong + misses);
        score.rocArea += share(misses, negatives) *
                         (share(found, score.positives) + share(found + hits, score.positives)) / 2;
        found += hits;
        wrong += misses;
    };
    for (auto edge = edges.begin(); edge != edges.end();) {
        const auto end =
            std::find_if(edge, edges.end(), [&](const Edge& other) { return other.score != edge->score; });
        const auto hits = static_cast<std::size_t>(std::count_if(edge, end, [&](const Edge& one) {
            return truth.contains({one.row, one.column});
        }));
        addGroup(hits, static_cast<std::size_t>(end - edge) - hits);
        edge = end;
    }
    score.truePositives = found;
    score.falsePositives = wrong;
    score.falseNegatives = score.positives - found;
    score.trueNegatives = negatives - wrong;
    addGroup(score.falseNegatives, score.trueNegatives);
    return score;
}

}  // namespace glycine::mutualinfo
