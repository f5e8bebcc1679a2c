#include "engine/trees/leaf_weights.hpp"

#include <algorithm>
#include <numeric>

namespace glycine::trees {

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

}  // namespace glycine::trees
