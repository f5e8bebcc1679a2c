#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"

/// Pictures of graphs: signs joined by lines.

namespace glycine::picture {

struct GraphNode {
    std::string name;
    bool isMarked = false;            ///< a diamond instead of a disc, of another colour unless it has a sign
    std::optional<GroupSign> sign{};  ///< colour and marker instead of the common disc
};
struct GraphEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    double weight = 0;  ///< finite
};

struct GraphPictureOptions {
    std::string title{};
    std::vector<std::string> footer{};  ///< lines below the graph
    std::string nodeKind{};             ///< "gene"
    std::string markedKind{};           ///< "regulator"; shown if any node is marked
    std::string weightKind{};           ///< "score"
    bool isDirected = false;            ///< edges have an arrowhead at `to`
    bool areNearWide = false;           ///< weights are distances: small ones are drawn wide
    std::vector<ColorKey> key{};        ///< meanings of node signs
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. The area of a node's sign grows with its number of
/// edges, and the width of an edge with its weight, as a line in the picture explains. layOutGraph places the
/// nodes. The same graph gives the same bytes. Throws as layOutGraph and Canvas do.
void writeGraphPicture(const std::filesystem::path& path, const std::vector<GraphNode>& nodes,
                       const std::vector<GraphEdge>& edges, const GraphPictureOptions& options);

/// Size of a node in pixels.
struct NodeSize {
    double width = 0;
    double height = 0;
};
/// Two nodes to be placed near each other.
struct NodeLink {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// Returns the centres of the nodes of an undirected graph, in pixels, y downwards. Springs have lengths
/// according to the node sizes (stress majorisation; Gansner, Koren, North: Graph drawing by stress
/// majorization, 2004). Nodes do not overlap, and unconnected groups lie side by side. The same call gives
/// the same positions. Uses Graphviz; throws Error with its message if it fails.
std::vector<Point> layOutGraph(std::span<const NodeSize> nodes, std::span<const NodeLink> links);

}  // namespace glycine::picture
