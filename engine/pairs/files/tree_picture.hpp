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
    std::string unit;       ///< unit of the lengths: "Euclidean distance"
    InstanceGroups groups;  ///< colours of names; may be empty
};

/// Draws a tree from its root on the left to the leaves on the right, with branches to scale (negative
/// lengths as 0), the leaves' names and a scale bar. `names`: of the leaves, or of all nodes: those of inner
/// nodes, such as bootstrap support, stand next to them where they cross nothing. Throws InputError as
/// trees::postorder does, UsageError and Error as picture::Canvas does. The largest page holds about 1,100
/// leaves with their names, more without.
void writeTreePicture(const std::filesystem::path& path, const trees::Tree& tree,
                      const std::vector<std::string>& names, const TreePicture& picture);

}  // namespace glycine::pairs
