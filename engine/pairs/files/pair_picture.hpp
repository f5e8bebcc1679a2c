#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/files/instance_groups.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/picture/heat_map.hpp"

/// The values of all pairs as a heat map.
namespace glycine::pairs {

struct PairPicture {
    std::string quantity{};       ///< what the colours stand for: "identity by state"
    std::string instance{};       ///< of the axes and the order's file: "gene"
    bool isSimilarity = false;    ///< near instances have large values
    bool isClustered = false;     ///< in the order of a clustering; otherwise in that of the store
    bool hasDiagonal = true;      ///< it is drawn, too; otherwise it is grey
    picture::ColorRange range{};  ///< of the colours
    picture::ColorMap colors = picture::ColorMap::Usual;
    InstanceGroups groups{};  ///< strips of colours along both axes; empty: none
    std::string title{};
    std::string footer{};
};

/// What drawPairs writes: the picture and, `clustered`, beside it NAME.nwk, the tree in Newick's form, and
/// NAME.order.tsv, the instances from top to bottom.
std::vector<std::filesystem::path> pictureFiles(const std::filesystem::path& path, bool clustered);

/// Draws the values. Clustered: instances in the order of the leaves of an average-linkage clustering (UPGMA)
/// of the distances (1 − value for a similarity), the tree drawn above and, with the order, as files. Names
/// stand beside up to 150 instances of a PNG file, and as many as there are cells, 640, in SVG and PDF, which
/// is enlarged for them.
void drawPairs(const std::filesystem::path& path, const PairStore& store,
               const std::vector<std::string>& names, const PairPicture& picture, Progress& progress);

}  // namespace glycine::pairs
