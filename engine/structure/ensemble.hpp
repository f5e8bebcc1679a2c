#pragma once

#include <span>
#include <vector>

#include "engine/structure/fold.hpp"

namespace glycine::structure {

/// Superposes `points` on `onto` by least squares over `which`, and returns the root mean square distance in
/// Å (W. Kabsch, Acta Cryst. A32 (1976), 922-923, by quaternions). Throws InputError for fewer than three
/// atoms.
double superpose(std::span<Vector> points, std::span<const Vector> onto, std::span<const AtomIndex> which);

/// Similarity of two structures over the same atoms (CA), 0 … 1, insensitive to their worst parts.
struct Similarity {
    double tmScore =
        0;  ///< Y. Zhang, J. Skolnick, Proteins 57 (2004), 702-710; normalised by the atoms compared
    double gdt =
        0;  ///< GDT_TS: shares within 1, 2, 4 and 8 Å (A. Zemla, Nucleic Acids Res. 31 (2003), 3370-3374)
};
/// Returns the best scores over superpositions that start from all fragments of n, n/2, n/4 … 4 atoms, the
/// search of the TM-score program.
Similarity compareShapes(std::span<const Vector> points, std::span<const Vector> onto,
                         std::span<const AtomIndex> which);

struct PrincipalAxes {
    Vector centre;
    Rotation axes;  ///< right-handed, the longest extent first
};
PrincipalAxes principalAxes(std::span<const Vector> points, std::span<const AtomIndex> which);

/// Residues whose phi and psi agree among models, with both neighbours in the chain: circular order
/// parameters of at least 0.9 (S. G. Hyberts, M. S. Goldberg, T. F. Havel, G. Wagner, Protein Sci. 1 (1992),
/// 736-751). The end of a chain may agree so while a hinge before it turns. So residues are left out for
/// which the distance to half of the others varies (standard deviation, alpha carbons) by more than 1.5 Å and
/// three times the median of all.
std::vector<std::size_t> orderedResidues(const Molecule& molecule, std::span<const FoldedModel> models);

/// Residues whose atoms among `known` fluctuate by at most `limit` Å (root mean square over atoms and models)
/// about the models' mean. Models are superposed by these same residues: the search starts from all residues
/// and repeats until the set is stable.
std::vector<std::size_t> steadyResidues(const Molecule& molecule, std::span<const std::vector<Vector>> models,
                                        std::span<const AtomIndex> known, double limit);

/// N, CA and C of the residues.
std::vector<AtomIndex> backboneAtoms(const Molecule& molecule, std::span<const std::size_t> residues);

struct ModelQuality {
    double rmsViolation = 0;  ///< Å, over all distance restraints
    double largestViolation = 0;
    std::size_t above05 = 0;     ///< distances violated by more than 0.5 Å
    std::size_t dihedrals5 = 0;  ///< dihedral angles by more than 5°
    std::size_t closePairs = 0;  ///< heavy atoms closer than 2.5 Å, donor-acceptor pairs excepted
    /// Donors and acceptors closer than 2.5 Å, of which nearly none is a hydrogen bond: moderate ones, those
    /// of proteins, have 2.5 to 3.2 Å (G. A. Jeffrey, An Introduction to Hydrogen Bonding, 1997, table 2.1).
    std::size_t closePolarPairs = 0;
    std::size_t wrongCentres = 0;  ///< chiral centres of the wrong hand
    std::size_t favoured = 0;      ///< residues in the core of the Ramachandran plot
    std::size_t outliers = 0;      ///< residues outside its allowed regions
    std::size_t judged = 0;        ///< residues with phi and psi, glycine excepted
    bool hasConverged() const { return rmsViolation <= kConvergedRms; }
    static constexpr double kConvergedRms = 0.05;
};
ModelQuality judge(const FoldProblem& problem, const FoldedModel& model);
/// ModelQuality::rmsViolation alone.
double rmsViolation(const FoldProblem& problem, const FoldedModel& model);

struct RestraintViolation {
    std::size_t restraint = 0;  ///< in RestraintSet::distances
    double distance = 0;        ///< Å
    double violation = 0;       ///< Å; negative: below the lower limit
};
/// Returns violations beyond `least` Å, the largest first.
std::vector<RestraintViolation> violations(const FoldProblem& problem, const FoldedModel& model,
                                           double least);

struct AngleViolation {
    std::size_t restraint = 0;  ///< in RestraintSet::dihedrals
    double angle = 0;           ///< degrees
    double violation = 0;       ///< degrees outside the window, signed
};
/// Returns violations of stated dihedral angles beyond `least` degrees, the largest first.
std::vector<AngleViolation> angleViolations(const FoldProblem& problem, const FoldedModel& model,
                                            double least);

}  // namespace glycine::structure
