#pragma once

#include <cstdint>

#include "engine/structure/gather_terms.hpp"
#include "engine/structure/minimiser.hpp"
#include "kernels_cuda/device/launch.hpp"

/// The target function of all models of an ensemble at once, a block a model.
namespace glycine::cuda {

/// The lists of structure::GatherTerms, and what van der Waals terms look up.
struct FoldTables {
    unsigned atoms, distances, restraints, dihedrals, windows, ringWindows, kinds;
    const structure::GatherDistance* distance;
    const structure::GatherPair* pairs;
    const std::uint32_t* firstOfAlias;
    const structure::GatherPair* ofAlias;
    const structure::GatherDihedral* dihedral;
    const std::uint32_t* firstOfAtom;
    const structure::GatherPair* ofAtom;
    const std::uint32_t* kind;       ///< of each atom
    const std::uint8_t* isHydrogen;  ///< of each atom
    const double* contacts;          ///< kinds × kinds, Å
    /// Pairs without van der Waals term, at their first atom: bit k of `near` excludes the k-th atom after
    /// it; `far` lists those from the 64th on.
    const std::uint64_t* near;
    const std::uint32_t* firstFar;
    const std::uint32_t* far;
    double reach;                 ///< the longest contact and the skin, Å
    double skin;                  ///< Å
    double coreShare, leastCore;  ///< structure::kCoreShare, kLeastCore
};

/// Neighbours of an atom that are listed; where there are more, all atoms are looked at.
inline constexpr unsigned kMaxNeighbours = 96;
inline constexpr unsigned kFoldTerms =
    5;  ///< of an energy: restraints, dihedrals, van der Waals, rings, torsions
/// Atoms that are looked at together: residues' neighbours lie near each other.
inline constexpr unsigned kAtomGroup = 32;

/// Data of each model, one after another.
struct FoldModels {
    double* positions;          ///< atoms × 3
    std::uint32_t* names;       ///< atoms: by restraints' name
    std::uint32_t* aliases;     ///< atoms: the name that an atom has
    double* gradients;          ///< atoms × 3
    double* energies;           ///< kFoldTerms
    double* coefficients;       ///< distances
    double* slopes;             ///< dihedrals
    double* listedAt;           ///< atoms × 3
    double* spheres;            ///< groups × 4
    std::uint32_t* neighbours;  ///< atoms × kMaxNeighbours, at 16 bytes
    std::uint32_t* counts;      ///< atoms
    std::uint32_t* listed;      ///< 1: heavy atoms, 2: all; 0: none
};

struct FoldWeights {
    double restraints, vanDerWaals;
    bool heavyAtomsOnly;
    double core;
};

/// Queues energies and gradients of `count` models. Reads positions from `host` (page-locked, models × atoms
/// × 3), replaces them by gradients and appends energies.
void launchFoldEnergies(const Launch& launch, const FoldTables& tables, const FoldModels& models,
                        const FoldWeights& weights, unsigned count, double* host);
/// Queues new names from `host`: names of all models, then aliases of all.
void launchFoldNames(const Launch& launch, const FoldTables& tables, const FoldModels& models, unsigned count,
                     const std::uint32_t* host);
/// Queues copying a model's last evaluation to `host`: positions, gradient, energies.
void launchFoldFetch(const Launch& launch, const FoldTables& tables, const FoldModels& models, unsigned model,
                     double* host);
/// Queues invalidating all lists.
void launchFoldReset(const Launch& launch, const FoldModels& models, unsigned count);

/// Three numbers, as structure::Vector.
struct FoldVector {
    double x, y, z;
};
/// Bodies that a warp visits at once, eight lanes each; kNoBody fills gaps.
inline constexpr unsigned kBodiesOfStep = 4;
inline constexpr std::uint32_t kNoBody = 0xffffffffU;
/// A body in a step, with what its visit looks up first. No parent: kNoBody.
struct alignas(16) FoldVisit {
    std::uint32_t body, parent, firstChild, endChild;
};
/// structure::TorsionTree, at rest.
struct FoldTree {
    unsigned bodies, steps, rootCount;
    double freedom;
    const std::uint32_t* roots;
    const std::int32_t* parent;
    const FoldVector* axis;
    const FoldVector* offset;  ///< of the origin from the parent's
    const FoldVector* centre;  ///< from the origin
    const double* mass;
    const FoldVisit* visits;  ///< kBodiesOfStep per step (sweepSteps)
    const std::uint32_t* children;
    const std::uint32_t* firstAtom;
    const std::uint32_t* atomsOf;
    const std::uint32_t* bodyOf;  ///< of each atom
    const FoldVector* rest;       ///< of each atom, from its body's origin
};

/// Fields that a body keeps from step to step; rotations by columns. From kRotation on, of roots alone.
enum FoldField : unsigned {
    kAngle,
    kVelocity,
    kAcceleration,
    kRotation,
    kPlace = kRotation + 9,
    kTurn = kPlace + 3,
    kShift = kTurn + 3,
    kTurnAcceleration = kShift + 3,
    kShiftAcceleration = kTurnAcceleration + 3,
    kKeptFields = kShiftAcceleration + 3
};
inline constexpr unsigned kBodyFields = kKeptFields + 72;

/// A model's numbers that host and device exchange: for each field before `end` that all bodies have, that of
/// each body; then for each root its fields from kRotation to `rootEnd`.
struct FoldKept {
    unsigned end, rootEnd;
    GLYCINE_HOST_DEVICE std::size_t count(unsigned bodies, unsigned roots) const {
        return std::size_t(end) * bodies + std::size_t(rootEnd - kRotation) * roots;
    }
};
GLYCINE_HOST_DEVICE inline FoldKept keptByDynamics() {
    return {kRotation, kKeptFields};
}
GLYCINE_HOST_DEVICE inline FoldKept keptByMinimiser() {
    return {kVelocity, kTurn};
}

struct FoldStep {
    FoldWeights weights;
    double temperature, accuracy;
};
struct FoldDynamics {
    double* bodies;    ///< kBodyFields × bodies a model
    double* kept;      ///< keptByDynamics, of each model
    double* controls;  ///< length of the step, and the last total energy, of each model
    FoldStep* steps;
};
/// The same in page-locked memory.
struct FoldHost {
    double* kept;
    double* controls;
    const FoldStep* steps;
};
/// Queues steps of all models. Reads their states from `host` and writes them back.
void launchFoldDynamics(const Launch& launch, const FoldTables& tables, const FoldModels& models,
                        const FoldTree& tree, const FoldDynamics& dynamics, unsigned count, unsigned steps,
                        const FoldHost& host);

/// Device memory of minimisations (structure::Minimiser), per model. Variables: one per body, six per root.
struct FoldMinimisation {
    double* vectors;   ///< structure::kMinimiserVectors × variables
    double* along;     ///< variables: the gradient of the last evaluation
    double* accepted;  ///< keptByMinimiser, of each model
    structure::MinimiserState* states;
};
/// In page-locked memory.
struct FoldMinimisationHost {
    double* accepted;
    structure::MinimiserState* states;
};
/// Queues up to `evaluations` of each model. Starts at the accepted states of `host` if `isFirst`, else
/// continues. Writes accepted states and scalars to `host`.
void launchFoldMinimisation(const Launch& launch, const FoldTables& tables, const FoldModels& models,
                            const FoldTree& tree, double* bodies, const FoldMinimisation& minimisation,
                            const FoldWeights& weights, unsigned count, unsigned evaluations, bool isFirst,
                            const FoldMinimisationHost& host);

}  // namespace glycine::cuda
