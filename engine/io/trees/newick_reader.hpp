#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/text_stream.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::io {

/// A tree with its node labels.
struct NamedTree {
    trees::Tree tree;                 ///< leaves numbered in the order of the text
    std::vector<std::string> labels;  ///< one per node; of inner nodes empty, a name, or the support
    bool hasLengths = false;          ///< every node but the root has a length
};

/// Reads one tree in Newick format, plain or gzipped. Supports quoted names ('it''s'), comments in brackets,
/// and line breaks anywhere except in names and numbers. Missing branch lengths are 0. Underscores are kept.
///
/// Throws InputError, naming line, column and what was expected, for text that is no tree, a leaf without a
/// name, a repeated leaf, a length that is no finite number, a tree without its ';', and anything but blanks
/// after it.
///
/// Source: G. Olsen, "Newick's 8:45 Tree Format Standard" (1990),
/// https://phylipweb.github.io/phylip/newick_doc.html.
NamedTree readNewick(TextStream& stream);
inline NamedTree readNewick(const std::filesystem::path& path) {
    return readNewick(*openText(path));
}

/// The tree with its leaves numbered like `names`. Throws InputError, beginning with `source`, if a leaf is
/// not among the names, or a name has no leaf.
trees::Tree treeOfNames(const NamedTree& named, std::span<const std::string> names, std::string_view source);

}  // namespace glycine::io
