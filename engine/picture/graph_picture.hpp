#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"

/// Graphs as signs and lines between them.

namespace glycine::picture {

struct GraphNode {
    std::string name;
    bool isMarked = false;         ///< a diamond of another colour, in place of a disc
    std::optional<Color> color{};  ///< of the disc; absent: that of all
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
    std::string markedKind{};           ///< "regulator"; told where a node is marked
    std::string weightKind{};           ///< "score"
    bool isDirected = false;            ///< edges have a head at `to`
    bool areNearWide = false;           ///< weights are distances: small ones are wide
    std::vector<ColorKey> key{};        ///< what colours of nodes mean
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically: nodes as large as they have edges (the area of a
/// sign), edges as wide as they are heavy, places by layOutGraph, and a line that says so. The same graph
/// gives the same bytes. Throws as layOutGraph and Canvas.
void writeGraphPicture(const std::filesystem::path& path, const std::vector<GraphNode>& nodes,
                       const std::vector<GraphEdge>& edges, const GraphPictureOptions& options);

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
