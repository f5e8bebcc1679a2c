#include "engine/alignment/fast/profile_progression.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "engine/trees/parallel_nodes.hpp"

namespace glycine::align {

namespace {

/// Of each column of one of the groups, the column of the alignment that `places` gives for those of the
/// join.
std::vector<std::uint32_t> placesBelow(std::span<const JoinStep> steps,
                                       const std::vector<std::uint32_t>& places, JoinStep other) {
    std::vector<std::uint32_t> below;
    for (std::size_t column = 0; column < steps.size(); ++column)
        if (steps[column] != other) below.push_back(places[column]);
    return below;
}

}  // namespace

JoinedSequences joinAlong(const trees::Tree& tree, const Sequences& sequences,
                          std::span<const double> weights, const ProfileJoiner& joiner, Progress& progress) {
    JoinedSequences result;
    std::atomic<std::size_t> repeated{0};
    std::vector<std::vector<JoinStep>> steps(tree.nodes.size());
    const int threads = omp_get_max_threads();
    progress.begin("progressive alignment", static_cast<double>(tree.leaves - 1));
    {
        std::vector<ColumnProfile> profiles(tree.nodes.size());
        std::vector<ProfileJoiner::Memory> memory(static_cast<std::size_t>(threads));
        const auto takeProfile = [&](std::size_t node) {
            return tree.isLeaf(node) ? joiner.profileOf(sequences.codes[node], weights[node])
                                     : std::exchange(profiles[node], {});
        };
        trees::forInnerNodes(tree, threads, [&](std::size_t node, std::size_t thread) {
            const std::vector<std::size_t>& children = tree.nodes[node].children;
            const ColumnProfile first = takeProfile(children[0]);
            const ColumnProfile second = takeProfile(children[1]);
            ProfileJoin found = joiner.join(first, second, memory[thread]);
            if (found.isRepeated) ++repeated;
            steps[node] = std::move(found.steps);
            if (node != tree.root) profiles[node] = joined(first, second, steps[node]);
            progress.advance(1);
        });
    }
    result.repeated = repeated;
    result.width = steps[tree.root].size();
    result.columns.resize(tree.leaves);
    for (const std::size_t node : postorder(tree))
        if (tree.isLeaf(node)) result.order.push_back(node);
    struct Open {
        std::size_t node;
        std::vector<std::uint32_t> places;
    };
    std::vector<Open> open(1);
    open[0].node = tree.root;
    open[0].places.resize(result.width);
    std::iota(open[0].places.begin(), open[0].places.end(), 0U);
    while (!open.empty()) {
        Open here = std::move(open.back());
        open.pop_back();
        if (tree.isLeaf(here.node)) {
            result.columns[here.node] = std::move(here.places);
            continue;
        }
        const std::vector<std::size_t>& children = tree.nodes[here.node].children;
        const auto& path = steps[here.node];
        open.push_back({children[0], placesBelow(path, here.places, JoinStep::Second)});
        open.push_back({children[1], placesBelow(path, here.places, JoinStep::First)});
        steps[here.node] = {};
    }
    return result;
}

}  // namespace glycine::align
