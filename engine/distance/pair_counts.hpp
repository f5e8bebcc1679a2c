#pragma once

#include <cstdint>

#include "engine/core/matrix.hpp"

/// What an engine counts for pairs of instances.
namespace glycine::distance {

/// The counts needed in addition to `differing`.
struct CountNeeds {
    bool opposite = false;
    bool valid = false;
    bool operator==(const CountNeeds&) const = default;
};

/// Results of a tile, rows × columns each; a view that is not needed is empty. An attribute counts only if
/// both instances have a value. Elements with column < row must be written; other elements of a diagonal tile
/// are undefined afterwards. Nothing outside the views is written.
struct PairCounts {
    MatrixView<std::uint32_t> differing;  ///< attributes with different symbols (genotypes: IBS0 + IBS1)
    MatrixView<std::uint32_t> opposite;   ///< attributes with opposite homozygotes (IBS0); genotypes only
    MatrixView<std::uint32_t> valid;      ///< attributes known in both instances
};

}  // namespace glycine::distance
