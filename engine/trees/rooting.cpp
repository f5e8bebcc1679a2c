#include "engine/trees/rooting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"

namespace glycine::trees {

namespace {

struct Neighbour {
    std::size_t node = kNoNode;
    double length = 0;
};

/// The nodes reached from a node that was entered from one of its neighbours: its children, with the parent
/// in the place of that neighbour. A root, which has no parent, puts its last child there; a root with two
/// children is skipped.
std::vector<Neighbour> onwards(const Tree& tree, std::size_t node, std::size_t from) {
    const TreeNode& here = tree.nodes[node];
    std::vector<Neighbour> next;
    for (const std::size_t child : here.children) next.push_back({child, tree.nodes[child].length});
    if (from == here.parent) return next;
    const auto behind = std::ranges::find(next, from, &Neighbour::node);
    if (here.parent == kNoNode) {
        *behind = next.back();
        next.pop_back();
        return next;
    }
    const TreeNode& above = tree.nodes[here.parent];
    *behind = {here.parent, here.length};
    if (here.parent == tree.root && above.children.size() == 2) {
        const std::size_t sister = above.children[above.children[0] == node ? 1 : 0];
        *behind = {sister, here.length + tree.nodes[sister].length};
    }
    return next;
}

/// For each node: the number of leaves below it, the sum of their distances from it, and the largest
/// distance.
struct LeafDistances {
    explicit LeafDistances(const Tree& tree)
        : counts(tree.nodes.size(), 0), sums(tree.nodes.size(), 0), largest(tree.nodes.size(), 0) {
        for (const std::size_t node : postorder(tree)) {
            if (tree.isLeaf(node)) counts[node] = 1;
            for (const std::size_t child : tree.nodes[node].children) {
                counts[node] += counts[child];
                sums[node] += sums[child] + counts[child] * tree.nodes[child].length;
                largest[node] = std::max(largest[node], largest[child] + tree.nodes[child].length);
            }
        }
    }
    std::vector<double> counts;
    std::vector<double> sums;
    std::vector<double> largest;
};

}  // namespace

Tree rootAbove(const Tree& tree, std::size_t node, double below) {
    checkTree(tree);
    if (node >= tree.nodes.size() || node == tree.root)
        throw UsageError(fmt::format("a root above node {} of {}: expected a node that has a branch", node,
                                     tree.nodes.size()));
    checkNumber("the place of the root", below, std::isfinite(below), "a finite length");
    Tree rooted{.leaves = tree.leaves, .nodes = std::vector<TreeNode>(tree.leaves), .root = tree.leaves};
    rooted.nodes.emplace_back();
    struct Open {
        std::size_t node;    ///< of the old tree
        std::size_t from;    ///< the node that it was entered from
        std::size_t parent;  ///< of the new tree
        double length;
    };
    const TreeNode& top = tree.nodes[node];
    Neighbour above{top.parent, top.length};
    std::size_t fromAbove = node;
    if (top.parent == tree.root && tree.nodes[tree.root].children.size() == 2) {
        const std::vector<std::size_t>& sisters = tree.nodes[tree.root].children;
        above.node = sisters[sisters[0] == node ? 1 : 0];
        above.length += tree.nodes[above.node].length;
        fromAbove = tree.root;
    }
    std::vector<Open> open{{node, top.parent, rooted.root, below},
                           {above.node, fromAbove, rooted.root, above.length - below}};
    while (!open.empty()) {
        const Open now = open.back();
        open.pop_back();
        std::size_t made = now.node;
        if (!tree.isLeaf(now.node)) {
            made = rooted.nodes.size();
            rooted.nodes.emplace_back();
        }
        attach(rooted, now.parent, made, now.length);
        std::vector<Neighbour> next = onwards(tree, now.node, now.from);
        for (auto neighbour = next.rbegin(); neighbour != next.rend(); ++neighbour) {
            const bool isSister = neighbour->node != tree.nodes[now.node].parent &&
                                  tree.nodes[neighbour->node].parent == tree.root && now.node != tree.root;
            open.push_back({neighbour->node, isSister ? tree.root : now.node, made, neighbour->length});
        }
    }
    return rooted;
}

Tree rootAtMidpoint(const Tree& tree) {
    checkTree(tree);
    if (tree.leaves < 2) return tree;
    // The deepest leaf below each node, and the longest path that turns there.
    struct Deepest {
        double depth = -std::numeric_limits<double>::infinity();
        std::size_t leaf = kNoNode;
    };
    std::vector<Deepest> deepest(tree.nodes.size());
    struct Way {
        double length = -std::numeric_limits<double>::infinity();
        std::size_t high = kNoNode, low = kNoNode;
    } longest;
    for (const std::size_t node : postorder(tree)) {
        if (tree.isLeaf(node)) deepest[node] = {0, node};
        for (const std::size_t child : tree.nodes[node].children) {
            const Deepest reached{deepest[child].depth + tree.nodes[child].length, deepest[child].leaf};
            if (deepest[node].leaf != kNoNode) {
                const Way way{reached.depth + deepest[node].depth, std::max(reached.leaf, deepest[node].leaf),
                              std::min(reached.leaf, deepest[node].leaf)};
                if (std::tuple(-way.length, way.high, way.low) <
                    std::tuple(-longest.length, longest.high, longest.low))
                    longest = way;
            }
            if (std::pair(-reached.depth, reached.leaf) < std::pair(-deepest[node].depth, deepest[node].leaf))
                deepest[node] = reached;
        }
    }
    // Climb from both ends: the middle is on the longer half.
    const auto climb = [&](std::size_t leaf) {
        std::vector<std::size_t> way{leaf};
        while (tree.nodes[way.back()].parent != kNoNode) way.push_back(tree.nodes[way.back()].parent);
        return way;
    };
    std::vector<std::size_t> up = climb(longest.high);
    std::vector<std::size_t> down = climb(longest.low);
    while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
        up.pop_back();
        down.pop_back();
    }
    for (const std::vector<std::size_t>& way : {up, down}) {
        double walked = 0;
        for (std::size_t k = 0; k + 1 < way.size(); ++k) {
            const double length = tree.nodes[way[k]].length;
            if (walked + length >= longest.length / 2)
                return rootAbove(tree, way[k], std::max(longest.length / 2 - walked, 0.0));
            walked += length;
        }
    }
    return rootAbove(tree, up.front(), tree.nodes[up.front()].length);
}

namespace {

/// The point that ClustalW tries first if the root has three children: above the second child. Distances of
/// the second child's leaves are measured from that child, those of the others from the root. Returns the
/// largest distance to a leaf if both means are equal.
std::optional<double> depthAboveSecond(const Tree& tree, const LeafDistances& below) {
    const std::vector<std::size_t>& children = tree.nodes[tree.root].children;
    if (children.size() != 3) return std::nullopt;
    const std::size_t second = children[1];
    double sum = 0, count = 0, depth = below.largest[second];
    for (const std::size_t child : {children[0], children[2]}) {
        sum += below.sums[child] + below.counts[child] * tree.nodes[child].length;
        count += below.counts[child];
        depth = std::max(depth, below.largest[child] + tree.nodes[child].length);
    }
    if (sum / count != below.sums[second] / below.counts[second]) return std::nullopt;
    return depth;
}

}  // namespace

Tree rootAtMeanDistance(const Tree& tree) {
    checkTree(tree);
    const LeafDistances below(tree);
    const double leaves = below.counts[tree.root];
    // For all leaves that are not below a node: the sum of their distances from its parent, and the largest
    // distance that one has from the node where the paths from the root part.
    std::vector<double> sumsAbove(tree.nodes.size(), 0);
    std::vector<double> largestAside(tree.nodes.size(), 0);
    double shallowest = std::numeric_limits<double>::infinity();
    std::size_t chosen = kNoNode;
    double fromChosen = 0;
    if (const std::optional<double> depth = depthAboveSecond(tree, below)) {
        shallowest = *depth;
        chosen = tree.nodes[tree.root].children[1];
        fromChosen = tree.nodes[chosen].length / 2;
    }
    std::vector<std::size_t> open{tree.root};
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        const TreeNode& here = tree.nodes[node];
        // The sum for all leaves not below this node, measured from it.
        double above = 0;
        if (node != tree.root) {
            above = sumsAbove[node] + (leaves - below.counts[node]) * here.length;
            const double excess =
                above / (leaves - below.counts[node]) - below.sums[node] / below.counts[node];
            const double depth = std::max(below.largest[node], largestAside[node]);
            if ((excess == 0 || (excess > 0 && excess < 2 * here.length)) && depth < shallowest) {
                shallowest = depth;
                chosen = node;
                fromChosen = std::min(excess / 2, here.length);
            }
        }
        for (const std::size_t child : here.children) {
            sumsAbove[child] = above;
            largestAside[child] = largestAside[node];
            for (const std::size_t other : here.children) {
                if (other == child) continue;
                sumsAbove[child] += below.sums[other] + below.counts[other] * tree.nodes[other].length;
                largestAside[child] =
                    std::max(largestAside[child], below.largest[other] + tree.nodes[other].length);
            }
        }
        for (auto child = here.children.rbegin(); child != here.children.rend(); ++child)
            open.push_back(*child);
    }
    return chosen == kNoNode ? tree : rootAbove(tree, chosen, fromChosen);
}

}  // namespace glycine::trees
