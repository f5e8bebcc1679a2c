#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/io/restraints/restraint_file.hpp"

/// Restraints of a file on the atoms of a molecule.
namespace glycine::io {

/// An atom as restraints find it.
struct NamedAtom {
    std::string chain;
    int residue = 0;
    std::string residueName;
    std::string name;  ///< as the PDB names it: "HB2"
};

/// Atoms of one residue that a name stands for.
struct NamedAtoms {
    std::vector<std::size_t> atoms;  ///< among the names, in their order
    /// NEF's HBx and HBy, HDx% and HDy%: of two groups that shifts tell apart but nothing assigns, this is
    /// one. The other one, in the same order; else empty.
    std::vector<std::size_t> swapped;
};

/// Which of a residue's atom names `written` stands for; nothing if none. The exact name first. Then
/// wildcards (NEF: % digits, * anything; X-PLOR and CNS: # digits, % one character, + one digit, * anything),
/// NEF's x and y, pseudo-atoms (CYANA, NMR-STAR: QB, QQG, MD1, QR; a group's bare name, HG2 of VAL), and
/// older names (HN, HT1, OT1, 1HB, HB1 beside HB2, HG11 of ILE).
std::optional<NamedAtoms> findAtoms(std::span<const std::string> names, std::string_view written,
                                    RestraintFormat format);

struct MappedDistance {
    std::size_t stated = 0;  ///< index in RestraintFile::distances
    /// Every pair of atoms over which the restraint takes a sum of r⁻⁶: of all alternatives, each pair once,
    /// i ≠ j, i on the first side.
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
};
struct MappedDihedral {
    std::size_t stated = 0;
    std::array<std::size_t, 4> atoms{};
};
struct MappedRestraints {
    std::vector<MappedDistance> distances;
    std::vector<MappedDihedral> dihedrals;
    /// Groups of atoms that may stand for each other (NamedAtoms::swapped), the first as the pairs have it.
    std::vector<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> swappable;
    /// Restraints of the file that name what the molecule lacks, with `skipUnknown`: what was said of each.
    std::vector<std::string> skipped;
    std::vector<std::string> notes;
};

struct MappingOptions {
    /// Leave restraints out that name unknown atoms or residues.
    bool skipUnknown = false;
    /// In files that name no chains: the file's number of the first residue of a chain, {"B", 101}.
    std::vector<std::pair<std::string, int>> firstResidues{};
};

/// Throws InputError, naming file, line and the nearest names, for an atom, residue or chain that is not
/// there (unless skipped), and a restraint whose ends are the same atom. CYANA's angles: PHI, PSI, OMEGA (of
/// the bond before the residue) and CHI1 to CHI4.
MappedRestraints mapRestraints(const RestraintFile& file, std::span<const NamedAtom> atoms,
                               const MappingOptions& options = {});

}  // namespace glycine::io
