#pragma once

#include "engine/algorithms/distance/pair_engine.hpp"

namespace glycine::distance {

/// Sums again in double where float32 terms may have left their range: sums that are not finite, or so small
/// that terms below 2⁻¹²⁶, which lose up to 2⁻¹⁵⁰ each, make up more of them than a rounding does. `sums`:
/// elements with column < row of the tile.
void repairSums(MatrixView<const float> coordinates, SumTerm term, const PairTile& tile,
                MatrixView<double> sums);

}  // namespace glycine::distance
