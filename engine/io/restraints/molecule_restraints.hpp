#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/io/restraints/map_restraints.hpp"
#include "engine/io/restraints/restraint_file.hpp"
#include "engine/structure/molecule.hpp"
#include "engine/structure/restraint.hpp"

/// Molecules and their restraints, as commands take them from files.
namespace glycine::io {

/// The molecule that restraints are about: of a FASTA file (chains A, B … in its order, or named as its
/// sequences where all names are one letter; residues from 1 on), of a structure's residues (whatever atoms
/// it has; chains and numbers are the file's), or where both are empty, of a restraint file that gives the
/// sequence (NEF). Disulfides are those that the structure (SSBOND, _struct_conn) and the restraint files
/// (NEF's covalent links) state. Throws UsageError where nothing gives a sequence or both are there,
/// InputError for residues that are not known.
structure::Molecule readMolecule(const std::string& sequence, const std::string& topology,
                                 std::span<const RestraintFile> files);

/// What became of what files state.
struct RestraintCounts {
    std::size_t distances = 0;         ///< stated
    std::size_t dihedrals = 0;         ///< stated
    std::size_t alternatives = 0;      ///< distances with more than one pair of atoms
    std::vector<std::string> skipped;  ///< what was left out: file, line, restraint, reason
};

/// Restraints of all files on the atoms of the molecule; notes of files and of the mapping become warnings.
/// Where there are several files, a restraint's id begins with its file's name. Throws as mapRestraints does.
structure::RestraintSet mapToMolecule(std::span<const RestraintFile> files,
                                      const structure::Molecule& molecule, const MappingOptions& options,
                                      RestraintCounts& counts);

}  // namespace glycine::io
