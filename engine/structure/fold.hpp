#pragma once

#include <cstdint>
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
    double temperature = 10000;  ///< K, of the hot steps
};

struct FoldedModel {
    std::vector<Vector> positions;
    std::vector<AtomIndex> names;  ///< which atom a restraint's atom is (SwappableGroup)
    Energy energy;                 ///< with weights 1
};

/// Folds all models side by side: random torsion angles, minimisation, torsion-angle dynamics that are hot
/// and then cool as (1 − f)⁴, minimisation with growing weights. The models ascend by their target function.
/// The same for any number of threads.
std::vector<FoldedModel> fold(const FoldProblem& problem, EnergyEngine& engine, const FoldOptions& options,
                              int threads, Progress& progress);

}  // namespace glycine::structure
