#pragma once

#include <string>

#include "engine/io/structures/structure.hpp"

/// The interface to the gemmi library. Its implementation is compiled as C++17: with the constexpr containers
/// of C++20, Clang finds gemmi's classes (up to 0.5) incomplete where they are used.
namespace glycine::io {

/// Atoms of the records that coordinateRecords returned for a PDB file. Both functions throw InputError as
/// parseStructure does.
Structure structureFromPdb(const std::string& records, const std::string& name,
                           const StructureOptions& options);

/// Atoms from an mmCIF file.
Structure structureFromMmcif(std::string_view text, const std::string& name, const StructureOptions& options);

}  // namespace glycine::io
