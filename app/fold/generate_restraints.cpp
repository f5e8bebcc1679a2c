#include "app/fold/generate_restraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/structure/molecule.hpp"
#include "engine/structure/torsion_tree.hpp"

namespace glycine::structure {

namespace {

/// Of an alpha helix, in degrees. Source: D. J. Barlow, J. M. Thornton, J. Mol. Biol. 201 (1988), 601–619.
constexpr double kPhi = -62, kPsi = -41;
/// Half the width of a dihedral restraint, in degrees.
constexpr double kWindow = 20;

struct GenerateOptions {
    std::size_t residues = 0;
    std::string output;
    std::uint64_t seed = 1;
    bool json = false;
};

/// Upper limits of strong, medium and weak cross-peaks, in Å, and the lower limit of all. Source:
/// G. M. Clore, A. M. Gronenborn, Crit. Rev. Biochem. Mol. Biol. 24 (1989), 479–564.
constexpr std::array kUpperLimits{2.7, 3.3, 5.0};
constexpr double kLowerLimit = 1.8;

/// Random letters without proline, which would break the helix.
Molecule randomChain(const GenerateOptions& options, RandomSequence& random) {
    constexpr std::string_view kLetters = "ACDEFGHIKLMNQRSTVWY";
    std::string letters;
    for (std::size_t k = 0; k < options.residues; ++k) letters += kLetters[random.below(kLetters.size())];
    return Molecule(residuesOf(letters));
}

/// The angle of a torsion in an alpha helix, in degrees; side chains are staggered.
double helicalAngle(const Torsion& torsion, RandomSequence& random) {
    if (torsion.kind == TorsionKind::Phi) return kPhi;
    if (torsion.kind == TorsionKind::Psi) return kPsi;
    if (!torsion.isThreefold) return 90;
    return random.uniform() < 0.5 ? -60 : 180;
}

std::vector<Vector> helixOf(const Molecule& molecule, RandomSequence& random) {
    const TorsionTree tree(molecule);
    TorsionState state = restState(tree);
    std::vector<Vector> positions = molecule.ideal;
    for (std::size_t t = 0; t < molecule.torsions.size(); ++t) {
        const Torsion& torsion = molecule.torsions[t];
        const int body = tree.bodyOfTorsion[t];
        if (body >= 0)
            state.angle[static_cast<std::size_t>(body)] =
                kDegree * helicalAngle(torsion, random) - dihedralAngle(torsion.atoms, molecule.ideal);
    }
    placeAtoms(tree, molecule, state, positions);
    return positions;
}

/// H, HA and HB, whose places hardly depend on the side chain. Farther hydrogens of a random side chain may
/// clash, and restraints between them contradict contacts.
bool isNearBackbone(const Atom& atom) {
    return atom.name == "H" || atom.name.starts_with("HA") || atom.name.starts_with("HB");
}

/// Pairs of hydrogens that a NOESY spectrum shows, and all phi and psi.
class NefText {
  public:
    NefText(const Molecule& molecule, const std::vector<Vector>& positions, io::BufferedText& file)
        : molecule_(molecule), positions_(positions), file_(file) {}

    std::size_t distances() const { return distances_; }
    std::size_t dihedrals() const { return dihedrals_; }

    void write() {
        line("data_generated");
        frame("nef_molecular_system");
        loop("nef_sequence", {"index", "chain_code", "sequence_code", "residue_name", "cis_peptide"});
        for (std::size_t r = 0; r < molecule_.residues.size(); ++r)
            line(fmt::format("{} {} .", r + 1, residueOf(r)));
        line("stop_\nsave_");
        frame("nef_distance_restraint_list");
        loop("nef_distance_restraint", columnsOf(2));
        writeDistances();
        line("stop_\nsave_");
        frame("nef_dihedral_restraint_list");
        loop("nef_dihedral_restraint", columnsOf(4));
        writeDihedrals();
        line("stop_\nsave_");
    }

  private:
    void line(const std::string& text) {
        file_.text() += text;
        file_.endLine();
    }
    void frame(std::string_view category) { line(fmt::format("save_{0}\n_{0}.sf_category {0}", category)); }
    /// Columns of restraints on so many atoms.
    static std::vector<std::string> columnsOf(int atoms) {
        std::vector<std::string> columns{"index", "restraint_id"};
        for (int atom = 1; atom <= atoms; ++atom)
            for (const char* column : {"chain_code", "sequence_code", "residue_name", "atom_name"})
                columns.push_back(fmt::format("{}_{}", column, atom));
        columns.insert(columns.end(), {"weight", "lower_limit", "upper_limit"});
        return columns;
    }
    void loop(std::string_view category, const std::vector<std::string>& columns) {
        line("loop_");
        for (const std::string& column : columns) line(fmt::format("_{}.{}", category, column));
    }
    std::string residueOf(std::size_t residue) const {
        const Residue& one = molecule_.residues[residue];
        return fmt::format("{} {} {}", one.chain, one.number, one.name);
    }
    std::string atomOf(AtomIndex atom) const {
        return fmt::format("{} {}", residueOf(molecule_.atoms[atom].residue), molecule_.atoms[atom].name);
    }

    void writeDistances() {
        for (AtomIndex a = 0; a < positions_.size(); ++a)
            for (AtomIndex b = a + 1; b < positions_.size(); ++b) {
                const Atom &one = molecule_.atoms[a], &other = molecule_.atoms[b];
                if (!isNearBackbone(one) || !isNearBackbone(other) || one.residue == other.residue) continue;
                const double distance = length(positions_[a] - positions_[b]);
                const auto limit = std::ranges::lower_bound(kUpperLimits, distance);
                if (limit == kUpperLimits.end() || distance < kLowerLimit) continue;
                ++distances_;
                line(fmt::format("{0} {0} {1} {2} 1 {3} {4}", distances_, atomOf(a), atomOf(b), kLowerLimit,
                                 *limit));
            }
    }

    void writeDihedrals() {
        for (const Torsion& torsion : molecule_.torsions) {
            if (torsion.kind == TorsionKind::Chi) continue;
            ++dihedrals_;
            std::string text = fmt::format("{0} {0}", dihedrals_);
            for (const AtomIndex atom : torsion.atoms) text += " " + atomOf(atom);
            const double angle = torsion.kind == TorsionKind::Phi ? kPhi : kPsi;
            line(fmt::format("{} 1 {} {}", text, angle - kWindow, angle + kWindow));
        }
    }

    const Molecule& molecule_;
    const std::vector<Vector>& positions_;
    io::BufferedText& file_;
    std::size_t distances_ = 0, dihedrals_ = 0;
};

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    const std::vector<std::filesystem::path> files{options.output};
    checkOutputFiles(files, {});
    if (files.front().extension() != ".nef")
        throw UsageError(fmt::format("{}: restraints are written as NEF; expected a name that ends in .nef",
                                     options.output));
    RandomSequence random(options.seed);
    const Molecule molecule = randomChain(options, random);
    const std::vector<Vector> positions = helixOf(molecule, random);
    io::BufferedText file(files.front());
    NefText nef(molecule, positions, file);
    nef.write();
    file.commit();
    context.clearProgressLine();
    printGenerated(
        context, options.json, "fold", declared, files,
        fmt::format("{} and {} of {} in an alpha helix; seed {}", formatCount(nef.distances(), "distance"),
                    formatCount(nef.dihedrals(), "dihedral angle"),
                    formatCount(molecule.residues.size(), "residue"), options.seed));
    return 0;
}

}  // namespace

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    options.value("--residues N", generated->residues, "Length of the chain, 2 to 2000")
        .within(2, 2000)
        .required();
    options.value("-o,--output FILE.nef", generated->output, "The file to write").required().notASetting();
    addSeedOption(options, generated->seed, "residues and side chains");
    addJsonOption(options, generated->json);
    options.footer(
        "A random chain in an alpha helix. Pairs of H, HA and HB in different residues closer than 5 Å\n"
        "get 1.8 Å and 2.7, 3.3 or 5 Å as limits; phi and psi get 20° to both sides.\n\n"
        "Example:\n"
        "  glycine generate restraints --residues 60 -o helix.nef\n"
        "  glycine fold helix.nef -o models.pdb");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::structure
