#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/pairs/clusters.hpp"
#include "engine/pairs/files/instance_groups.hpp"

namespace glycine::pairs {

/// Clusters with what they are made of.
struct ClusterResult {
    const Clusters& clusters;
    const std::vector<ClosePair>& pairs;
    const std::vector<std::string>& names;
    double within = 0;
    std::string title{};      ///< of the picture
    std::string footer{};     ///< of the picture
    InstanceGroups groups{};  ///< colours of the picture; empty: none
};

/// Throws UsageError for a name that is none of .tsv (standard output, too), .graphml, .png, .svg and .pdf.
void requireClusterFile(const std::filesystem::path& path);

/// Writes by the ending, atomically: a line for each instance with its cluster, numbered from 1, and the
/// cluster's size, by cluster (.tsv); all instances, and the pairs within clusters up to `within` with their
/// distances (.graphml); clusters of two and more with the shortest pairs that hold them together (picture).
void writeClusters(const std::filesystem::path& path, const ClusterResult& result);

}  // namespace glycine::pairs
