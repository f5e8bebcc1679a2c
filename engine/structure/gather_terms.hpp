#pragma once

#include <cstdint>
#include <vector>

/// The target function as each atom sees it, for backends on which an atom gathers its gradient: nothing is
/// scattered, so that sums have one order. Read by nvcc, too, which knows C++17.
namespace glycine::structure {

struct FoldProblem;

/// A distance restraint, or a distance that closes a ring.
struct GatherDistance {
    double upper6, lower6;  ///< d⁻⁶ at the limits: none is violated where upper6 ≤ Σ ≤ lower6
    double upper, lower, weight;
    std::uint32_t first, end;  ///< in GatherTerms::pairs
};

enum class DihedralKind : std::uint32_t {
    Window,
    Phi,  ///< of a residue's Ramachandran term, whose energy it has
    Psi,
    Threefold
};
struct GatherDihedral {
    DihedralKind kind;
    std::uint32_t isGlycine;
    std::uint32_t atoms[4];
    std::uint32_t partner[4];     ///< Phi, Psi: the other angle of the residue
    double centre, half, weight;  ///< Window, radians: it reaches `half` to both sides
};

struct GatherPair {
    std::uint32_t first, second;
};

/// Atoms stand in pairs under aliases: a, as restraints name it (a model may have exchanged names), or a +
/// atoms, itself.
struct GatherTerms {
    explicit GatherTerms(const FoldProblem& problem);

    std::uint32_t atoms = 0;
    std::vector<GatherDistance> distances;
    std::uint32_t restraints = 0;   ///< the first of `distances`; rings follow
    std::vector<GatherPair> pairs;  ///< aliases
    std::vector<std::uint32_t> firstOfAlias;
    std::vector<GatherPair> ofAlias;  ///< distance and the other alias
    std::vector<GatherDihedral> dihedrals;
    std::uint32_t windows = 0;      ///< the first of `dihedrals`, those of restraints
    std::uint32_t ringWindows = 0;  ///< the end of those of rings, which follow
    std::vector<std::uint32_t> firstOfAtom;
    std::vector<GatherPair> ofAtom;  ///< dihedral and the atom's place in it
};

}  // namespace glycine::structure
