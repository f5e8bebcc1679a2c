#include "engine/mutualinfo/network/edges.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <tuple>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/huge_pages.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::mutualinfo {

namespace {

bool isBetter(const Edge& a, const Edge& b) {
    if (a.score != b.score) return a.score > b.score;
    return std::tuple(b.information, a.row, a.column) < std::tuple(a.information, b.row, b.column);
}

}  // namespace

std::size_t Regulators::count(std::size_t genes) const {
    return flags.empty()
               ? genes
               : static_cast<std::size_t>(std::ranges::count_if(flags, [](char flag) { return flag != 0; }));
}

std::size_t Regulators::pairs(std::size_t genes) const {
    const std::size_t others = genes - count(genes);
    const auto pairsOf = [](std::size_t n) { return n == 0 ? 0 : n * (n - 1) / 2; };
    return pairsOf(genes) - pairsOf(others);
}

void checkRegulators(const Regulators& regulators, std::size_t genes) {
    if (!regulators.flags.empty())
        checkCount("the flags of regulators", regulators.flags.size(), genes, "one for each gene, or none");
}

EdgeRanking::EdgeRanking(std::size_t most, std::size_t pairs) : most_(most) {
    // Only pages with edges take memory, and a growing list would move, and be there twice.
    if (most > 0 || pairs > availableHostMemory().bytes / sizeof(Edge)) return;
    edges_.reserve(pairs);
    preferHugePages(edges_.data(), pairs * sizeof(Edge));
}

void EdgeRanking::add(const std::vector<Edge>& edges) {
    constexpr std::size_t kSmall = std::size_t{1} << 16;
    const std::lock_guard lock(mutex_);
    const std::size_t wanted = edges_.size() + edges.size();
    if (wanted > edges_.capacity()) {
        const std::size_t next = std::max(wanted, 2 * edges_.capacity());
        if (next > kSmall)
            requireHostMemory(
                fmt::format("a list of {} edges (--top keeps the best ones only)", formatCount(next)),
                static_cast<double>(next) * sizeof(Edge));
        edges_.reserve(next);
    }
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    if (most_ == 0 || edges_.size() < 2 * most_ + kSmall) return;
    std::nth_element(edges_.begin(), edges_.begin() + static_cast<std::ptrdiff_t>(most_), edges_.end(),
                     isBetter);
    edges_.resize(most_);
}

std::vector<Edge> EdgeRanking::take() {
    boost::sort::block_indirect_sort(edges_.begin(), edges_.end(), isBetter,
                                     static_cast<std::uint32_t>(omp_get_max_threads()));
    if (most_ > 0 && edges_.size() > most_) edges_.resize(most_);
    constexpr std::size_t kMuchUnused = 8;
    if (edges_.capacity() / kMuchUnused > edges_.size()) edges_.shrink_to_fit();
    return std::exchange(edges_, {});
}

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
    checkRegulators(regulators, genes);
    const auto check = [&](const char* what, std::size_t row, std::size_t column) {
        if (row >= genes || column >= row)
            throw UsageError(fmt::format("{} links genes {} and {}; expected two of the {}, the larger first",
                                         what, row, column, genes));
    };
    for (const Edge& edge : edges) check("an edge", edge.row, edge.column);
    for (const auto& [row, column] : truth) check("a true pair", row, column);
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
