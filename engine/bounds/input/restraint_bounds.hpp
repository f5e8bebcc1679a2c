#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/input/bound_files.hpp"
#include "engine/core/progress.hpp"
#include "engine/io/restraints/molecule_restraints.hpp"

/// Distance bounds of a molecule from restraints, and of sparse tables.
namespace glycine::bounds {

struct RestraintBoundsOptions : BoundFileOptions {
    std::string sequence{};  ///< FASTA
    std::string topology{};  ///< a structure, for its residues
    io::MappingOptions mapping{};
    /// Of the sum of contact radii: the lower bound of atoms more than three bonds apart. Deposited
    /// models come closer than the full sum.
    double radiiScale = 0.8;
};

/// Where a bound of the input comes from, for people: "restraint 12, line 30", "covalent".
struct BoundSources {
    /// By pair (i < j): the restraint of `texts`.
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> upper, lower;
    std::vector<std::string> texts;
    std::string describe(std::size_t i, std::size_t j, bool isUpper) const;
    /// Whether a restraint has set the bound, not geometry.
    bool isStated(std::size_t i, std::size_t j, bool isUpper) const;
};

/// Restraint section of the report of `glycine bounds`.
struct RestraintReport {
    std::vector<std::string> files;  ///< "1pqx.nef, NEF: 1,544 distances, 178 torsion angles"
    io::RestraintCounts counts;
    std::size_t bounded = 0;    ///< distance restraints that became upper bounds
    std::size_t groups = 0;     ///< of these, of groups of atoms: u · N^(1/6) and both groups' diameters
    std::size_t scattered = 0;  ///< ambiguous between residues: lower bounds alone
    std::size_t covalentPairs = 0, planarPairs = 0;
    std::size_t torsions = 0;  ///< torsion restraints that became bounds of their outer atoms
    BoundSources sources;
};

struct RestraintBounds {
    BoundSet set;
    std::optional<RestraintReport> report;  ///< of a molecule; nothing of a table's atoms alone
};

/// Bounds from restraint files. Atoms are those of the molecule (io::readMolecule), with:
///
/// - pairs one, two and three bonds apart: structure::Molecule::covalentBounds; other pairs of one plane
/// (rings,
///   peptides): the standard distance ± 0.05 Å
/// - all other pairs: no upper bound; as lower bound the sum of contact radii · `radiiScale`; 1.7 Å of
/// a
///   polar hydrogen and an acceptor, 2.4 Å of donor and acceptor; 1.9 Å of two SG
/// - a distance restraint of one pair: its limits. Of N pairs between two groups, each in one residue, the
/// sum
///   of r⁻⁶ is at least u⁻⁶, so that one pair is within u · N^(1/6); hence each is within that plus both
///   groups' diameters. No pair is closer than the lower limit. Of a name of NEF's x or y either atom may be
///   meant
/// - a torsion restraint of bonded atoms: the distances of its outer atoms over the window, ± 0.1 Å
///
/// Tables of atom numbers without a molecule, `files` all being tables and neither a sequence nor a topology
/// given: the atoms that they name, in the order of their numbers, or of names in that of the file; pairs
/// that are not there are unknown.
///
/// Throws what reading and mapping throw; MemoryError; InputError, for the fixed format, for bounds ≥ 512 Å.
RestraintBounds boundsFromRestraints(std::span<const std::filesystem::path> files,
                                     const RestraintBoundsOptions& options,
                                     Progress& progress = silentProgress());

/// The same of restraints that are mapped to the atoms of `molecule`; the report's files and counts are left
/// to the caller. The options' sequence, topology and mapping do not matter.
RestraintBounds boundsOfMolecule(const structure::Molecule& molecule,
                                 const structure::RestraintSet& restraints,
                                 const RestraintBoundsOptions& options);

/// The pairs with the most room between their bounds, the loosest first, one for each pair of residues
/// ("A/LYS5" of "A/LYS5/CA"), or of atoms where there are no names. Pairs without an upper bound are loosest.
std::vector<Violation> loosestPairs(const AnyBoundMatrices& matrices, std::span<const std::string> atomNames,
                                    std::size_t count);

}  // namespace glycine::bounds
