#include "engine/trees/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"

namespace glycine::trees {

void checkTree(const Tree& tree) {
    for (const std::size_t node : postorder(tree))
        if (node != tree.root && !std::isfinite(tree.nodes[node].length))
            throw InputError(
                fmt::format("the tree: the branch above node {} has the length {}; expected a finite number",
                            node, tree.nodes[node].length));
}

void attach(Tree& tree, std::size_t parent, std::size_t child, double length) {
    tree.nodes[child].parent = parent;
    tree.nodes[child].length = length;
    tree.nodes[parent].children.push_back(child);
}

std::vector<std::size_t> postorder(const Tree& tree) {
    // Parents first, from right to left; the order is reversed at the end.
    const auto refuse = [](const std::string& what) { throw InputError("this is not a tree: " + what); };
    if (tree.leaves == 0) refuse("it has no leaves");
    if (tree.nodes.size() < tree.leaves)
        refuse(fmt::format("it has {} nodes; expected more, or as many as its {} leaves", tree.nodes.size(),
                           tree.leaves));
    if (tree.root >= tree.nodes.size())
        refuse(fmt::format("the root is node {} of {}", static_cast<std::ptrdiff_t>(tree.root),
                           tree.nodes.size()));
    if (tree.nodes[tree.root].parent != kNoNode) refuse("the root has a parent");
    std::vector<std::size_t> order;
    order.reserve(tree.nodes.size());
    std::vector<char> isReached(tree.nodes.size(), 0);
    std::size_t leaves = 0;
    std::vector<std::size_t> open{tree.root};
    isReached[tree.root] = 1;
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        order.push_back(node);
        const std::vector<std::size_t>& children = tree.nodes[node].children;
        if (tree.isLeaf(node) != children.empty())
            refuse(fmt::format("node {} has {} children; expected {}, as there are {} leaves", node,
                               children.size(), tree.isLeaf(node) ? "none" : "some", tree.leaves));
        leaves += tree.isLeaf(node) ? 1 : 0;
        for (const std::size_t child : children) {
            if (child >= tree.nodes.size())
                refuse(fmt::format("node {} has the child {}; expected a number below {}", node, child,
                                   tree.nodes.size()));
            if (tree.nodes[child].parent != node || isReached[child] != 0)
                refuse(fmt::format("node {} is a child of node {}, and hangs below another one, too", child,
                                   node));
            isReached[child] = 1;
            open.push_back(child);
        }
    }
    if (leaves != tree.leaves)
        refuse(fmt::format("{} of {} leaves hang below the root", leaves, tree.leaves));
    std::reverse(order.begin(), order.end());
    return order;
}

Tree resolved(const Tree& tree) {
    Tree result{.leaves = tree.leaves, .nodes = std::vector<TreeNode>(tree.leaves), .root = tree.root};
    std::vector<std::size_t> made(tree.nodes.size(), kNoNode);
    // For nodes with one child: the total length of the removed branches below.
    std::vector<double> below(tree.nodes.size(), 0);
    for (const std::size_t node : postorder(tree)) {
        const std::vector<std::size_t>& children = tree.nodes[node].children;
        const auto lengthTo = [&](std::size_t child) { return tree.nodes[child].length + below[child]; };
        if (tree.isLeaf(node)) {
            made[node] = node;
        } else if (children.size() == 1) {
            made[node] = made[children[0]];
            below[node] = lengthTo(children[0]);
        } else {
            std::size_t left = made[children[0]];
            double length = lengthTo(children[0]);
            for (std::size_t k = 1; k < children.size(); ++k) {
                result.nodes.emplace_back();
                const std::size_t joined = result.nodes.size() - 1;
                attach(result, joined, left, length);
                attach(result, joined, made[children[k]], lengthTo(children[k]));
                left = joined;
                length = 0;
            }
            made[node] = left;
        }
        result.root = made[node];
    }
    return result;
}

Tree treeOf(const Clustering& clustering) {
    const std::size_t leaves = clustering.merges.size() + 1;
    std::vector<char> isMerged(2 * leaves - 1, 0);
    for (std::size_t k = 0; k < clustering.merges.size(); ++k)
        for (const std::size_t part : {clustering.merges[k].left, clustering.merges[k].right})
            if (part >= leaves + k || isMerged[part]++ != 0)
                throw InputError(fmt::format(
                    "step {} of the clustering merges cluster {}; expected one that is there and not merged",
                    k, part));
    Tree tree{.leaves = leaves, .nodes = std::vector<TreeNode>(2 * leaves - 1), .root = 2 * leaves - 2};
    const auto depthOf = [&](std::size_t cluster) {
        return cluster < leaves ? 0 : clustering.merges[cluster - leaves].height / 2;
    };
    for (std::size_t k = 0; k < clustering.merges.size(); ++k) {
        const Merge& merge = clustering.merges[k];
        for (const std::size_t child : {merge.left, merge.right})
            attach(tree, leaves + k, child, merge.height / 2 - depthOf(child));
    }
    return tree;
}

std::vector<float> pathLengths(const Tree& tree) {
    const std::size_t n = tree.leaves;
    std::vector<float> lengths(n * (n - 1) / 2);
    // For each open subtree: its leaves, and their depths below its top.
    struct Below {
        std::size_t leaf = 0;
        float depth = 0;
    };
    std::vector<std::vector<Below>> subtrees(tree.nodes.size());
    for (const std::size_t node : postorder(tree)) {
        std::vector<Below>& all = subtrees[node];
        if (tree.isLeaf(node)) all.push_back({node, 0});
        for (const std::size_t child : tree.nodes[node].children) {
            std::vector<Below>& part = subtrees[child];
            for (Below& below : part) below.depth += static_cast<float>(tree.nodes[child].length);
            for (const Below& a : all)
                for (const Below& b : part) {
                    const std::size_t high = std::max(a.leaf, b.leaf);
                    lengths[high * (high - 1) / 2 + std::min(a.leaf, b.leaf)] = a.depth + b.depth;
                }
            all.insert(all.end(), part.begin(), part.end());
            part = {};
        }
    }
    return lengths;
}

// ---- weights of leaves

std::vector<double> leafWeights(const Tree& rooted) {
    checkTree(rooted);
    std::vector<std::size_t> leaves(rooted.nodes.size(), 0);
    const std::vector<std::size_t> order = postorder(rooted);
    for (const std::size_t node : order) {
        if (rooted.isLeaf(node)) leaves[node] = 1;
        if (rooted.nodes[node].parent != kNoNode) leaves[rooted.nodes[node].parent] += leaves[node];
    }
    std::vector<double> shares(rooted.nodes.size(), 0);
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        const TreeNode& here = rooted.nodes[*node];
        if (here.parent != kNoNode)
            shares[*node] = shares[here.parent] + here.length / static_cast<double>(leaves[*node]);
    }
    shares.resize(rooted.leaves);
    return shares;
}

std::vector<double> relativeLeafWeights(const Tree& rooted) {
    constexpr double kLeast = 0.01;
    std::vector<double> weights = leafWeights(rooted);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights)
        weight = sum > 0 ? std::max(weight / sum * static_cast<double>(weights.size()), kLeast) : 1;
    return weights;
}

// ---- inner nodes in parallel

namespace {

/// The inner nodes of a tree, each handed out when both its children are done.
class ReadyNodes {
  public:
    explicit ReadyNodes(const Tree& tree) : tree_(tree), waiting_(tree.nodes.size(), 2) {
        left_ = tree.nodes.size() - tree.leaves;
        for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) enter(leaf);
        std::ranges::reverse(ready_);
    }

    /// Waits for a node; kNoNode if all are done or a thread has stopped.
    std::size_t take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !ready_.empty() || left_ == 0 || isStopped_; });
        if (isStopped_ || ready_.empty()) return kNoNode;
        const std::size_t node = ready_.back();
        ready_.pop_back();
        return node;
    }
    void finish(std::size_t node) {
        const std::lock_guard lock(mutex_);
        --left_;
        enter(node);
        changed_.notify_all();
    }
    void stop() {
        const std::lock_guard lock(mutex_);
        isStopped_ = true;
        changed_.notify_all();
    }

  private:
    void enter(std::size_t done) {
        const std::size_t parent = tree_.nodes[done].parent;
        if (parent != kNoNode && --waiting_[parent] == 0) ready_.push_back(parent);
    }

    const Tree& tree_;
    std::vector<std::uint8_t> waiting_;  ///< of each node: children that are not done
    std::vector<std::size_t> ready_;
    std::size_t left_;
    bool isStopped_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

}  // namespace

void forInnerNodes(const Tree& tree, int threads, const std::function<void(std::size_t, std::size_t)>& body) {
    ReadyNodes nodes(tree);
    parallelFor(threads, static_cast<std::size_t>(threads), [&](std::size_t index, std::size_t) {
        try {
            for (std::size_t node = nodes.take(); node != kNoNode; node = nodes.take()) {
                body(node, index);
                nodes.finish(node);
            }
        } catch (...) {
            nodes.stop();
            throw;
        }
    });
}

std::vector<std::vector<std::size_t>> innerNodesByRounds(const Tree& tree) {
    std::vector<std::size_t> round(tree.nodes.size(), 0);
    std::vector<std::vector<std::size_t>> rounds;
    for (const std::size_t node : postorder(tree)) {
        if (tree.isLeaf(node)) continue;
        for (const std::size_t child : tree.nodes[node].children)
            round[node] = std::max(round[node], round[child] + 1);
        if (rounds.size() < round[node]) rounds.resize(round[node]);
        rounds[round[node] - 1].push_back(node);
    }
    return rounds;
}

// ---- splits and support

namespace {

Split combined(const Split& a, const Split& b) {
    return {a[0] ^ b[0], a[1] ^ b[1]};
}

/// Each leaf has its own random bits; a set has the XOR of its leaves' bits.
Split bitsOfLeaf(std::size_t leaf) {
    return {derivedSeed(0, leaf), derivedSeed(1, leaf)};
}

/// The sets of leaves below each node.
std::vector<Split> setsBelow(const Tree& tree, const std::vector<std::size_t>& order) {
    std::vector<Split> sets(tree.nodes.size(), Split{});
    for (const std::size_t node : order) {
        if (tree.isLeaf(node)) sets[node] = bitsOfLeaf(node);
        if (tree.nodes[node].parent != kNoNode)
            sets[tree.nodes[node].parent] = combined(sets[tree.nodes[node].parent], sets[node]);
    }
    return sets;
}

std::vector<std::size_t> leavesBelow(const Tree& tree, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> leaves(tree.nodes.size(), 0);
    for (const std::size_t node : order) {
        if (tree.isLeaf(node)) leaves[node] = 1;
        if (tree.nodes[node].parent != kNoNode) leaves[tree.nodes[node].parent] += leaves[node];
    }
    return leaves;
}

}  // namespace

std::vector<Split> splitsOf(const Tree& tree) {
    std::vector<Split> sets = setsBelow(tree, postorder(tree));
    const Split all = sets[tree.root];
    // A set and its complement are represented by the smaller of the two.
    for (Split& set : sets) set = std::min(set, combined(set, all));
    return sets;
}

void SplitCounts::add(const Tree& tree) {
    const std::vector<Split> splits = splitsOf(tree);
    std::set<Split> different;
    for (std::size_t node = tree.leaves; node < tree.nodes.size(); ++node)
        if (node != tree.root) different.insert(splits[node]);
    for (const Split& split : different) ++counts_[split];
    ++trees_;
}

std::size_t SplitCounts::count(const Split& split) const {
    const auto found = counts_.find(split);
    return found == counts_.end() ? 0 : found->second;
}

std::vector<double> supportOf(const Tree& tree, const SplitCounts& counts) {
    if (counts.trees() == 0) throw UsageError("no trees were counted for the support; expected at least one");
    const std::vector<std::size_t> leaves = leavesBelow(tree, postorder(tree));
    const std::vector<Split> splits = splitsOf(tree);
    std::vector<double> support(tree.nodes.size(), -1);
    for (std::size_t node = tree.leaves; node < tree.nodes.size(); ++node)
        if (node != tree.root && leaves[node] > 1 && leaves[node] + 1 < tree.leaves)
            support[node] =
                static_cast<double>(counts.count(splits[node])) / static_cast<double>(counts.trees());
    return support;
}

}  // namespace glycine::trees
