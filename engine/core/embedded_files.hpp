#pragma once

#include <map>
#include <string_view>

namespace glycine {

/// Files that are compiled into a library (cmake/EmbedFiles.cmake): texts by their paths in a folder of the
/// source tree.
using EmbeddedFiles = std::map<std::string_view, std::string_view>;

/// Of resources/: "matrices/BLOSUM62.txt".
const EmbeddedFiles& embeddedResources();

}  // namespace glycine
