#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/pairs/files/instance_groups.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::pairs {

struct TreePicture {
    std::string title;
    std::vector<std::string> footer;
    std::string unit;       ///< of lengths: "Euclidean distance"
    InstanceGroups groups;  ///< colours of names; empty: none
};

/// Draws a tree from its root on the left to the leaves on the right, branches as long as they are (those
/// below 0 as 0), with the leaves' names and a scale. Throws InputError as trees::postorder, UsageError and
/// Error as picture::Canvas: some 1,100 leaves fit the largest page with their names, more without.
void writeTreePicture(const std::filesystem::path& path, const trees::Tree& tree,
                      const std::vector<std::string>& names, const TreePicture& picture);

}  // namespace glycine::pairs
