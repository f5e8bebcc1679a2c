#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/structure/molecule.hpp"

namespace glycine::io {

/// Whether writeModels accepts the name: .pdb, .ent, .cif or .mmcif.
bool isModelFile(const std::filesystem::path& file);

/// Writes all models into one file: PDB (format 3.3), or mmCIF if the name ends in .cif or .mmcif. `remarks`:
/// one line each, ASCII. Throws InputError for what PDB cannot hold: more than 99,999 atoms, 9,999 models or
/// residues, or chain names of more than one character.
void writeModels(const std::filesystem::path& file, const structure::Molecule& molecule,
                 std::span<const std::vector<structure::Vector>> models,
                 std::span<const std::string> remarks);

}  // namespace glycine::io
