// Folding on cuda: dynamics and minimisation on the device, and whole runs. Tests of its energies:
// tests/backends/backends_test.cpp. Skips itself without an NVIDIA driver.

#include <cmath>

#include "engine/core/random.hpp"
#include "engine/structure/dynamics.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/structure/ensemble.hpp"
#include "engine/structure/minimiser.hpp"
#include "kernels_cuda/structure/sweep_steps.hpp"
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

/// Takes a step with the code of torsion_tree.hpp.
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

/// Returns a problem with ambiguous distances along the chains.
FoldProblem ambiguousProblem(const Molecule& molecule) {
    RestraintSet set;
    for (AtomIndex a = 0; a + 40 < molecule.atoms.size(); a += 7)
        set.distances.push_back({{{a, a + 40}, {a + 1, a + 20}}, 2, 5, 1, "", 0});
    return FoldProblem(molecule, set);
}

void expectNear(const Vector& a, const Vector& b, double tolerance) {
    EXPECT_LT(length(a - b), tolerance * std::max(1.0, length(a)));
}

TEST(SweepSteps, VisitEachBodyAfterItsParent) {
    const TorsionTree tree(twoChains());
    std::vector<std::int32_t> parent;
    std::size_t longest = 0;
    std::vector<std::size_t> level;
    for (const TorsionTree::Body& body : tree.bodies) {
        parent.push_back(body.parent);
        level.push_back(body.parent < 0 ? 1 : level[static_cast<std::size_t>(body.parent)] + 1);
        longest = std::max(longest, level.back());
    }
    constexpr std::size_t kWidth = glycine::cuda::kBodiesOfStep;
    const std::vector<std::uint32_t> steps = glycine::cuda::sweepSteps(parent);
    std::vector<std::size_t> stepOf(parent.size(), steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (steps[k] == glycine::cuda::kNoBody) continue;
        ASSERT_LT(steps[k], parent.size());
        EXPECT_EQ(stepOf[steps[k]], steps.size()) << "body " << steps[k] << " twice";
        stepOf[steps[k]] = k / kWidth;
    }
    for (std::size_t b = 0; b < parent.size(); ++b) {
        EXPECT_LT(stepOf[b], steps.size()) << "body " << b << " left out";
        if (parent[b] >= 0) {
            EXPECT_LT(stepOf[static_cast<std::size_t>(parent[b])], stepOf[b]);
        }
    }
    // The longest path or full steps set the count; ends may add a few.
    EXPECT_LE(steps.size() / kWidth, std::max(longest, (parent.size() + kWidth - 1) / kWidth) + 4);
}

TEST(CudaFold, TakesAStepAsTheHostDoes) {
    REQUIRE_BACKEND(backend);
    const Molecule molecule = twoChains();
    const FoldProblem problem = ambiguousProblem(molecule);
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
            expectNear(expected[m].acceleration.shift[r], found[m].acceleration.shift[r], 1e-9);
            expectNear(expected[m].velocity.turn[r], found[m].velocity.turn[r], 1e-9);
            expectNear(expected[m].state.place[root], found[m].state.place[root], 1e-9);
            expectNear(expected[m].state.rotation[root].x, found[m].state.rotation[root].x, 1e-9);
            expectNear(expected[m].state.rotation[root].z, found[m].state.rotation[root].z, 1e-9);
        }
    }
}

/// Returns the accepted state after the share's evaluations, by one thread.
TorsionState minimiseOnHost(const FoldProblem& problem, const TorsionTree& tree, const MinimiserShare& share,
                            TorsionState state) {
    const Molecule& molecule = *problem.molecule;
    const std::size_t count = tree.variables();
    std::vector<Vector> r(molecule.atoms.size()), gradient(r.size());
    std::vector<double> vectors(kMinimiserVectors * count), along(count);
    MinimiserState scalars;
    Minimiser<SerialTeam> minimiser(SerialTeam{}, count, vectors.data(), scalars);
    const auto engine = makeReferenceEnergy(problem, 1);
    const auto evaluate = [&](TorsionState& at) {
        Energy energy;
        placeAtoms(tree, molecule, at, r);
        engine->evaluate(r, ownNames(r.size()), share.weights, {&energy, 1}, gradient);
        TorsionMotion motion = noMotion(tree);
        gradientAlongTorsions(tree, at, r, gradient, motion);
        std::copy(motion.torsion.begin(), motion.torsion.end(), along.begin());
        for (std::size_t root = 0; root < tree.roots.size(); ++root) {
            const Vector& turn = motion.turn[root];
            const Vector& shift = motion.shift[root];
            const std::array<double, 6> all{turn.x, turn.y, turn.z, shift.x, shift.y, shift.z};
            std::copy(all.begin(), all.end(),
                      along.begin() + static_cast<std::ptrdiff_t>(tree.bodies.size() + 6 * root));
        }
        return energy.total();
    };
    minimiser.begin(evaluate(state), along.data());
    for (std::size_t k = 0; k < share.evaluations; ++k) {
        TorsionState tried = state;
        TorsionMotion motion = noMotion(tree);
        const double* next = minimiser.direction();
        for (double& torsion : motion.torsion) torsion = *next++;
        for (std::size_t root = 0; root < tree.roots.size(); ++root, next += 6) {
            motion.turn[root] = {next[0], next[1], next[2]};
            motion.shift[root] = {next[3], next[4], next[5]};
        }
        advance(tree, tried, motion, minimiser.step());
        if (minimiser.take(evaluate(tried), along.data())) state = tried;
    }
    return state;
}

TEST(CudaFold, MinimisesAsTheHostDoes) {
    REQUIRE_BACKEND(backend);
    const Molecule molecule = twoChains();
    const FoldProblem problem = ambiguousProblem(molecule);
    const TorsionTree tree(molecule);
    const auto names = ownNames(molecule.atoms.size(), 3);
    MinimiserShare whole{{1, 0.5, false, 20}, 30, true};
    const auto minimise = [&](std::vector<std::size_t> shares) {
        std::vector<TorsionState> states;
        std::vector<TorsionState*> pointers;
        for (const std::uint64_t seed : {1U, 2U, 3U}) states.push_back(Moving(tree, seed).state);
        for (TorsionState& state : states) pointers.push_back(&state);
        const auto engine = startEnergy(*backend, problem, 3);
        MinimiserShare share = whole;
        for (const std::size_t evaluations : shares) {
            share.evaluations = evaluations;
            EXPECT_EQ(engine->minimise(tree, pointers, names, share), MinimiserProgress::Unfinished);
            share.isFirst = false;
        }
        return states;
    };
    const std::vector<TorsionState> found = minimise({whole.evaluations});
    const std::vector<TorsionState> inShares = minimise({7, whole.evaluations - 7});
    for (std::size_t m = 0; m < found.size(); ++m) {
        EXPECT_EQ(found[m].angle, inShares[m].angle);
        const TorsionState start = Moving(tree, m + 1).state;
        const TorsionState expected = minimiseOnHost(problem, tree, whole, start);
        double moved = 0;
        for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
            if (tree.bodies[b].parent < 0) continue;
            EXPECT_NEAR(found[m].angle[b], expected.angle[b], 1e-6);
            moved = std::max(moved, std::abs(found[m].angle[b] - start.angle[b]));
        }
        EXPECT_GT(moved, 0.05);
        for (const int r : tree.roots) {
            const auto root = static_cast<std::size_t>(r);
            expectNear(expected.place[root], found[m].place[root], 1e-6);
            expectNear(expected.rotation[root].x, found[m].rotation[root].x, 1e-6);
            expectNear(expected.rotation[root].z, found[m].rotation[root].z, 1e-6);
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
