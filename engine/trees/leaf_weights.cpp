#include "engine/trees/leaf_weights.hpp"

namespace glycine::trees {

std::vector<double> leafWeights(const Tree& rooted) {
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

}  // namespace glycine::trees
