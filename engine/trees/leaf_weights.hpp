#pragma once

#include <vector>

#include "engine/trees/tree.hpp"

namespace glycine::trees {

/// Of each leaf of a rooted tree the sum of the branches between it and the root, each divided by the leaves
/// that share it: less for leaves that have near relatives.
///
/// Source: J. D. Thompson, D. G. Higgins, T. J. Gibson, "CLUSTAL W", Nucleic Acids Research 22 (1994),
/// 4673–4680.
std::vector<double> leafWeights(const Tree& rooted);

/// The same in units of their mean, at least 0.01: a leaf without branches of its own still counts. All 1
/// where there are no branches at all.
std::vector<double> relativeLeafWeights(const Tree& rooted);

}  // namespace glycine::trees
