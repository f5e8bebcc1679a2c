#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Restraints on a structure as files state them: atoms by the file's names, and their distances.
/// map_restraints.hpp maps them to a molecule.
namespace glycine::io {

enum class RestraintFormat {
    Nef,       ///< NMR Exchange Format
    NmrStar,   ///< NMR-STAR 3
    Xplor,     ///< X-PLOR, CNS, Xplor-NIH, ARIA: `assign` statements
    CyanaUpl,  ///< CYANA, DYANA: upper limits of distances
    CyanaLol,  ///< lower limits
    CyanaAco,  ///< limits of torsion angles
    Table,     ///< columns i, j, lower, upper
};
/// "NEF", "NMR-STAR 3" …
std::string_view describe(RestraintFormat format);

/// One set of atoms: those that match every given field.
struct AtomSelection {
    std::optional<std::string> chain{};  ///< chain or segment
    std::optional<int> residue{};        ///< number
    std::string residueName{};           ///< "LYS", may hold wildcards; empty: any
    std::string atom{};                  ///< as the file names it: "HB2", "HB#", "QB", "HBx"; empty: any
    std::optional<std::size_t>
        number{};  ///< index of the atom in the molecule, from 1, instead of all other fields
};
/// Names a selection in messages: "A/LYS5/HB#".
std::string describe(const AtomSelection& selection);
/// Atoms that any of them selects.
using AtomSet = std::vector<AtomSelection>;

struct StatedDistance {
    std::string id;        ///< the file's id, or the statement's number
    std::size_t line = 0;  ///< from 1
    /// Several if the restraint is ambiguous (OR). Each may also hold several atoms per side.
    std::vector<std::pair<AtomSet, AtomSet>> alternatives;
    double lower = 0;  ///< Å
    double upper = std::numeric_limits<double>::infinity();
    double weight = 1;             ///< in the target function (NEF, NMR-STAR); 0: leave it out
    std::string unsupported = {};  ///< why it cannot be used, if so: "… combined by AND …"
};

struct StatedDihedral {
    std::string id;
    std::size_t line = 0;
    std::array<AtomSelection, 4> atoms;  ///< with `angle`, only the residue of the first counts
    std::string angle;                   ///< "PHI", if the file names no atoms
    double lower = 0;  ///< degrees; the window extends upwards from `lower` to `upper` ≥ lower
    double upper = 0;
    double weight = 1;         ///< as of StatedDistance
    bool isAmbiguous = false;  ///< another row with the same ID restrains other atoms instead
};

struct StatedResidue {
    std::string chain;
    int number = 0;
    std::string name;
    bool cisPeptide = false;  ///< the bond to the preceding residue is stated to be cis (NEF)
    std::size_t line = 0;     ///< of the sequence, from 1
};

/// Chemical shifts of a proline's ring, which reveal a cis peptide bond before it: CB is then more than 7.5
/// ppm above CG, otherwise about 4.5 ppm (M. Schubert et al., J. Biomol. NMR 24 (2002), 149-154).
struct ProlineShifts {
    std::string chain;
    int residue = 0;
    double cb = NAN;  ///< ppm
    double cg = NAN;
    bool isCis() const { return cb - cg > 7.5; }
};

struct RestraintFile {
    std::string name;  ///< of the file, for messages
    RestraintFormat format{};
    std::vector<StatedDistance> distances;
    std::vector<StatedDihedral> dihedrals;
    std::vector<StatedResidue> sequence;                   ///< if the file gives one (NEF)
    std::vector<std::array<StatedResidue, 2>> disulfides;  ///< covalent links (NEF), bonds (NMR-STAR)
    std::vector<ProlineShifts> prolines;                   ///< if the file gives shifts (NEF, NMR-STAR)
    /// Text that is no restraint, and restraints of unsupported kinds: "6 lines of other text, the first is
    /// line 1". Everything left out has a note.
    std::vector<std::string> notes;
};

/// Whether the name ends like those of restraint files: .nef, .str, .tbl, .mr, .upl, .lol, .aco, .bounds,
/// .tsv or .csv, each also with .gz.
bool isRestraintFile(const std::filesystem::path& path);

/// Reads a file, which may be gzipped. The name determines the format, except that the contents distinguish
/// STAR formats. Throws InputError, naming file and line, for what cannot be read, and for a file without
/// restraints. Throws UsageError for another kind of file.
RestraintFile readRestraintFile(const std::filesystem::path& path);
/// The same for text in memory; `name` decides the format.
RestraintFile parseRestraints(std::string_view text, const std::string& name);

}  // namespace glycine::io
