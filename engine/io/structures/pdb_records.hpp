#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/io/structures/structure.hpp"

namespace glycine::io {

/// Returns the checked records of a PDB file that define atoms (MODEL, ATOM, HETATM, TER, ENDMDL, up to END),
/// and those that define which residues are links of a chain (SEQRES, MODRES), all padded to 80 columns.
/// Lenient parsers read "nan", blanks or a shifted column as some number; here they are refused. Source:
/// Protein Data Bank Contents Guide 3.3, "Coordinate Section".
///
/// Throws InputError, naming the line, for an atom record that ends before column 54, the end of the z
/// coordinate; a coordinate that is no number or beyond ±10⁵ Å; a residue number that is neither decimal nor
/// hybrid-36 up to ZZZZ (1,223,055), or has more than five digits; a model number that is none or has more
/// than four digits; and bytes that are not printable ASCII.
std::string coordinateRecords(std::string_view text, const std::string& name);

/// A PDB file's statements about its polymers, except the coordinates.
struct PolymerRecords {
    std::set<std::pair<std::string, std::string>> sequence;  ///< SEQRES: chain, residue name
    std::set<std::string> modified;                          ///< MODRES: keyOf() of each residue

    static std::string keyOf(const std::string& chain, const std::string& number, const std::string& name) {
        return chain + ' ' + number + ' ' + name;
    }
};

/// Reads the result of coordinateRecords.
PolymerRecords readPolymerRecords(std::string_view records);

/// SSBOND records of a whole file, except those to a symmetric copy; truncated records are skipped.
std::vector<StructureDisulfide> readDisulfides(std::string_view text);
/// The second residues of CISPEP records of a whole file that are about all models (number 0, or none) or
/// about `model`; truncated records are skipped.
std::vector<StructureResidue> readCisPeptides(std::string_view text, int model);

}  // namespace glycine::io
