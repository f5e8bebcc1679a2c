#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/trees/tree.hpp"

namespace glycine::trees {

/// Calls body(node, thread) for every inner node of a tree with two children a node, on up to `threads`
/// threads, 0 ≤ thread < `threads`: a node when both its children are done, so that subtrees that have
/// nothing to do with each other go side by side. The first exception stops the rest and is thrown again
/// here.
void forInnerNodes(const Tree& tree, int threads, const std::function<void(std::size_t, std::size_t)>& body);

/// The same in rounds, for what goes by many nodes at once: nodes whose children are leaves or in rounds
/// before, in postorder in each round.
std::vector<std::vector<std::size_t>> innerNodesByRounds(const Tree& tree);

}  // namespace glycine::trees
