#pragma once

#include <span>
#include <vector>

#include "engine/structure/fold.hpp"

namespace glycine::structure {

/// Moves `points` so that those at `which` lie as near as can be to those of `onto`, and returns their root
/// mean square distance (W. Kabsch, Acta Cryst. A32 (1976), 922-923, by quaternions). Throws InputError for
/// fewer than three.
double superpose(std::span<Vector> points, std::span<const Vector> onto, std::span<const AtomIndex> which);

/// How like two structures are over the same atoms (CA), whatever their worst parts: 0 … 1.
struct Similarity {
    double tmScore =
        0;  ///< Y. Zhang, J. Skolnick, Proteins 57 (2004), 702-710; normalised by the atoms compared
    double gdt =
        0;  ///< GDT_TS: shares within 1, 2, 4 and 8 Å (A. Zemla, Nucleic Acids Res. 31 (2003), 3370-3374)
};
/// The best over superpositions that start from all fragments of n, n/2, n/4 … 4 atoms, as the TM-score
/// program searches.
Similarity compareShapes(std::span<const Vector> points, std::span<const Vector> onto,
                         std::span<const AtomIndex> which);

struct PrincipalAxes {
    Vector centre;
    Rotation axes;  ///< right-handed, the longest extent first
};
PrincipalAxes principalAxes(std::span<const Vector> points, std::span<const AtomIndex> which);

/// Residues whose phi and psi agree among models: circular order parameters of at least 0.9 (S. G. Hyberts,
/// M. S. Goldberg, T. F. Havel, G. Wagner, Protein Sci. 1 (1992), 736-751), with both neighbours in the
/// chain.
std::vector<std::size_t> orderedResidues(const Molecule& molecule, std::span<const FoldedModel> models);

/// Residues whose atoms among `known` fluctuate by at most `limit` Å (root mean square over atoms and models)
/// about the models' mean, all superposed by these same residues: repeated from all residues on until they
/// stay.
std::vector<std::size_t> steadyResidues(const Molecule& molecule, std::span<const std::vector<Vector>> models,
                                        std::span<const AtomIndex> known, double limit);

/// N, CA and C of residues.
std::vector<AtomIndex> backboneAtoms(const Molecule& molecule, std::span<const std::size_t> residues);

struct ModelQuality {
    double rmsViolation = 0;  ///< Å, over all distance restraints
    double largestViolation = 0;
    std::size_t above05 = 0;       ///< distances violated by more than 0.5 Å
    std::size_t dihedrals5 = 0;    ///< dihedral angles by more than 5°
    std::size_t closePairs = 0;    ///< heavy atoms closer than 2.5 Å, and no donor to an acceptor
    std::size_t wrongCentres = 0;  ///< of chirality
    std::size_t favoured = 0;      ///< residues by their place in the Ramachandran plot: core, and
    std::size_t outliers = 0;      ///< far from every region
    std::size_t judged = 0;        ///< residues with phi and psi, but glycine
    bool hasConverged() const { return rmsViolation <= kConvergedRms; }
    static constexpr double kConvergedRms = 0.05;
};
ModelQuality judge(const FoldProblem& problem, const FoldedModel& model);

struct RestraintViolation {
    std::size_t restraint = 0;  ///< in RestraintSet::distances
    double distance = 0;        ///< Å
    double violation = 0;       ///< Å; negative: below the lower limit
};
/// Beyond `least` Å, the largest first.
std::vector<RestraintViolation> violations(const FoldProblem& problem, const FoldedModel& model,
                                           double least);

}  // namespace glycine::structure
