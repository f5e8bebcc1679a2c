#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/comparison.hpp"
#include "engine/study/subject.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::trees {

/// Compares a tree with the definition of its method: joins the clusters that the tree joins, computes the
/// branches from them, and in the rounds of `searched` (ascending, from 0) compares all pairs. Fails if the
/// joined pair is not the one that the method takes; among equally near clusters, average linkage takes any.
/// `distances`: below the diagonal. Takes N² steps, and N² / 2 more for each searched round.
Comparison compareWithDefinition(const Tree& tree, TreeMethod method, std::span<const double> distances,
                                 std::span<const std::size_t> searched);

/// `tree` for `validate` and `bench`: neighbour joining and average linkage of generated distances.
std::unique_ptr<study::Subject> treeSubject();

}  // namespace glycine::trees
