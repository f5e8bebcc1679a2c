#pragma once

#include <cstdint>
#include <vector>

/// The target function per atom, for backends on which an atom gathers its gradient. Nothing is scattered, so
/// that sums have one order. nvcc compiles this header as C++17.
namespace glycine::structure {

struct FoldProblem;

/// A distance restraint, or a distance that closes a ring.
struct GatherDistance {
    double upper6, lower6;  ///< d⁻⁶ at the limits, kept if upper6 ≤ Σ ≤ lower6
    double upper, lower, weight;
    std::uint32_t first, end;  ///< in GatherTerms::pairs
};

enum class DihedralKind : std::uint32_t {
    Window,
    Phi,  ///< carries the energy of its residue's Ramachandran term
    Psi,
    Threefold
};
struct GatherDihedral {
    DihedralKind kind;
    std::uint32_t isGlycine;
    std::uint32_t atoms[4];
    std::uint32_t partner[4];  ///< Phi, Psi: the other angle of the residue
    double centre, half;       ///< Window, radians: `half` to either side of `centre`
    double weight;
};

struct GatherPair {
    std::uint32_t first, second;
};

/// Pairs refer to atoms by aliases: a is the atom that restraints name so (a model may have exchanged names),
/// a + atoms is atom a itself.
struct GatherTerms {
    explicit GatherTerms(const FoldProblem& problem);

    std::uint32_t atoms = 0;
    std::vector<GatherDistance> distances;
    std::uint32_t restraints = 0;   ///< distances of restraints, the first ones; rings follow
    std::vector<GatherPair> pairs;  ///< aliases
    std::vector<std::uint32_t> firstOfAlias;
    std::vector<GatherPair> ofAlias;  ///< distance and the other alias
    std::vector<GatherDihedral> dihedrals;
    std::uint32_t windows = 0;      ///< dihedrals of restraints, the first ones
    std::uint32_t ringWindows = 0;  ///< end of the ring windows, which follow
    std::vector<std::uint32_t> firstOfAtom;
    std::vector<GatherPair> ofAtom;  ///< dihedral and the atom's place in it
};

}  // namespace glycine::structure
