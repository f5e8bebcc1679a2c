#pragma once

#include "engine/core/names.hpp"

namespace glycine::trees {

/// How a tree is made from distances.
enum class TreeMethod {
    NeighbourJoining,  ///< neighbour_joining.hpp
    Upgma,             ///< average linkage (clustering.hpp), all leaves at one depth
};
constexpr auto namesOf(TreeMethod) {
    using enum TreeMethod;
    return namesAre<TreeMethod>("tree method", {{NeighbourJoining, "nj"}, {Upgma, "upgma"}});
}

}  // namespace glycine::trees
