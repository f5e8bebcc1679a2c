#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/structure/molecule.hpp"
#include "engine/structure/restraint.hpp"

namespace glycine::structure {

/// The parts of the target function that a schedule changes.
struct EnergyWeights {
    double restraints = 1;
    double vanDerWaals = 1;
    bool heavyAtomsOnly = false;  ///< for van der Waals terms
    /// Of a second, harder repulsion of the same form, which begins at kCoreShare of contacts of at least
    /// kLeastCore; counts among the van der Waals terms.
    double core = 0;
};
inline constexpr double kCoreShare = 0.95;
/// Å. All pairs of heavy atoms have longer contacts; of those with hydrogen, sulphur's alone.
inline constexpr double kLeastCore = 2.58;

/// Weights of Energy::target.
inline constexpr double kTargetRestraints = 20;
inline constexpr double kTargetVanDerWaals = 3;

struct Energy {
    double restraints = 0;
    double dihedrals = 0;
    double vanDerWaals = 0;
    double rings = 0;
    double torsions = 0;  ///< Ramachandran and chi terms
    double total() const { return restraints + dihedrals + vanDerWaals + rings + torsions; }
    /// Orders models: restraints and contacts at the weights of the last minimisation, since at weights of 1
    /// the torsions' terms, two thirds of the total, would decide.
    double target() const {
        return kTargetRestraints * restraints + kTargetVanDerWaals * vanDerWaals + dihedrals + rings +
               torsions;
    }
};
inline constexpr std::pair<double Energy::*, const char*> kEnergyTerms[]{
    {&Energy::restraints, "restraints"},
    {&Energy::dihedrals, "dihedrals"},
    {&Energy::vanDerWaals, "vanDerWaals"},
    {&Energy::rings, "rings"},
    {&Energy::torsions, "torsions"}};

/// Weights of the terms of backbones (−ln of wells) and of side chains (1 + cos 3χ), Å².
inline constexpr double kRamachandranWeight = 0.4;
inline constexpr double kThreefoldWeight = 0.2;
/// Weights of the distances and windows that close proline's ring.
inline constexpr double kRingWeight = 20;
inline constexpr double kWindowWeight = 4;

/// The target function of a molecule with restraints, as flat lists (P. Güntert, C. Mumenthaler, K. Wüthrich,
/// J. Mol. Biol. 273 (1997), 283-298, with the terms of docs/fold.md).
struct FoldProblem {
    /// `pull`: weight of a second restraint to 0.8 of the upper limit, for each restraint with the limit of
    /// an NOE (2.6 to 8 Å). Limits are set wide: without a pull, models fill the room and become larger than
    /// proteins.
    FoldProblem(const Molecule& molecule, const RestraintSet& restraints, double pull = 0);

    const Molecule* molecule;
    /// Stated restraints, then disulfides, pulls and windows of −165 … −45° for phi. Residues have a window
    /// unless the file restrains phi or they are Gly, Pro, Asn or Asp (too often left-handed).
    RestraintSet restraints;
    std::size_t stated = 0;            ///< distances before the first pull
    std::size_t statedDihedrals = 0;   ///< dihedral angles that the file states, the first ones
    std::vector<CovalentBound> rings;  ///< distances that close proline's ring; lower = upper
    std::vector<DihedralRestraint> ringWindows;
    struct Backbone {
        std::array<AtomIndex, 4> phi, psi;
        bool isGlycine;
    };
    std::vector<Backbone> backbones;
    std::vector<std::array<AtomIndex, 4>> threefold;
    std::vector<std::vector<AtomIndex>> excluded;  ///< per atom: up to three bonds away, itself included

    /// The distance in Å below which two atoms repel each other.
    double contact(AtomIndex a, AtomIndex b) const;
};

class TorsionTree;
struct TorsionState;
struct TorsionMotion;

/// The state that a model's dynamics carry from step to step.
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
    double accuracy = 0;     ///< |ΔE/E| that the step length is controlled to
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
class EnergyRun {
  public:
    virtual ~EnergyRun() = default;
    /// positions, gradients: models × atoms, in Å and per Å. names: models × atoms, the model's atom for each
    /// atom that a restraint names (SwappableGroup).
    virtual void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                          const EnergyWeights& weights, std::span<Energy> energies,
                          std::span<Vector> gradients) = 0;
    /// Whether threads may call `evaluateAlone` for different models at the same time.
    virtual bool evaluatesAlone() const { return false; }
    /// Evaluates one model, whose positions, names, energy and gradient these are.
    virtual void evaluateAlone(std::size_t /*model*/, std::span<const Vector> /*positions*/,
                               std::span<const AtomIndex> /*names*/, const EnergyWeights& /*weights*/,
                               Energy& /*energy*/, std::span<Vector> /*gradient*/) {}
    /// Advances the dynamics of all models by some steps. Returns false, and does nothing, if the backend has
    /// no dynamics.
    virtual bool advance(const TorsionTree& /*tree*/, std::span<const DynamicsState> /*models*/,
                         std::span<const AtomIndex> /*names*/, std::span<const DynamicsStep> /*steps*/) {
        return false;
    }
    /// Runs a share of the minimisation (Minimiser) of all models and stores their accepted states, if the
    /// backend has it.
    virtual MinimiserProgress minimise(const TorsionTree& /*tree*/, std::span<TorsionState* const> /*models*/,
                                       std::span<const AtomIndex> /*names*/,
                                       const MinimiserShare& /*share*/) {
        return MinimiserProgress::Unsupported;
    }
    /// Returns positions, gradient and energy of a model's last evaluation in `minimise`.
    virtual Energy lastEvaluation(std::size_t /*model*/, std::span<Vector> /*positions*/,
                                  std::span<Vector> /*gradient*/) {
        return {};
    }
};

/// Evaluates every pair of atoms in double, as the formulas are written.
std::unique_ptr<EnergyRun> makeReferenceEnergy(const FoldProblem& problem, std::size_t models);
/// Uses neighbour lists; models run in parallel on `threads`. All instruction sets give the same bits.
std::unique_ptr<EnergyRun> makeCpuEnergy(const FoldProblem& problem, std::size_t models, int threads,
                                         InstructionSet instructions = detectInstructionSet());

/// Effective distance of an ambiguous restraint: (Σ d⁻⁶)^(−1/6).
double effectiveDistance(const DistanceRestraint& restraint, std::span<const Vector> positions,
                         std::span<const AtomIndex> names);
/// Degrees from `lower` upwards to `upper`; 360 for the whole circle.
double windowWidth(double lower, double upper);
/// Degrees by which an angle in degrees lies outside the window, signed.
double outsideWindow(double angle, double lower, double upper);

}  // namespace glycine::structure
