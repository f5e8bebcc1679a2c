#include "engine/alignment/clustal/guide_tree.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "engine/trees/neighbour_joining.hpp"

namespace glycine::align::clustalw {

trees::Tree guideTree(std::size_t sequences, std::vector<double> distances, Progress& progress) {
    constexpr double kNegligible = 1e-4;
    trees::Tree tree = trees::joinNeighbours(sequences, std::move(distances), progress,
                                             {.negligibleLength = kNegligible, .roundsAsClustalW = true});
    for (trees::TreeNode& node : tree.nodes)
        node.length = std::strtod(fmt::format("{:.5f}", node.length).c_str(), nullptr);
    return tree;
}

}  // namespace glycine::align::clustalw
