#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/text_stream.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::io {

/// A tree with what it calls its nodes.
struct NamedTree {
    trees::Tree tree;                 ///< leaves numbered in the order of the text
    std::vector<std::string> labels;  ///< a node each; of inner nodes empty, or a name, or their support
    bool hasLengths = false;          ///< every node but the root has one
};

/// Reads one tree in Newick's form, plain or packed by gzip: quoted names ('it''s'), comments in brackets,
/// lines that break anywhere but in names and numbers. Branches without a length have the length 0.
/// Underscores stay as they are.
///
/// Throws InputError that names line and column and what was expected: text that is no tree, a leaf without a
/// name, the same leaf twice, a length that is no finite number, a tree without its ';', or anything but
/// blanks behind it.
///
/// Source: G. Olsen, "Newick's 8:45 Tree Format Standard" (1990),
/// https://phylipweb.github.io/phylip/newick_doc.html.
NamedTree readNewick(TextStream& stream);
inline NamedTree readNewick(const std::filesystem::path& path) {
    return readNewick(*openText(path));
}

/// The tree with its leaves numbered as the names are. Throws InputError, which begins with `source`, where a
/// leaf has none of the names, or a name no leaf.
trees::Tree treeOfNames(const NamedTree& named, std::span<const std::string> names, std::string_view source);

}  // namespace glycine::io
