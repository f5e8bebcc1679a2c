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
    /// "A/LYS52/CA"; without the chain where that has no name.
    std::string label() const;
};

struct StructureOptions {
    /// Number of the model as the file counts (MODEL records, pdbx_PDB_model_num); the first one if absent.
    std::optional<int> model;
    /// Also waters, ligands and ions: HETATM records of what is no link of a chain. Modified residues (MSE,
    /// SEP …) are links.
    bool heteroAtoms = false;
    bool everyModel = false;  ///< also Structure::ensemble
};

/// A bond between two cysteines of one asymmetric unit, by chain and residue number as in StructureAtom.
struct StructureDisulfide {
    std::array<std::string, 2> chain, residueNumber;
};

/// The atoms of one model. Of alternative locations, each residue's first is taken.
struct Structure {
    std::string name;         ///< file name without its folder
    int model = 1;            ///< the one that was read
    std::vector<int> models;  ///< all that the file holds
    std::vector<StructureAtom> atoms;
    std::vector<std::vector<StructureAtom>> ensemble;  ///< of each of `models`, where asked for
    std::vector<StructureDisulfide> disulfides;        ///< as stated: SSBOND, _struct_conn
};

/// Whether the name ends as structure files do: .pdb, .ent, .cif, .mmcif, each also with .gz.
bool isStructureFile(const std::filesystem::path& path);

/// Reads a PDB or mmCIF file (told apart by content; gzip is undone) with the gemmi library.
/// Throws InputError for a file that cannot be read or parsed, a model that is not there (naming those that
/// are), no atoms, coordinates that are missing, no numbers, or beyond ±10⁵ Å, naming line or atom, and
/// residue, model or serial numbers with too many digits, naming the line.
Structure readStructure(const std::filesystem::path& path, const StructureOptions& options = {});

/// The same for text in memory; `name` is used in messages.
Structure parseStructure(std::string_view text, const std::string& name,
                         const StructureOptions& options = {});

}  // namespace glycine::io
