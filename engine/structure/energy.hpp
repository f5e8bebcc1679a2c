#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/structure/molecule.hpp"
#include "engine/structure/restraint.hpp"

namespace glycine::structure {

/// What a schedule changes of the target function.
struct EnergyWeights {
    double restraints = 1;
    double vanDerWaals = 1;
    bool heavyAtomsOnly = false;  ///< van der Waals terms
};

struct Energy {
    double restraints = 0;
    double dihedrals = 0;
    double vanDerWaals = 0;
    double rings = 0;
    double torsions = 0;  ///< Ramachandran and chi terms
    double total() const { return restraints + dihedrals + vanDerWaals + rings + torsions; }
};
inline constexpr std::pair<double Energy::*, const char*> kEnergyTerms[]{
    {&Energy::restraints, "restraints"},
    {&Energy::dihedrals, "dihedrals"},
    {&Energy::vanDerWaals, "vanDerWaals"},
    {&Energy::rings, "rings"},
    {&Energy::torsions, "torsions"}};

/// Of distances and windows of proline's ring.
inline constexpr double kRingWeight = 20;
inline constexpr double kWindowWeight = 4;

/// The target function of a molecule with restraints, as flat lists (P. Güntert, C. Mumenthaler, K. Wüthrich,
/// J. Mol. Biol. 273 (1997), 283-298, with the terms of docs/fold.md).
struct FoldProblem {
    /// `pull`: weight of a second restraint for each one whose upper limit is that of an NOE (2.6 to 8 Å), to
    /// 0.9 of the limit. Limits are set wide; without a pull models fill the room they leave, and are larger
    /// than proteins are.
    FoldProblem(const Molecule& molecule, const RestraintSet& restraints, double pull = 0);

    const Molecule* molecule;
    /// Those stated; then disulfides, pulls, and windows of −165 … −45° for phi where the file has none and a
    /// residue has a side chain (of Asn and Asp, too many lie at the left).
    RestraintSet restraints;
    std::size_t stated = 0;            ///< distances but pulls: the first ones
    std::size_t statedDihedrals = 0;   ///< likewise
    std::vector<CovalentBound> rings;  ///< distances that close proline's ring; lower = upper
    std::vector<DihedralRestraint> ringWindows;
    struct Backbone {
        std::array<AtomIndex, 4> phi, psi;
        bool isGlycine;
    };
    std::vector<Backbone> backbones;
    std::vector<std::array<AtomIndex, 4>> threefold;
    std::vector<std::vector<AtomIndex>> excluded;  ///< from van der Waals terms: at most three bonds away

    /// The distance in Å below which two atoms repel each other.
    double contact(AtomIndex a, AtomIndex b) const;
};

class TorsionTree;
struct TorsionState;
struct TorsionMotion;

/// What the dynamics of a model carry from step to step.
struct DynamicsState {
    TorsionState* state;
    TorsionMotion* velocity;  ///< half a step before the state
    TorsionMotion* acceleration;
    double* timeStep;
    double* lastTotal;  ///< energy; NaN before the first step
};
struct DynamicsStep {
    EnergyWeights weights;
    double temperature = 0;  ///< K
    double accuracy = 0;     ///< |ΔE/E|, which the next step's length follows
};

/// Some evaluations of a minimisation, which a device runs without the host.
struct MinimiserShare {
    EnergyWeights weights;
    std::size_t evaluations = 0;  ///< of each model, at most
    bool isFirst = false;         ///< starts at the models' states; else continues the share before
};
enum class MinimiserProgress {
    Unsupported,  ///< nothing was done
    Unfinished,
    Done  ///< no model has a step left that lowers its energy
};

/// The target function and its gradient for all models of an ensemble at once.
class EnergyEngine {
  public:
    virtual ~EnergyEngine() = default;
    /// positions, gradients: models × atoms, in Å and per Å. names: models × atoms, which atom a restraint's
    /// atom is in a model (SwappableGroup).
    virtual void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                          const EnergyWeights& weights, std::span<Energy> energies,
                          std::span<Vector> gradients) = 0;
    /// Takes all models some steps of their dynamics on, where the backend has these, too. False where it has
    /// not: nothing was done.
    virtual bool advance(const TorsionTree& /*tree*/, std::span<const DynamicsState> /*models*/,
                         std::span<const AtomIndex> /*names*/, std::span<const DynamicsStep> /*steps*/) {
        return false;
    }
    /// Runs a share of the minimisation (Minimiser) of all models, where the backend has it, and stores their
    /// accepted states.
    virtual MinimiserProgress minimise(const TorsionTree& /*tree*/, std::span<TorsionState* const> /*models*/,
                                       std::span<const AtomIndex> /*names*/,
                                       const MinimiserShare& /*share*/) {
        return MinimiserProgress::Unsupported;
    }
    /// After a share: positions, energy and gradient of a model's last evaluation.
    virtual Energy lastEvaluation(std::size_t /*model*/, std::span<Vector> /*positions*/,
                                  std::span<Vector> /*gradient*/) {
        return {};
    }
};

/// Every pair of atoms, in double, as the formulas are.
std::unique_ptr<EnergyEngine> makeReferenceEnergy(const FoldProblem& problem, std::size_t models);
/// Lists of neighbours; models side by side on `threads`.
std::unique_ptr<EnergyEngine> makeCpuEnergy(const FoldProblem& problem, std::size_t models, int threads);

/// d of an ambiguous restraint: (Σ d⁻⁶)^(−1/6).
double effectiveDistance(const DistanceRestraint& restraint, std::span<const Vector> positions,
                         std::span<const AtomIndex> names);
/// Degrees from `lower` upwards to `upper`; 360 for all of the circle.
double windowWidth(double lower, double upper);
/// Degrees by which an angle in degrees lies outside the window, signed.
double outsideWindow(double angle, double lower, double upper);

}  // namespace glycine::structure
