#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"

/// The chapter's kind of input at any size: GPU Gems 2, section 43.1, "often fewer than 10 percent" of the
/// distances are known, "unknown upper and lower bounds are set to the molecule's diameter and the diameter
/// of a hydrogen atom".
namespace glycine::bounds {

struct RandomBoundsOptions {
    std::size_t atoms = 0;  ///< n ≥ 1
    double known = 0.1;     ///< share of all pairs that is known, 0 … 1
    std::uint64_t seed = 1;
    double tolerance = 0.05;  ///< Å; a known pair has the bounds d ± tolerance
    bool withLower = true;    ///< false: the upper bounds alone
};

/// n positions like those of a protein: a random branched chain with steps of 1.5 Å (a carbon-carbon bond),
/// no two atoms closer than 1.4 Å, in a ball of 10 Å³ an atom (0.1 atoms an Å³; proteins have 0.12 with
/// hydrogens: 16 atoms in the 134 Å³ of an average residue). The same bits for the same n and seed on every
/// machine: integer arithmetic, the four operations and square roots. O(n). Throws UsageError for n = 0,
/// CancelledError.
std::vector<Position> randomPositions(std::size_t atoms, std::uint64_t seed,
                                      Progress& progress = silentProgress());

/// Bytes that randomBounds allocates: the matrices, and the data for placing atoms.
double bytesForRandomBounds(const RandomBoundsOptions& options, NumberFormat format);

/// Bounds of such a molecule: a random share of *all* pairs is known, whatever its distance. Known is counted
/// as a reader of the file counts (countKnownPairs). Throws MemoryError before it begins, CancelledError.
BoundSet randomBounds(const RandomBoundsOptions& options, NumberFormat format,
                      Progress& progress = silentProgress());

/// The kinds of generated input on which backends are compared.
enum class InputKind {
    Dense,          ///< half of the pairs known, the others between a hydrogen's and the molecule's diameter
    Sparse,         ///< a tenth of the pairs known, the others without an upper bound; need not be connected
    Contradictory,  ///< as Dense, with lower bounds above the upper ones for one pair in twenty
};
inline constexpr NameTable<InputKind, 3> kInputKinds{{{InputKind::Dense, "dense"},
                                                      {InputKind::Sparse, "sparse"},
                                                      {InputKind::Contradictory, "contradictory"}}};

/// Bounds of `atoms` ≥ 1 random atoms. The same for the same arguments on every machine.
AnyOwnedBounds makeValidationInput(InputKind kind, std::size_t atoms, std::uint64_t seed,
                                   NumberFormat format);

}  // namespace glycine::bounds
