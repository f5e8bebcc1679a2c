#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/module.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/picture/graph_picture.hpp"

namespace glycine::picture {

/// The module `pictures`: the functions that use Cairo and Graphviz.
struct PictureModule {
    const char* build;
    std::unique_ptr<Canvas> (*open)(std::filesystem::path path, double width, double height);
    double (*textLength)(std::string_view text, const TextStyle& style);
    std::vector<Point> (*layOutGraph)(std::span<const NodeSize> nodes, std::span<const NodeLink> links);
};

}  // namespace glycine::picture
