#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/io/restraints/molecule_restraints.hpp"
#include "engine/structure/molecule.hpp"
#include "engine/structure/restraint.hpp"

/// The molecule of a `glycine fold` run, and names of its residues.
namespace glycine::structure {

/// What the user says about the molecule.
struct MoleculeOptions {
    std::string sequence;
    std::string topology;
    std::vector<std::string> cis;         ///< residues after a cis peptide bond: "82", "A/82"
    std::vector<std::string> disulfides;  ///< "6-36", "A/6-B/36"
    io::MappingOptions mapping;
};

/// A molecule with its cis peptide bonds and disulfides, and its restraints.
struct RestrainedMolecule {
    Molecule molecule;
    RestraintSet restraints;
    io::RestraintCounts counts;
    std::vector<std::string> cis;         ///< each with its source: "A/PRO82: as requested"
    std::vector<std::string> disulfides;  ///< the same
};

/// Reads the molecule and maps the restraints. Peptide bonds are cis as the user or a file states (NEF's
/// cis_peptide, CISPEP, _struct_mon_prot_cis), and before prolines whose HA is restrained to the preceding HA
/// or whose shifts say so. Disulfides are stated likewise, or follow from a restraint that puts two SG within
/// 2.5 Å. Throws as io::readMolecule and io::mapToMolecule do, and UsageError for residues that the molecule
/// lacks.
RestrainedMolecule readRestrainedMolecule(std::span<const io::RestraintFile> files,
                                          const MoleculeOptions& options);

/// Residues of "5-40,46-70" or "A/5-40", in order. Throws UsageError, naming --ordered, for unknown ones.
std::vector<std::size_t> parseRanges(const Molecule& molecule, const std::string& text);
/// "5-40, 46-70", with chain names if there are several chains.
std::string describeRanges(const Molecule& molecule, const std::vector<std::size_t>& residues);

}  // namespace glycine::structure
