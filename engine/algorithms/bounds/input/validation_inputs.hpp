#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/algorithms/bounds/input/bound_files.hpp"

namespace glycine::bounds {

/// The kinds of generated input on which backends are compared.
enum class InputKind {
    Dense,          ///< half of the pairs known, the others between a hydrogen's and the molecule's diameter
    Sparse,         ///< a tenth of the pairs known, the others without an upper bound; need not be connected
    Contradictory,  ///< as Dense, with lower bounds above the upper ones for one pair in twenty
};
std::string_view toString(InputKind kind);

/// Bounds of `atoms` ≥ 1 random atoms. The same for the same arguments on every machine.
AnyOwnedBounds makeValidationInput(InputKind kind, std::size_t atoms, std::uint64_t seed,
                                   NumberFormat format);

}  // namespace glycine::bounds
