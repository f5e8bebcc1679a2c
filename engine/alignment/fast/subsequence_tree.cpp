#include "engine/alignment/fast/subsequence_tree.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/alignment/cpu/subsequence_kernel.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::align {

namespace {

std::size_t wordsOf(const Sequences& sequences, std::span<const std::size_t> queried) {
    std::size_t longest = 1;
    for (const std::size_t query : queried) longest = std::max(longest, sequences.codes[query].size());
    return (longest + 63) / 64;
}

}  // namespace

std::size_t SubsequenceQueries::lanes(InstructionSet instructions) {
    static_assert(kMaxLanes == cpu::kMaxSubsequenceLanes);
    return kernelFor<cpu::SubsequenceKernel>(instructions).lanes;
}

SubsequenceQueries::SubsequenceQueries(const Sequences& sequences, std::span<const std::size_t> queried,
                                       InstructionSet instructions)
    : instructions_(instructions),
      words_(wordsOf(sequences, queried)),
      masks_(kMaxCodes, words_ * lanes(instructions), 0) {
    const std::size_t count = lanes(instructions);
    for (std::size_t lane = 0; lane < queried.size(); ++lane) {
        const std::vector<std::uint8_t>& codes = sequences.codes[queried[lane]];
        for (std::size_t i = 0; i < codes.size(); ++i)
            masks_(codes[i], i / 64 * count + lane) |= std::uint64_t{1} << (i % 64);
    }
}

void SubsequenceQueries::commonWith(std::span<const std::uint8_t> codes, Memory& memory,
                                    std::span<std::uint32_t, kMaxLanes> common) const {
    const cpu::SubsequenceKernel kernel = kernelFor<cpu::SubsequenceKernel>(instructions_);
    if (memory.size() < masks_.columns()) memory = Memory(1, masks_.columns());
    kernel.compute({.masks = masks_.data(),
                    .words = words_,
                    .codes = codes,
                    .rows = memory.data(),
                    .common = common.data()});
}

namespace {

/// How much nearer each member is to the second centre than to the first.
std::vector<float> leanings(const Matrix<float>& rows, const std::vector<std::size_t>& members,
                            const float* first, const float* second) {
    constexpr std::size_t kAtOnce = 512;
    std::vector<float> result(members.size());
    parallelFor(omp_get_max_threads(), (members.size() + kAtOnce - 1) / kAtOnce,
                [&](std::size_t block, std::size_t) {
                    const std::size_t end = std::min((block + 1) * kAtOnce, members.size());
                    for (std::size_t k = block * kAtOnce; k < end; ++k)
                        result[k] = squaredDistance(rows.row(members[k]), first, rows.columns()) -
                                    squaredDistance(rows.row(members[k]), second, rows.columns());
                });
    return result;
}

std::size_t farthestFrom(const Matrix<float>& rows, const std::vector<std::size_t>& members,
                         const float* place) {
    std::size_t best = members.front();
    float largest = -1;
    for (const std::size_t member : members) {
        const float distance = squaredDistance(rows.row(member), place, rows.columns());
        if (distance > largest) {
            largest = distance;
            best = member;
        }
    }
    return best;
}

using Members = std::vector<std::size_t>;

std::pair<Members, Members> splitInTwo(const Matrix<float>& rows, const Members& members) {
    constexpr int kRounds = 10;
    const std::vector<float> centre = centreOf(rows, members);
    const std::size_t one = farthestFrom(rows, members, centre.data());
    const std::size_t other = farthestFrom(rows, members, rows.row(one));
    std::vector<float> first(rows.row(one), rows.row(one) + rows.columns());
    std::vector<float> second(rows.row(other), rows.row(other) + rows.columns());
    std::pair<Members, Members> parts;
    std::vector<float> leaning;
    for (int round = 0; round < kRounds; ++round) {
        leaning = leanings(rows, members, first.data(), second.data());
        const std::size_t before = parts.first.size();
        parts.first.clear();
        parts.second.clear();
        for (std::size_t k = 0; k < members.size(); ++k)
            (leaning[k] <= 0 ? parts.first : parts.second).push_back(members[k]);
        if (parts.first.empty() || parts.second.empty() || parts.first.size() == before) break;
        first = centreOf(rows, parts.first);
        second = centreOf(rows, parts.second);
    }
    if (std::min(parts.first.size(), parts.second.size()) * 16 >= members.size()) return parts;
    // Splitting off a few rows at a time would take a number of steps quadratic in the rows.
    std::vector<std::size_t> places(members.size());
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = k;
    std::ranges::stable_sort(places, {}, [&leaning](std::size_t k) { return leaning[k]; });
    parts = {};
    for (std::size_t k = 0; k < places.size(); ++k)
        (k < places.size() / 2 ? parts.first : parts.second).push_back(members[places[k]]);
    std::ranges::sort(parts.first);
    std::ranges::sort(parts.second);
    return parts;
}

}  // namespace

float squaredDistance(const float* first, const float* second, std::size_t count) {
    // Several sums, which can be computed in parallel.
    constexpr std::size_t kSums = 16;
    float sums[kSums] = {};
    std::size_t k = 0;
    for (; k + kSums <= count; k += kSums)
        for (std::size_t lane = 0; lane < kSums; ++lane) {
            const float difference = first[k + lane] - second[k + lane];
            sums[lane] += difference * difference;
        }
    float all = 0;
    for (; k < count; ++k) all += (first[k] - second[k]) * (first[k] - second[k]);
    for (const float sum : sums) all += sum;
    return all;
}

std::vector<float> centreOf(const Matrix<float>& rows, const std::vector<std::size_t>& members) {
    std::vector<double> sums(rows.columns(), 0);
    for (const std::size_t member : members)
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<double>(rows(member, k));
    std::vector<float> centre;
    centre.reserve(sums.size());
    for (const double sum : sums)
        centre.push_back(static_cast<float>(sum / static_cast<double>(members.size())));
    return centre;
}

std::vector<std::vector<std::size_t>> groupsOfRows(const Matrix<float>& rows, std::size_t most,
                                                   Progress& progress) {
    std::vector<Members> groups, open(1);
    for (std::size_t row = 0; row < rows.rows(); ++row) open[0].push_back(row);
    progress.begin("groups", static_cast<double>(rows.rows()));
    while (!open.empty()) {
        Members members = std::move(open.back());
        open.pop_back();
        progress.advance(0);
        if (members.size() <= most) {
            progress.advance(static_cast<double>(members.size()));
            groups.push_back(std::move(members));
            continue;
        }
        auto [first, second] = splitInTwo(rows, members);
        open.push_back(std::move(second));
        open.push_back(std::move(first));
    }
    return groups;
}

namespace {

using Common = std::array<std::uint32_t, SubsequenceQueries::kMaxLanes>;

/// Distances of all pairs of `members`, below the diagonal. The work is split into portions: each compares
/// some sequences of similar length with all that are not longer.
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
    /// Computes one portion; portion 0 is the largest. Different threads may compute portions. Returns the
    /// number of pairs.
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
    std::vector<std::size_t> byLength_;  ///< indices into members_
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

/// Takes seeds at equal steps from the sequences sorted by length.
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

/// Distances to the seeds, one row per sequence.
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
    // Inner nodes are numbered in advance, so that the numbers do not depend on the threads.
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
    /// Turns the merges of a clustering into nodes; its instances are nodes already. Returns the topmost
    /// node.
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
    // The root mean square has the scale of a distance to a seed, like the distances within groups.
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
