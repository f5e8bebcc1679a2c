#pragma once

#include "engine/core/names.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::trees {

/// What the distance of two clusters is.
enum class Linkage {
    Single,    ///< that of their nearest instances
    Complete,  ///< that of their farthest instances
    Average,   ///< the mean over their pairs: UPGMA
};
constexpr auto namesOf(Linkage) {
    using enum Linkage;
    return namesAre<Linkage>("linkage", {{Single, "single"}, {Complete, "complete"}, {Average, "average"}});
}

/// clusterByAverageLinkage by the farthest instances of two clusters instead of the mean. Infinite distances
/// are fine.
Clustering clusterByCompleteLinkage(std::size_t instances, std::vector<double> distances, Progress& progress);

}  // namespace glycine::trees
