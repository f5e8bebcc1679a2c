#pragma once

#include <span>
#include <vector>

#include "engine/picture/graph_picture.hpp"

namespace glycine::picture::cairo {

/// Implements picture::layOutGraph.
std::vector<Point> layOutGraph(std::span<const NodeSize> nodes, std::span<const NodeLink> links);

}  // namespace glycine::picture::cairo
