#include "engine/alignment/fast/subsequence_tree.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/alignment/fast/common_subsequence.hpp"
#include "engine/alignment/fast/seed_groups.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::align {

namespace {

using Common = std::array<std::uint32_t, SubsequenceQueries::kMostLanes>;

/// Distances of all pairs of some sequences, below the diagonal. The work is cut into portions, each of
/// sequences of about one length with all that are not longer.
class AllDistances {
  public:
    AllDistances(const Sequences& sequences, std::vector<std::size_t> members, InstructionSet instructions)
        : sequences_(sequences),
          members_(std::move(members)),
          instructions_(instructions),
          lanes_(SubsequenceQueries::lanes(instructions)),
          distances_(members_.size() * (members_.size() - 1) / 2),
          byLength_(members_.size()) {
        std::iota(byLength_.begin(), byLength_.end(), std::size_t{0});
        std::ranges::stable_sort(byLength_, {}, [&](std::size_t place) { return letters(place); });
    }

    std::size_t portions() const { return (members_.size() + lanes_ - 1) / lanes_; }
    /// Portions, the largest first, may be computed by different threads. Returns the number of pairs.
    std::size_t compute(std::size_t portion, SubsequenceQueries::Memory& memory) {
        const std::size_t begin = (portions() - 1 - portion) * lanes_;
        const std::size_t end = std::min(begin + lanes_, members_.size());
        std::vector<std::size_t> queried;
        for (std::size_t k = begin; k < end; ++k) queried.push_back(members_[byLength_[k]]);
        const SubsequenceQueries queries(sequences_, queried, instructions_);
        Common common;
        std::size_t count = 0;
        for (std::size_t k = 0; k + 1 < end; ++k) {
            const std::size_t other = byLength_[k];
            queries.commonWith(sequences_.codes[members_[other]], memory, common);
            for (std::size_t q = std::max(begin, k + 1); q < end; ++q, ++count) {
                const auto [low, high] = std::minmax(other, byLength_[q]);
                distances_[high * (high - 1) / 2 + low] =
                    subsequenceDistance(letters(byLength_[q]), letters(other), common[q - begin]);
            }
        }
        return count;
    }
    std::vector<float> take() { return std::move(distances_); }

  private:
    std::size_t letters(std::size_t place) const { return sequences_.codes[members_[place]].size(); }

    const Sequences& sequences_;
    std::vector<std::size_t> members_;
    InstructionSet instructions_;
    std::size_t lanes_;
    std::vector<float> distances_;
    std::vector<std::size_t> byLength_;  ///< places among the members
};

trees::Tree treeOfAllPairs(const Sequences& sequences, InstructionSet instructions, Progress& progress) {
    const std::size_t n = sequences.size();
    requireHostMemory(fmt::format("the distances of all pairs of {} sequences", n),
                      trees::bytesBelowDiagonal(n));
    std::vector<std::size_t> members(n);
    std::iota(members.begin(), members.end(), std::size_t{0});
    AllDistances distances(sequences, std::move(members), instructions);
    const int threads = omp_get_max_threads();
    std::vector<SubsequenceQueries::Memory> memory(static_cast<std::size_t>(threads));
    progress.begin("distances", static_cast<double>(n) * static_cast<double>(n - 1) / 2);
    parallelFor(threads, distances.portions(), [&](std::size_t portion, std::size_t thread) {
        progress.advance(static_cast<double>(distances.compute(portion, memory[thread])));
    });
    return trees::treeOf(trees::clusterByAverageLinkage(n, distances.take(), progress));
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
                                 InstructionSet instructions, Progress& progress) {
    constexpr std::size_t kAtOnce = 256;
    const std::vector<Range> batches = splitRange(seeds.size(), SubsequenceQueries::lanes(instructions));
    std::vector<SubsequenceQueries> queries;
    for (const Range& batch : batches)
        queries.emplace_back(sequences, std::span(seeds).subspan(batch.begin, batch.size()), instructions);
    Matrix<float> distances(sequences.size(), seeds.size());
    const int threads = omp_get_max_threads();
    std::vector<SubsequenceQueries::Memory> memory(static_cast<std::size_t>(threads));
    progress.begin("distances from seeds", static_cast<double>(sequences.size()));
    const std::vector<Range> blocks = splitRange(sequences.size(), kAtOnce);
    parallelFor(threads, blocks.size(), [&](std::size_t block, std::size_t thread) {
        Common common;
        for (std::size_t b = 0; b < batches.size(); ++b)
            for (std::size_t k = blocks[block].begin; k < blocks[block].end; ++k) {
                const auto& codes = sequences.codes[k];
                queries[b].commonWith(codes, memory[thread], common);
                for (std::size_t seed = batches[b].begin; seed < batches[b].end; ++seed)
                    distances(k, seed) = subsequenceDistance(sequences.codes[seeds[seed]].size(),
                                                             codes.size(), common[seed - batches[b].begin]);
            }
        progress.advance(static_cast<double>(blocks[block].size()));
    });
    return distances;
}

trees::Tree treeOfGroups(const Sequences& sequences, InstructionSet instructions, std::size_t mostOfAGroup,
                         Progress& progress) {
    const std::size_t n = sequences.size();
    const Matrix<float> rows = distancesFromSeeds(sequences, seedsOf(sequences), instructions, progress);
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
    std::vector<SubsequenceQueries::Memory> memory(static_cast<std::size_t>(threads));
    progress.begin("distances within groups", static_cast<double>(n));
    parallelFor(threads, groups.size(), [&](std::size_t g, std::size_t thread) {
        const std::vector<std::size_t>& members = groups[g];
        AllDistances distances(sequences, members, instructions);
        for (std::size_t portion = 0; portion < distances.portions(); ++portion)
            distances.compute(portion, memory[thread]);
        Progress silent;
        tops[g] = joinAll(trees::clusterByAverageLinkage(members.size(), distances.take(), silent), members,
                          firstNodes[g]);
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

trees::Tree subsequenceTree(const Sequences& sequences, InstructionSet instructions, Progress& progress,
                            std::size_t mostForAllPairs, std::size_t mostOfAGroup) {
    if (sequences.size() <= mostForAllPairs) return treeOfAllPairs(sequences, instructions, progress);
    return treeOfGroups(sequences, instructions, mostOfAGroup, progress);
}

}  // namespace glycine::align
