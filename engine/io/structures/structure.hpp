#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glycine::io {

struct StructureAtom {
    std::string name;                  ///< "CA"
    std::string residueName;           ///< "LYS"
    std::string residueNumber;         ///< author's number with insertion code: "52", "52A"
    std::string chain;                 ///< author's name of the chain; may be empty
    std::string element;               ///< "C"; "D" for deuterium
    std::array<double, 3> position{};  ///< Å
    bool isHydrogen() const { return element == "H" || element == "D"; }
    /// "A/LYS52/CA", or "LYS52/CA" if the chain has no name.
    std::string label() const;
};

struct StructureOptions {
    /// Model number in the file (MODEL records, pdbx_PDB_model_num); the first model if absent.
    std::optional<int> model;
    /// Include waters, ligands and ions: HETATM records that are no links of a chain. Modified residues (MSE,
    /// SEP …) are links.
    bool heteroAtoms = false;
    bool everyModel = false;  ///< fill Structure::ensemble, too
};

/// A bond between two cysteines of one asymmetric unit, by chain and residue number as in StructureAtom.
struct StructureDisulfide {
    std::array<std::string, 2> chain, residueNumber;
};

/// A residue, by chain and number as in StructureAtom.
struct StructureResidue {
    std::string chain, number;
};

/// The atoms of one model. Of alternative locations, the first of each residue is used.
struct Structure {
    std::string name;         ///< file name without its folder
    int model = 1;            ///< number of the model read
    std::vector<int> models;  ///< numbers of all models in the file
    std::vector<StructureAtom> atoms;
    std::vector<std::vector<StructureAtom>> ensemble;  ///< atoms of each of `models`, if requested
    std::vector<StructureDisulfide> disulfides;        ///< as stated: SSBOND, _struct_conn
    /// Residues after a cis peptide bond of this model, as stated: CISPEP, _struct_mon_prot_cis.
    std::vector<StructureResidue> cisPeptides;
};

/// Whether the text is mmCIF, which begins with `data_` after comments and blanks.
bool isMmcifText(std::string_view text);

/// Whether the name ends like those of structure files: .pdb, .ent, .cif, .mmcif, each also with .gz.
bool isStructureFile(const std::filesystem::path& path);

/// Reads a PDB or mmCIF file, distinguished by content and possibly gzipped, with the gemmi library. Throws
/// InputError for a file that cannot be read or parsed, a model that does not exist (naming those that do),
/// and a file without atoms. Throws it, naming line or atom, for coordinates that are missing, no numbers, or
/// beyond ±10⁵ Å. Throws it, naming the line, for residue, model or serial numbers with too many digits.
Structure readStructure(const std::filesystem::path& path, const StructureOptions& options = {});

/// The same for text in memory; `name` is used in messages.
Structure parseStructure(std::string_view text, const std::string& name,
                         const StructureOptions& options = {});

}  // namespace glycine::io
