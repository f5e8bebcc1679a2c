#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align::clustalw {

/// 1 − identities / letters of the shorter sequence, by way of percents and in single precision throughout,
/// as the program's trees show that it has it: distances that it finds equal are to be rounded alike, and the
/// fifth decimal of a branch's length may go either way by it.
inline double distanceOf(double identities, double letters) {
    const auto percent = static_cast<float>(100 * identities / letters);
    return (100.0F - percent) / 100.0F;
}

/// The guide tree of ClustalW 2.1 for at least two sequences, by neighbour joining
/// (engine/trees/neighbour_joining.hpp) from the distances of all pairs below the diagonal, 1 − identities /
/// letters of the shorter sequence. Branches shorter than 0.0001 get the length 0; lengths are those of the
/// .dnd file, with five decimals, which everything that follows goes by.
trees::Tree guideTree(std::size_t sequences, std::vector<double> distances, Progress& progress);

}  // namespace glycine::align::clustalw
