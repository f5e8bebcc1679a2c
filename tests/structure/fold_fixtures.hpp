#pragma once

#include "engine/structure/ensemble.hpp"
#include "tests/test.hpp"

namespace glycine::structure {

/// Names of the atoms of `models` models, none exchanged.
inline std::vector<AtomIndex> ownNames(std::size_t atoms, std::size_t models = 1) {
    std::vector<AtomIndex> names(atoms * models);
    for (std::size_t k = 0; k < names.size(); ++k) names[k] = static_cast<AtomIndex>(k % atoms);
    return names;
}

/// Expects that runs 1 and 2 of `fold(problem, options, run)` recover a structure from all its distances,
/// with the same bits.
inline constexpr double kRecovered = 0.05;  ///< Å
template <class Fold>
void expectRecovery(const Fold& fold) {
    const Molecule molecule(residuesOf("ALKGFSV"));
    const TorsionTree tree(molecule);
    TorsionState state = restState(tree);
    std::vector<Vector> truth(molecule.atoms.size());
    placeAtoms(tree, molecule, state, truth);
    RestraintSet set;
    for (AtomIndex a = 0; a < truth.size(); ++a)
        for (AtomIndex b = a + 1; b < truth.size(); ++b) {
            const double d = length(truth[a] - truth[b]);
            set.distances.push_back({{{a, b}}, d, d, 1, "", 0});
        }
    const FoldProblem problem(molecule, set);
    FoldOptions options;
    options.models = 3;
    options.hotSteps = 100;
    options.coolingSteps = 500;
    std::vector<std::vector<FoldedModel>> runs;
    for (const int run : {1, 2}) runs.push_back(fold(problem, options, run));
    for (std::size_t m = 0; m < options.models; ++m)
        for (AtomIndex a = 0; a < truth.size(); ++a)
            EXPECT_EQ(length(runs[0][m].positions[a] - runs[1][m].positions[a]), 0);
    for (const FoldedModel& model : runs[0]) {
        Vector sum;
        for (const Vector& one : model.positions) sum += one;
        EXPECT_LT(length(sum), 1e-6) << "models are centred";
    }
    EXPECT_EQ(judge(problem, runs[0][0]).wrongCentres, 0U);
    EXPECT_LT(superpose(runs[0][0].positions, truth, ownNames(truth.size())), kRecovered);
}

}  // namespace glycine::structure
