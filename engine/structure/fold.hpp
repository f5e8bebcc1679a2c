#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/structure/energy.hpp"
#include "engine/structure/torsion_tree.hpp"

namespace glycine::structure {

struct FoldOptions {
    std::size_t models = 20;
    std::uint64_t seed = 1;
    std::size_t hotSteps = 1600;
    std::size_t coolingSteps = 6400;
    double temperature = 10000;  ///< K, during the hot steps
    std::size_t restarts = 2;    ///< times at most that models start again (foldUntilConverged)
};

struct FoldedModel {
    std::vector<Vector> positions;  ///< their mean is the origin
    std::vector<AtomIndex> names;  ///< the model's atom for each atom that a restraint names (SwappableGroup)
    Energy energy;                 ///< at weights of 1
};

/// Steps of the dynamics, a fifth of them hot, by the longest chain: 8000 to 100 residues, and 170 for each
/// further one. Long chains need more than their share to disentangle.
std::size_t defaultSteps(const Molecule& molecule);

/// Folds all models in parallel: random torsion angles, minimisation, torsion-angle dynamics (hot, then
/// cooling as (1 − f)⁴), minimisation, other rotamers of side chains with violated distances, minimisation at
/// larger weights. Returns models in ascending order of the target
/// function. Results do not depend on the number of threads.
std::vector<FoldedModel> fold(const FoldProblem& problem, EnergyRun& run, const FoldOptions& options,
                              int threads, Progress& progress);

struct FoldedEnsemble {
    std::vector<FoldedModel> models;  ///< in ascending order of the target function
    std::size_t startedAgain = 0;     ///< models, each time counted
};

/// Folds, and folds models that have not converged again from other random numbers, as often as
/// `options.restarts` allows. The better ones of old and new models stay. Models do not start again where at
/// most 2 % have failed: on a GPU a few models take as long as hundreds. `start` makes a run of some models.
FoldedEnsemble foldUntilConverged(const FoldProblem& problem,
                                  const std::function<std::unique_ptr<EnergyRun>(std::size_t models)>& start,
                                  const FoldOptions& options, int threads, Progress& progress);

}  // namespace glycine::structure
