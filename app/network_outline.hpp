#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace glycine {

/// The size of a network in a file for other programs.
struct NetworkOutline {
    std::string format;  ///< "SIF"
    std::size_t nodes = 0;
    std::size_t edges = 0;
};

/// Counts nodes and edges of a .sif, .adj or .graphml file, also compressed. Throws InputError if the file
/// cannot be read. Requires one of these endings.
NetworkOutline outlineOfNetwork(const std::filesystem::path& path);

}  // namespace glycine
