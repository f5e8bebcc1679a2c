#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/files/instance_groups.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/picture/heat_map.hpp"

/// The all-pairs values as a heat map.
namespace glycine::pairs {

struct PairPicture {
    std::string quantity{};       ///< what the colours stand for: "identity by state"
    std::string instance{};       ///< for axes and the file of the order: "gene"
    bool isSimilarity = false;    ///< large values mean near instances
    bool isClustered = false;     ///< in the order of a clustering, else in that of the store
    bool hasDiagonal = true;      ///< draws the diagonal; otherwise it is grey
    picture::ColorRange range{};  ///< of the colours
    picture::ColorMap colors = picture::ColorMap::Usual;
    InstanceGroups groups{};  ///< colour strips along both axes; may be empty
    std::string title{};
    std::string footer{};
};

/// The files that drawPairs writes: the picture and, if `clustered`, next to it NAME.nwk (the tree in Newick
/// format) and NAME.order.tsv (the instances from top to bottom).
std::vector<std::filesystem::path> pictureFiles(const std::filesystem::path& path, bool clustered);

/// Draws the values. If clustered, the instances are in leaf order of an average-linkage clustering (UPGMA)
/// of the distances (1 − value for a similarity). The tree is drawn above and written, with the order, as
/// files. Names are shown for up to 150 instances in PNG. SVG and PDF grow to show them for as many instances
/// as there are cells, 640.
void drawPairs(const std::filesystem::path& path, const PairStore& store,
               const std::vector<std::string>& names, const PairPicture& picture, Progress& progress);

}  // namespace glycine::pairs
