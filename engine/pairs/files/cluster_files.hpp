#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/pairs/clusters.hpp"
#include "engine/pairs/files/instance_groups.hpp"

namespace glycine::pairs {

/// Clusters and the data they come from.
struct ClusterResult {
    const Clusters& clusters;
    const std::vector<ClosePair>& pairs;
    const std::vector<std::string>& names;
    double within = 0;
    std::string title{};      ///< of the picture
    std::string footer{};     ///< of the picture
    InstanceGroups groups{};  ///< colours of the picture, in .graphml; may be empty
};

/// Throws UsageError unless the name ends in .tsv (or is standard output), .graphml, .png, .svg or .pdf.
void requireClusterFile(const std::filesystem::path& path);

/// Writes atomically, in the format of the ending. .tsv: a line per instance with its cluster, numbered from
/// 1, and the cluster's size, ordered by cluster. .graphml: all instances, and the pairs within clusters up
/// to `within` with their distances. Pictures: clusters of at least two instances, with the shortest pairs
/// that connect them.
void writeClusters(const std::filesystem::path& path, const ClusterResult& result);

}  // namespace glycine::pairs
