#include "engine/algorithms/align/fast/subsequence_tree.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/algorithms/align/fast/common_subsequence.hpp"
#include "engine/algorithms/align/fast/seed_groups.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/silent_progress.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::align {

namespace {

using WordMemory = std::vector<std::uint64_t>;

float distanceBetween(const Sequences& sequences, const SubsequenceQuery& query, std::size_t queried,
                      std::size_t other, WordMemory& memory) {
    const auto& codes = sequences.codes[other];
    return subsequenceDistance(sequences.codes[queried].size(), codes.size(),
                               query.commonWith(codes, memory));
}

/// Of some sequences, the distance of each pair below the diagonal.
std::vector<float> distancesOfRow(const Sequences& sequences, const std::vector<std::size_t>& members,
                                  std::size_t row, WordMemory& memory) {
    const SubsequenceQuery query(sequences.codes[members[row]]);
    std::vector<float> distances(row);
    for (std::size_t k = 0; k < row; ++k)
        distances[k] = distanceBetween(sequences, query, members[row], members[k], memory);
    return distances;
}

trees::Tree treeOfAllPairs(const Sequences& sequences, Progress& progress) {
    const std::size_t n = sequences.size();
    requireHostMemory(fmt::format("the distances of all pairs of {} sequences", n),
                      trees::bytesBelowDiagonal(n));
    std::vector<std::size_t> members(n);
    std::iota(members.begin(), members.end(), std::size_t{0});
    std::vector<float> distances(n * (n - 1) / 2);
    const int threads = omp_get_max_threads();
    std::vector<WordMemory> memory(static_cast<std::size_t>(threads));
    progress.begin("distances", static_cast<double>(distances.size()));
    parallelFor(threads, n - 1, [&](std::size_t k, std::size_t thread) {
        // The longest rows first.
        const std::size_t row = n - 1 - k;
        std::ranges::copy(distancesOfRow(sequences, members, row, memory[thread]),
                          distances.begin() + static_cast<std::ptrdiff_t>(row * (row - 1) / 2));
        progress.advance(static_cast<double>(row));
    });
    return trees::treeOf(trees::clusterByAverageLinkage(n, std::move(distances), progress));
}

/// At equal steps among the sequences by length.
std::vector<std::size_t> seedsOf(const Sequences& sequences) {
    const std::size_t n = sequences.size();
    std::vector<std::size_t> byLength(n);
    std::iota(byLength.begin(), byLength.end(), std::size_t{0});
    std::ranges::stable_sort(byLength, {}, [&](std::size_t k) { return sequences.codes[k].size(); });
    const double logarithm = std::log2(static_cast<double>(n));
    const auto count = std::min(n, static_cast<std::size_t>(logarithm * logarithm));
    std::vector<std::size_t> seeds;
    for (std::size_t k = 0; k < count; ++k) seeds.push_back(byLength[k * n / count]);
    return seeds;
}

/// Distances from seeds, a row a sequence.
Matrix<float> distancesFromSeeds(const Sequences& sequences, const std::vector<std::size_t>& seeds,
                                 Progress& progress) {
    constexpr std::size_t kAtOnce = 256;
    std::vector<SubsequenceQuery> queries;
    for (const std::size_t seed : seeds) queries.emplace_back(sequences.codes[seed]);
    Matrix<float> distances(sequences.size(), seeds.size());
    const int threads = omp_get_max_threads();
    std::vector<WordMemory> memory(static_cast<std::size_t>(threads));
    progress.begin("distances from seeds", static_cast<double>(sequences.size()));
    parallelFor(
        threads, (sequences.size() + kAtOnce - 1) / kAtOnce, [&](std::size_t block, std::size_t thread) {
            const std::size_t begin = block * kAtOnce, end = std::min(begin + kAtOnce, sequences.size());
            for (std::size_t seed = 0; seed < seeds.size(); ++seed)
                for (std::size_t k = begin; k < end; ++k)
                    distances(k, seed) =
                        distanceBetween(sequences, queries[seed], seeds[seed], k, memory[thread]);
            progress.advance(static_cast<double>(end - begin));
        });
    return distances;
}

trees::Tree treeOfGroups(const Sequences& sequences, std::size_t mostOfAGroup, Progress& progress) {
    const std::size_t n = sequences.size();
    const Matrix<float> rows = distancesFromSeeds(sequences, seedsOf(sequences), progress);
    const auto groups = groupsOfRows(rows, mostOfAGroup, progress);

    trees::Tree tree{.leaves = n, .nodes = std::vector<trees::TreeNode>(2 * n - 1), .root = 2 * n - 2};
    std::vector<double> heights(2 * n - 1, 0);
    // Numbers of inner nodes are shared out before, so that they do not depend on the threads.
    std::vector<std::size_t> tops(groups.size()), firstNodes(groups.size());
    std::size_t next = n;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        firstNodes[g] = next;
        next += groups[g].size() - 1;
    }
    const auto join = [&](std::size_t node, std::size_t left, std::size_t right, double distance) {
        heights[node] = std::max({distance / 2, heights[left], heights[right]});
        for (const std::size_t child : {left, right})
            trees::attach(tree, node, child, heights[node] - heights[child]);
    };
    /// Nodes of a clustering whose instances are nodes already; returns the last one.
    const auto joinAll = [&](const trees::Clustering& clustering, const std::vector<std::size_t>& instances,
                             std::size_t firstNode) {
        const auto nodeOf = [&](std::size_t cluster) {
            return cluster < instances.size() ? instances[cluster] : firstNode + cluster - instances.size();
        };
        for (std::size_t k = 0; k < clustering.merges.size(); ++k) {
            const trees::Merge& merge = clustering.merges[k];
            join(firstNode + k, nodeOf(merge.left), nodeOf(merge.right), merge.height);
        }
        return nodeOf(instances.size() + clustering.merges.size() - 1);
    };
    const int threads = omp_get_max_threads();
    std::vector<WordMemory> memory(static_cast<std::size_t>(threads));
    progress.begin("distances within groups", static_cast<double>(n));
    parallelFor(threads, groups.size(), [&](std::size_t g, std::size_t thread) {
        const std::vector<std::size_t>& members = groups[g];
        std::vector<float> distances;
        for (std::size_t row = 1; row < members.size(); ++row) {
            const std::vector<float> more = distancesOfRow(sequences, members, row, memory[thread]);
            distances.insert(distances.end(), more.begin(), more.end());
        }
        Progress silent;
        tops[g] = joinAll(trees::clusterByAverageLinkage(members.size(), std::move(distances), silent),
                          members, firstNodes[g]);
        progress.advance(static_cast<double>(members.size()));
    });
    Matrix<float> centres(groups.size(), rows.columns());
    for (std::size_t g = 0; g < groups.size(); ++g)
        std::ranges::copy(centreOf(rows, groups[g]), centres.row(g));
    requireHostMemory(fmt::format("the distances of all pairs of {} groups", groups.size()),
                      trees::bytesBelowDiagonal(groups.size()));
    std::vector<float> distances(groups.size() * (groups.size() - 1) / 2);
    // As the root of the mean of squares, which is a distance from seeds, as those inside groups are.
    for (std::size_t g = 1; g < groups.size(); ++g)
        for (std::size_t h = 0; h < g; ++h)
            distances[g * (g - 1) / 2 + h] =
                std::sqrt(squaredDistance(centres.row(g), centres.row(h), rows.columns()) /
                          static_cast<float>(rows.columns()));
    tree.root =
        joinAll(trees::clusterByAverageLinkage(groups.size(), std::move(distances), progress), tops, next);
    return tree;
}

}  // namespace

float subsequenceDistance(std::size_t letters, std::size_t otherLetters, std::size_t common) {
    const auto both = static_cast<float>(letters + otherLetters);
    const auto shared = static_cast<float>(common);
    const float atLeastOne = std::max(shared, 1.0F);
    return (both - 2 * shared) / (atLeastOne * atLeastOne);
}

trees::Tree subsequenceTree(const Sequences& sequences, Progress& progress, std::size_t mostForAllPairs,
                            std::size_t mostOfAGroup) {
    if (sequences.size() <= mostForAllPairs) return treeOfAllPairs(sequences, progress);
    return treeOfGroups(sequences, mostOfAGroup, progress);
}

}  // namespace glycine::align
