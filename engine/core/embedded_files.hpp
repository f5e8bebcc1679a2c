#pragma once

#include <map>
#include <string_view>

namespace glycine {

/// Files compiled into a library (cmake/EmbedFiles.cmake): their texts by path relative to a folder of the
/// source tree.
using EmbeddedFiles = std::map<std::string_view, std::string_view>;

/// Files below resources/: "matrices/BLOSUM62.txt".
const EmbeddedFiles& embeddedResources();

}  // namespace glycine
