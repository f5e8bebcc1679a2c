#pragma once

#include "engine/core/names.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::trees {

/// The definition of the distance of two clusters.
enum class Linkage {
    Single,    ///< the distance of their nearest instances
    Complete,  ///< the distance of their farthest instances
    Average,   ///< the mean over all pairs: UPGMA
};
constexpr auto namesOf(Linkage) {
    using enum Linkage;
    return namesAre<Linkage>("linkage", {{Single, "single"}, {Complete, "complete"}, {Average, "average"}});
}

/// Like clusterByAverageLinkage, but the distance of two clusters is that of their farthest instances.
/// Distances may be infinite.
Clustering clusterByCompleteLinkage(std::size_t instances, std::vector<double> distances, Progress& progress);

}  // namespace glycine::trees
