// What is particular to cuda's folding: the dynamics on the device, and whole runs. Its energies:
// tests/backends/backends_test.cpp. Skips itself where there is no NVIDIA driver.

#include <cmath>

#include "engine/core/random.hpp"
#include "engine/structure/dynamics.hpp"
#include "engine/structure/energy_backend.hpp"
#include "engine/structure/ensemble.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/structure/fold_fixtures.hpp"

namespace glycine::structure {
namespace {

Molecule twoChains() {
    std::vector<ResidueName> names = residuesOf("MGPWASKDEFHILQRTV");
    const std::vector<ResidueName> second = residuesOf("ALKGC", "B");
    names.insert(names.end(), second.begin(), second.end());
    return Molecule(names);
}

struct Moving {
    explicit Moving(const TorsionTree& tree, std::uint64_t seed)
        : state(restState(tree)), velocity(noMotion(tree)), acceleration(noMotion(tree)) {
        RandomSequence random(seed);
        const auto draw = [&](double size) { return size * (random.uniform() - 0.5); };
        const auto vector = [&](double size) { return Vector{draw(size), draw(size), draw(size)}; };
        for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
            state.angle[b] = draw(6);
            if (tree.bodies[b].parent < 0) continue;
            velocity.torsion[b] = draw(2);
            acceleration.torsion[b] = draw(2);
        }
        for (std::size_t r = 0; r < tree.roots.size(); ++r) {
            velocity.turn[r] = vector(2);
            velocity.shift[r] = vector(2);
            acceleration.turn[r] = vector(2);
            acceleration.shift[r] = vector(2);
        }
    }
    TorsionState state;
    TorsionMotion velocity, acceleration;
    double timeStep = 0.02;
    double lastTotal = NAN;
};

void addScaled(TorsionMotion& to, double scale, const TorsionMotion& what) {
    for (std::size_t b = 0; b < to.torsion.size(); ++b) to.torsion[b] += scale * what.torsion[b];
    for (std::size_t r = 0; r < to.turn.size(); ++r) {
        to.turn[r] += scale * what.turn[r];
        to.shift[r] += scale * what.shift[r];
    }
}

/// A step by what torsion_tree.hpp has.
void stepOnHost(const FoldProblem& problem, const TorsionTree& tree, const DynamicsStep& step,
                Moving& model) {
    const Molecule& molecule = *problem.molecule;
    std::vector<Vector> r(molecule.atoms.size()), gradient(r.size());
    Energy energy;
    placeAtoms(tree, molecule, model.state, r);
    makeReferenceEnergy(problem, 1)->evaluate(r, ownNames(r.size()), step.weights, {&energy, 1}, gradient);
    for (Vector& one : gradient) one = dynamics::kEnergyUnit * one;
    TorsionMotion now = model.velocity;
    addScaled(now, 0.5 * model.timeStep, model.acceleration);
    const double kinetic =
        ArticulatedBodies(tree).accelerate(model.state, now, r, gradient, model.acceleration);
    model.lastTotal = kinetic + dynamics::kEnergyUnit * energy.total();
    const double found = 2 * kinetic / (dynamics::kBoltzmann * static_cast<double>(tree.freedom()));
    ASSERT_LT(found, 2 * step.temperature);
    const double coupling =
        std::sqrt(std::clamp(1 + (step.temperature - found) / (dynamics::kCoupling * found), 0.5, 1.5));
    addScaled(model.velocity, coupling - 1, TorsionMotion(model.velocity));
    addScaled(model.velocity, model.timeStep, model.acceleration);
    advance(tree, model.state, model.velocity, model.timeStep);
}

TEST(CudaFold, TakesAStepAsTheHostDoes) {
    REQUIRE_BACKEND(backend);
    const Molecule molecule = twoChains();
    RestraintSet set;
    for (AtomIndex a = 0; a + 40 < molecule.atoms.size(); a += 7)
        set.distances.push_back({{{a, a + 40}, {a + 1, a + 20}}, 2, 5, 1, "", 0});
    const FoldProblem problem(molecule, set);
    const TorsionTree tree(molecule);
    const DynamicsStep step{{1, 0.5, false}, 500000, 0.004};
    std::vector<Moving> expected, found;
    std::vector<DynamicsState> states;
    for (const std::uint64_t seed : {1U, 2U, 3U}) expected.emplace_back(tree, seed);
    found = expected;
    for (Moving& one : found)
        states.push_back({&one.state, &one.velocity, &one.acceleration, &one.timeStep, &one.lastTotal});
    const auto engine = startEnergy(*backend, problem, found.size());
    ASSERT_TRUE(engine->advance(tree, states, ownNames(molecule.atoms.size(), found.size()), {&step, 1}));
    const auto expectNear = [](const Vector& a, const Vector& b) {
        EXPECT_LT(length(a - b), 1e-9 * std::max(1.0, length(a)));
    };
    for (std::size_t m = 0; m < found.size(); ++m) {
        stepOnHost(problem, tree, step, expected[m]);
        EXPECT_NEAR(found[m].lastTotal, expected[m].lastTotal, 1e-9 * expected[m].lastTotal);
        EXPECT_EQ(found[m].timeStep, expected[m].timeStep);
        for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
            if (tree.bodies[b].parent < 0) continue;
            const double scale = std::max(1.0, std::abs(expected[m].acceleration.torsion[b]));
            EXPECT_NEAR(found[m].acceleration.torsion[b], expected[m].acceleration.torsion[b], 1e-9 * scale);
            EXPECT_NEAR(found[m].state.angle[b], expected[m].state.angle[b], 1e-9 * scale);
        }
        for (std::size_t r = 0; r < tree.roots.size(); ++r) {
            const auto root = static_cast<std::size_t>(tree.roots[r]);
            expectNear(expected[m].acceleration.shift[r], found[m].acceleration.shift[r]);
            expectNear(expected[m].velocity.turn[r], found[m].velocity.turn[r]);
            expectNear(expected[m].state.place[root], found[m].state.place[root]);
            expectNear(expected[m].state.rotation[root].x, found[m].state.rotation[root].x);
            expectNear(expected[m].state.rotation[root].z, found[m].state.rotation[root].z);
        }
    }
}

TEST(CudaFold, RecoversAStructureTwiceAlike) {
    REQUIRE_BACKEND(backend);
    expectRecovery([&](const FoldProblem& problem, const FoldOptions& options, int) {
        return fold(problem, *startEnergy(*backend, problem, options.models), options, 2, silentProgress());
    });
}

}  // namespace
}  // namespace glycine::structure
