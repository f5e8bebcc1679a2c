#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/io/restraints/map_restraints.hpp"
#include "engine/io/restraints/restraint_file.hpp"
#include "engine/structure/molecule.hpp"
#include "engine/structure/restraint.hpp"

/// Molecules and their restraints, from the files given to commands.
namespace glycine::io {

/// The molecule of the restraints. `sequence` is a FASTA file: chains are A, B … in file order, or named as
/// the sequences if all names are one letter; residues are numbered from 1. `topology` is a structure file,
/// of which only the residues matter; chains and numbers are the file's. If both are empty, a restraint file
/// must give the sequence (NEF). Disulfides are those stated in the structure (SSBOND, _struct_conn) and the
/// restraint files (NEF's covalent links, NMR-STAR's `_Bond`), cis peptide bonds those of the structure
/// (CISPEP, _struct_mon_prot_cis) and of NEF (cis_peptide). Throws UsageError if no sequence is given or both
/// are. Throws InputError, naming file, place and the nearest names, for unknown residues.
structure::Molecule readMolecule(const std::string& sequence, const std::string& topology,
                                 std::span<const RestraintFile> files);

/// Counts of stated and of skipped restraints.
struct RestraintCounts {
    std::size_t distances = 0;         ///< stated
    std::size_t dihedrals = 0;         ///< stated
    std::size_t alternatives = 0;      ///< distances with more than one atom pair
    std::vector<std::string> skipped;  ///< skipped: file, line, restraint, reason
};

/// Maps the restraints of all files to the molecule's atoms; notes of files and of the mapping become
/// warnings. With several files, a restraint's id begins with its file's name. Throws as mapRestraints does.
structure::RestraintSet mapToMolecule(std::span<const RestraintFile> files,
                                      const structure::Molecule& molecule, const MappingOptions& options,
                                      RestraintCounts& counts);

}  // namespace glycine::io
