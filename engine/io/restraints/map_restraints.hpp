#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/io/restraints/restraint_file.hpp"

/// Maps the restraints of a file to the atoms of a molecule.
namespace glycine::io {

/// An atom as restraints address it.
struct NamedAtom {
    std::string chain;
    int residue = 0;
    std::string residueName;
    std::string name;  ///< PDB name: "HB2"
};

/// Atoms of one residue that a name stands for.
struct NamedAtoms {
    std::vector<std::size_t> atoms;  ///< indices into the names, ascending
    /// NEF's HBx and HBy, HDx% and HDy% name two groups with distinct but unassigned shifts; `atoms` is one
    /// of the groups. This is the other group, in the same order, or empty.
    std::vector<std::size_t> swapped;
};

/// Finds which of a residue's atom names `written` stands for; nothing if none. Tries the exact name first,
/// then wildcards (NEF: % digits, * anything; X-PLOR and CNS: # digits, % one character, + one digit, *
/// anything), NEF's x and y, pseudo-atoms (CYANA, NMR-STAR: QB, QQG, MD1, QR; a group's bare name, HG2 of
/// VAL), and older names (HN, HT1, OT1, 1HB, HB1 with HB2, HG11 of ILE).
std::optional<NamedAtoms> findAtoms(std::span<const std::string> names, std::string_view written,
                                    RestraintFormat format);

struct MappedDistance {
    std::size_t stated = 0;  ///< index in RestraintFile::distances
    /// Every pair of atoms in the restraint's r⁻⁶ sum, over all alternatives: each pair once, i ≠ j, i on the
    /// first side.
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
};
struct MappedDihedral {
    std::size_t stated = 0;
    std::array<std::size_t, 4> atoms{};
};
struct MappedRestraints {
    std::vector<MappedDistance> distances;
    std::vector<MappedDihedral> dihedrals;
    /// Groups of atoms that may be exchanged (NamedAtoms::swapped); the first group is the one in the pairs.
    std::vector<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> swappable;
    /// One message per restraint that was left out: those of weight 0, NEF's between identical atoms and,
    /// with `skipUnknown`, those that name something the molecule lacks or are of an unsupported kind. Also
    /// one per alternative between identical atoms.
    std::vector<std::string> skipped;
    std::vector<std::string> notes;
};

struct MappingOptions {
    /// Skip restraints that name unknown atoms or residues, or are of an unsupported kind.
    bool skipUnknown = false;
    /// For files without chain names: the file's number of a chain's first residue, {"B", 101}.
    std::vector<std::pair<std::string, int>> firstResidues{};
};
/// {"B", 101} of "B=101". Throws UsageError, naming the option --first-residue, for other text.
std::pair<std::string, int> parseFirstResidue(const std::string& text);

/// Throws InputError, naming file, line and the nearest names, for an atom, residue or chain that does not
/// exist (unless skipped), and for a restraint between identical atoms (except NEF's). Throws UsageError if
/// the molecule has no chain of `firstResidues`. CYANA's angles: PHI,
/// PSI, OMEGA (of the bond before the residue) and CHI1 to CHI4.
MappedRestraints mapRestraints(const RestraintFile& file, std::span<const NamedAtom> atoms,
                               const MappingOptions& options = {});

}  // namespace glycine::io
