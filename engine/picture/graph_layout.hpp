#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/picture/canvas.hpp"

namespace glycine::picture {

/// Room that a node of a graph takes, in pixels.
struct NodeSize {
    double width = 0;
    double height = 0;
};
/// Two nodes that are to lie near each other.
struct NodeLink {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// Centres of the nodes of an undirected graph, in pixels, y downwards: springs as long as the nodes are
/// large (stress majorisation; Gansner, Koren, North: Graph drawing by stress majorization, 2004), none above
/// another, groups that have no edge between them side by side. The same call gives the same places. By
/// Graphviz; throws Error with its words when it cannot.
std::vector<Point> layOutGraph(std::span<const NodeSize> nodes, std::span<const NodeLink> links);

}  // namespace glycine::picture
