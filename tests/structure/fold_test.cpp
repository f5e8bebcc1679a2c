#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/structure/ensemble.hpp"
#include "engine/structure/minimiser.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/structure/fold_fixtures.hpp"

namespace glycine::structure {
namespace {

constexpr const char* kAll = "MARNDCQEGHILKMFPSTWYV";

/// Returns a model at random torsion angles.
std::vector<Vector> randomModel(const Molecule& molecule, const TorsionTree& tree, TorsionState& state,
                                std::uint64_t seed) {
    RandomSequence random(seed);
    state = restState(tree);
    for (double& angle : state.angle) angle = 6.3 * random.uniform();
    std::vector<Vector> positions(molecule.atoms.size());
    placeAtoms(tree, molecule, state, positions);
    return positions;
}

/// Returns distances, one of them ambiguous, and windows that random models violate.
RestraintSet someRestraints(const Molecule& molecule) {
    RestraintSet set;
    const auto n = static_cast<AtomIndex>(molecule.atoms.size());
    for (AtomIndex a = 0; a + 40 < n; a += 17) set.distances.push_back({{{a, a + 40}}, 2, 5, 1, "", 0});
    set.distances.push_back({{{1, n - 3}, {5, n - 9}, {9, n / 2}}, 0, 3, 2, "", 0});
    set.distances.push_back({{{2, n - 1}}, 300, HUGE_VAL, 1, "", 0});
    for (const Torsion& torsion : molecule.torsions)
        if (torsion.kind == TorsionKind::Psi) set.dihedrals.push_back({torsion.atoms, 170, 190, 1, "", 0});
    return set;
}

TEST(Molecule, HasStandardGeometryOfLeftHandedAminoAcids) {
    const Molecule molecule(residuesOf(kAll));
    for (std::size_t r = 0; r < molecule.residues.size(); ++r) {
        const auto at = [&](const char* name) { return molecule.ideal[*molecule.find(r, name)]; };
        if (!molecule.find(r, "CB")) continue;
        // Seen from HA, CO, R and N run clockwise.
        EXPECT_GT(dot(cross(at("N") - at("CA"), at("C") - at("CA")), at("CB") - at("CA")), 0) << r;
    }
    for (const std::vector<AtomIndex>& plane : molecule.planes)
        for (const AtomIndex a : plane) {
            const auto p = [&](std::size_t k) { return molecule.ideal[plane[k]]; };
            const Vector normal = unit(cross(p(1) - p(0), p(2) - p(0)));
            EXPECT_LT(std::abs(dot(normal, molecule.ideal[a] - p(0))), 0.05) << molecule.label(a);
        }
    // All rings close but those of proline.
    for (const auto& bond : molecule.bonds)
        if (std::find(molecule.ringClosures.begin(), molecule.ringClosures.end(), bond) ==
            molecule.ringClosures.end()) {
            const double d = length(molecule.ideal[bond[0]] - molecule.ideal[bond[1]]);
            EXPECT_TRUE(d > 0.9 && d < 1.85)
                << molecule.label(bond[0]) << ' ' << molecule.label(bond[1]) << ' ' << d;
        }
    EXPECT_THROW(Molecule({{"ALX", 1, "A", false}}), InputError);
    EXPECT_THROW(residuesOf("AXA"), InputError);
}

TEST(Energy, GradientsAreThoseOfFiniteDifferences) {
    const Molecule molecule(residuesOf("MGPWASK"));
    const FoldProblem problem(molecule, someRestraints(molecule));
    const TorsionTree tree(molecule);
    TorsionState state;
    std::vector<Vector> r = randomModel(molecule, tree, state, 3);
    const auto names = ownNames(r.size());
    const auto run = makeReferenceEnergy(problem, 1);
    std::vector<Vector> gradient(r.size()), unused(r.size());
    std::vector<Energy> energy(1);
    const EnergyWeights weights{1.5, 0.7, false, 3};
    const auto energyNow = [&] {
        run->evaluate(r, names, weights, energy, unused);
        return energy[0].total();
    };
    run->evaluate(r, names, weights, energy, gradient);
    for (const double term :
         {energy[0].restraints, energy[0].dihedrals, energy[0].vanDerWaals, energy[0].rings})
        EXPECT_GT(term, 0);
    constexpr double kStep = 1e-5;
    for (AtomIndex a = 0; a < r.size(); ++a)
        for (const auto member : {&Vector::x, &Vector::y, &Vector::z}) {
            const double before = r[a].*member;
            r[a].*member = before + kStep;
            const double above = energyNow();
            r[a].*member = before - kStep;
            const double below = energyNow();
            r[a].*member = before;
            const double slope = (above - below) / (2 * kStep);
            EXPECT_NEAR(gradient[a].*member, slope, 1e-4 * std::max(1.0, std::abs(slope)))
                << molecule.label(a);
        }
    // The same along torsions.
    TorsionMotion along = noMotion(tree);
    gradientAlongTorsions(tree, state, r, gradient, along);
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
        const double before = state.angle[b];
        if (tree.bodies[b].parent < 0) continue;
        double energies[2];
        for (const int side : {0, 1}) {
            state.angle[b] = before + (side == 0 ? kStep : -kStep);
            placeAtoms(tree, molecule, state, r);
            energies[side] = energyNow();
        }
        state.angle[b] = before;
        const double slope = (energies[0] - energies[1]) / (2 * kStep);
        EXPECT_NEAR(along.torsion[b], slope, 1e-3 * std::max(1.0, std::abs(slope))) << b;
    }
}

TEST(Energy, OfCpuIsThatOfTheReference) {
    const Molecule molecule(residuesOf(kAll));
    const FoldProblem problem(molecule, someRestraints(molecule));
    const TorsionTree tree(molecule);
    const auto cpu = makeCpuEnergy(problem, 2, 2);
    const auto reference = makeReferenceEnergy(problem, 2);
    const std::size_t n = molecule.atoms.size();
    const auto names = ownNames(n, 2);
    std::vector<Vector> r, ours(2 * n), theirs(2 * n);
    std::vector<Energy> a(2), b(2);
    // From the second round on, neighbour lists are reused.
    for (int round = 0; round < 4; ++round) {
        r.clear();
        for (std::uint64_t m : {1U, 2U}) {
            TorsionState state;
            randomModel(molecule, tree, state, m);
            for (double& angle : state.angle) angle += 0.005 * round;
            std::vector<Vector> positions(n);
            placeAtoms(tree, molecule, state, positions);
            r.insert(r.end(), positions.begin(), positions.end());
        }
        const EnergyWeights weights{1, 1, round == 3, 2};
        cpu->evaluate(r, names, weights, a, ours);
        reference->evaluate(r, names, weights, b, theirs);
        for (std::size_t m = 0; m < 2; ++m) {
            EXPECT_NEAR(a[m].total(), b[m].total(), 1e-9 * b[m].total());
            EXPECT_GT(b[m].vanDerWaals, 0);
        }
        for (std::size_t k = 0; k < 2 * n; ++k)
            EXPECT_LT(length(ours[k] - theirs[k]), 1e-8 * std::max(1.0, length(theirs[k])));
    }
}

TEST(Energy, HasTheSameBitsWithAllInstructionSets) {
    const Molecule molecule(residuesOf(kAll));
    const FoldProblem problem(molecule, someRestraints(molecule), 0.05);
    const TorsionTree tree(molecule);
    TorsionState state;
    const std::vector<Vector> r = randomModel(molecule, tree, state, 5);
    TorsionMotion velocity = noMotion(tree);
    for (std::size_t b = 1; b < tree.bodies.size(); ++b)
        velocity.torsion[b] = 0.1 * static_cast<double>(b % 7) - 0.3;
    struct Found {
        Energy energy;
        std::vector<Vector> gradient;
        double kinetic = 0;
        TorsionMotion acceleration;
    };
    const auto find = [&](InstructionSet set) {
        Found found{{}, std::vector<Vector>(r.size()), 0, noMotion(tree)};
        makeCpuEnergy(problem, 1, 1, set)
            ->evaluate(r, ownNames(r.size()), {2, 1, false, 3}, {&found.energy, 1}, found.gradient);
        found.kinetic =
            ArticulatedBodies(tree, set).accelerate(state, velocity, r, found.gradient, found.acceleration);
        return found;
    };
    const auto expectSame = [](const std::vector<Vector>& a, const std::vector<Vector>& b) {
        for (std::size_t k = 0; k < a.size(); ++k)
            EXPECT_TRUE(a[k].x == b[k].x && a[k].y == b[k].y && a[k].z == b[k].z) << k;
    };
    const Found plain = find(InstructionSet::Generic);
    for (const InstructionSet set : {InstructionSet::Avx2, InstructionSet::Avx512}) {
        const Found found = find(set);
        for (const auto& [term, name] : kEnergyTerms)
            EXPECT_EQ(found.energy.*term, plain.energy.*term) << name;
        expectSame(found.gradient, plain.gradient);
        EXPECT_EQ(found.kinetic, plain.kinetic);
        EXPECT_EQ(found.acceleration.torsion, plain.acceleration.torsion);
        expectSame(found.acceleration.turn, plain.acceleration.turn);
        expectSame(found.acceleration.shift, plain.acceleration.shift);
    }
}

/// Evaluates like cpu and then falsifies a number.
struct FaultyEnergy final : EnergyRun {
    FaultyEnergy(const FoldProblem& problem, std::function<void(Energy&, Vector&)> theFault)
        : right(makeCpuEnergy(problem, 1, 1)), fault(std::move(theFault)) {}
    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        right->evaluate(positions, names, weights, energies, gradients);
        fault(energies[0], gradients.back());
    }
    MinimiserProgress minimise(const TorsionTree&, std::span<TorsionState* const>, std::span<const AtomIndex>,
                               const MinimiserShare&) override {
        return MinimiserProgress::Unfinished;
    }
    Energy lastEvaluation(std::size_t, std::span<Vector> positions, std::span<Vector> gradient) override {
        Energy energy;
        std::copy(last.begin(), last.end(), positions.begin());
        evaluate(last, ownNames(last.size()), {}, {&energy, 1}, gradient);
        return energy;
    }
    std::unique_ptr<EnergyRun> right;
    std::function<void(Energy&, Vector&)> fault;
    std::vector<Vector> last;  ///< positions of the last evaluation of a minimisation
};

TEST(Energy, CoresRepelHeavyAtomsAlone) {
    const Molecule molecule(residuesOf("GG"));
    const FoldProblem problem(molecule, {});
    const AtomIndex carbon = *molecule.find(0, "CA");
    const AtomIndex oxygen = *molecule.find(1, "O");
    const AtomIndex hydrogen = *molecule.find(1, "HA2");
    const std::size_t n = molecule.atoms.size();
    for (const auto& run : {makeReferenceEnergy(problem, 1), makeCpuEnergy(problem, 1, 1)}) {
        // All other atoms are out of reach.
        const auto coreOf = [&](AtomIndex other, double distance) {
            std::vector<Vector> r(n), gradient(n);
            for (std::size_t a = 0; a < n; ++a) r[a] = {10.0 * static_cast<double>(a), 0, 0};
            r[other] = r[carbon] + Vector{0, distance, 0};
            Energy with, without;
            run->evaluate(r, ownNames(n), {1, 1, false, 6}, {&with, 1}, gradient);
            run->evaluate(r, ownNames(n), {1, 1, false, 0}, {&without, 1}, gradient);
            return with.vanDerWaals - without.vanDerWaals;
        };
        const double core = kCoreShare * problem.contact(carbon, oxygen);
        EXPECT_NEAR(coreOf(oxygen, 2.3), 6 * std::pow((core * core - 2.3 * 2.3) / (2 * core), 2), 1e-12);
        EXPECT_EQ(coreOf(oxygen, core + 0.01), 0);
        EXPECT_GE(core, 2.5);
        EXPECT_EQ(coreOf(hydrogen, 1), 0);
    }
}

TEST(Energy, OfADeviceIsEvaluatedAgain) {
    const Molecule molecule(residuesOf("GAW"));
    const FoldProblem problem(molecule, someRestraints(molecule));
    const TorsionTree tree(molecule);
    TorsionState state;
    const std::vector<Vector> r = randomModel(molecule, tree, state, 3);
    std::vector<Vector> gradient(r.size());
    Energy energy;
    const test::NamedBackend device("cuda");
    const VariantInfo info{"cuda", "gather", "", "", {"float64"}, {}, true};
    for (const bool minimises : {false, true}) {
        const auto evaluate = [&](std::function<void(Energy&, Vector&)> fault) {
            auto faulty = std::make_unique<FaultyEnergy>(problem, std::move(fault));
            faulty->last = r;
            const auto run = checkedEnergy(std::move(faulty), problem, 1, device, info);
            if (minimises)
                EXPECT_EQ(run->minimise(tree, {}, ownNames(r.size()), {}), MinimiserProgress::Unfinished);
            else
                run->evaluate(r, ownNames(r.size()), {}, {&energy, 1}, gradient);
        };
        EXPECT_NO_THROW(evaluate([](Energy&, Vector&) {}));
        EXPECT_THROW(evaluate([](Energy& e, Vector&) { e.torsions += 1e-6; }), WrongResultError);
        EXPECT_THROW(evaluate([](Energy&, Vector& last) { last.z += 1e-6; }), WrongResultError);
        EXPECT_THROW(evaluate([](Energy&, Vector& last) { last.x = NAN; }), WrongResultError);
    }
}

TEST(Energy, OfAnExplodedModelIsNoNumber) {
    const Molecule molecule(residuesOf("AGA"));
    const FoldProblem problem(molecule, {});
    const auto names = ownNames(molecule.atoms.size());
    std::vector<Vector> gradient(names.size());
    std::vector<Energy> energy(1);
    for (const double where : {double{NAN}, double{HUGE_VAL}}) {
        std::vector<Vector> r = molecule.ideal;
        r[*molecule.find(1, "CA")].y = where;
        makeCpuEnergy(problem, 1, 1)->evaluate(r, names, {}, energy, gradient);
        EXPECT_FALSE(std::isfinite(energy[0].total())) << where;
    }
}

TEST(ArticulatedBodies, KeepTheirEnergyWithoutForces) {
    const Molecule molecule(residuesOf("AGKAW"));
    const TorsionTree tree(molecule);
    TorsionState state;
    std::vector<Vector> r = randomModel(molecule, tree, state, 4);
    const std::vector<Vector> none(r.size());
    ArticulatedBodies bodies(tree);
    RandomSequence random(5);
    TorsionMotion velocity = noMotion(tree), acceleration = noMotion(tree);
    for (std::size_t b = 1; b < tree.bodies.size(); ++b) velocity.torsion[b] = random.uniform() - 0.5;
    const double before = bodies.kineticEnergy(state, velocity);
    constexpr double kStep = 1e-4;
    const auto add = [&](TorsionMotion& to, const TorsionMotion& what, double scale) {
        for (std::size_t b = 0; b < to.torsion.size(); ++b) to.torsion[b] += scale * what.torsion[b];
        to.turn[0] += scale * what.turn[0];
        to.shift[0] += scale * what.shift[0];
    };
    for (int step = 0; step < 2000; ++step) {
        bodies.accelerate(state, velocity, r, none, acceleration);
        TorsionMotion middle = velocity;
        add(middle, acceleration, 0.5 * kStep);
        add(velocity, acceleration, kStep);
        advance(tree, state, middle, kStep);
        placeAtoms(tree, molecule, state, r);
    }
    EXPECT_NEAR(bodies.kineticEnergy(state, velocity), before, 1e-3 * before);
}

/// A Team of three threads, one after another.
struct ThreeThreads {
    template <class Body>
    void each(std::size_t count, const Body& body) const {
        for (std::size_t thread = 3; thread-- > 0;)
            for (std::size_t k = thread; k < count; k += 3) body(k);
    }
    template <class Value>
    double sum(std::size_t count, const Value& value) const {
        double total = 0;
        each(count, [&](std::size_t k) { total += value(k); });
        return total;
    }
    template <class Value>
    double largest(std::size_t count, const Value& value) const {
        double most = 0;
        each(count, [&](std::size_t k) { most = std::max(most, value(k)); });
        return most;
    }
};

constexpr std::size_t kVariables = 8;
using Point = std::array<double, kVariables>;
double product(const Point& a, const Point& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Rosenbrock's function.
double valley(const Point& x, Point& gradient) {
    double value = 0;
    gradient = {};
    for (std::size_t k = 0; k + 1 < kVariables; ++k) {
        const double across = x[k + 1] - x[k] * x[k];
        value += 100 * across * across + (1 - x[k]) * (1 - x[k]);
        gradient[k] += -400 * x[k] * across - 2 * (1 - x[k]);
        gradient[k + 1] += 200 * across;
    }
    return value;
}

struct MovedAndChanged {
    Point moved, changed;
};
/// The inverse Hessian that BFGS updates by the last ten pairs, as a matrix.
std::array<Point, kVariables> inverseHessian(const std::vector<MovedAndChanged>& pairs) {
    std::array<Point, kVariables> inverse{};
    for (std::size_t i = 0; i < kVariables; ++i)
        inverse[i][i] = pairs.empty() ? 1
                                      : product(pairs.back().moved, pairs.back().changed) /
                                            product(pairs.back().changed, pairs.back().changed);
    for (std::size_t k = pairs.size() > 10 ? pairs.size() - 10 : 0; k < pairs.size(); ++k) {
        const auto& [s, y] = pairs[k];
        const double rho = 1 / product(s, y);
        Point hy{};
        for (std::size_t i = 0; i < kVariables; ++i) hy[i] = product(inverse[i], y);
        const double scale = rho * (1 + rho * product(y, hy));
        for (std::size_t i = 0; i < kVariables; ++i)
            for (std::size_t j = 0; j < kVariables; ++j)
                inverse[i][j] += scale * s[i] * s[j] - rho * (hy[i] * s[j] + s[i] * hy[j]);
    }
    return inverse;
}

/// Expects each direction to be that of the matrix, and the minimum to be found.
template <class Team>
void expectDescent(const Team& team) {
    Point x{-1.2, 1, -0.5, 0.7, 0.1, -0.3, 0.4, 1}, gradient, tried;
    std::vector<double> vectors(kMinimiserVectors * kVariables);
    MinimiserState scalars;
    Minimiser<Team> minimiser(team, kVariables, vectors.data(), scalars);
    std::vector<MovedAndChanged> pairs;
    double energy = valley(x, gradient);
    minimiser.begin(energy, gradient.data());
    for (int step = 0; step < 300 && product(gradient, gradient) > 1e-10; ++step) {
        const std::array<Point, kVariables> inverse = inverseHessian(pairs);
        MovedAndChanged pair;
        Point there = x;
        const double size = std::sqrt(product(gradient, gradient));
        for (std::size_t i = 0; i < kVariables; ++i) {
            const double direction = minimiser.direction()[i];
            ASSERT_NEAR(direction, -product(inverse[i], gradient), 1e-5 * size) << "step " << step;
            pair.moved[i] = minimiser.step() * direction;
            there[i] += pair.moved[i];
        }
        const double triedEnergy = valley(there, tried);
        const bool isLower = triedEnergy <= energy + 1e-4 * product(pair.moved, gradient);
        ASSERT_EQ(minimiser.take(triedEnergy, tried.data()), isLower) << "step " << step;
        if (!isLower) continue;
        for (std::size_t i = 0; i < kVariables; ++i) pair.changed[i] = tried[i] - gradient[i];
        if (product(pair.moved, pair.changed) > 1e-12) pairs.push_back(pair);
        x = there;
        gradient = tried;
        energy = triedEnergy;
    }
    EXPECT_GT(pairs.size(), 20U);
    EXPECT_LT(energy, 1e-8);
    EXPECT_FALSE(minimiser.isDone());
}

TEST(Minimiser, GoesAsBfgsWithTheLastPairs) {
    expectDescent(SerialTeam{});
    expectDescent(ThreeThreads{});
}

TEST(Minimiser, IsDoneWhereNoStepLowersTheEnergy) {
    double gradient = 1;
    std::vector<double> vectors(kMinimiserVectors);
    MinimiserState scalars;
    Minimiser<SerialTeam> minimiser(SerialTeam{}, 1, vectors.data(), scalars);
    minimiser.begin(0, &gradient);
    EXPECT_EQ(minimiser.step() * minimiser.direction()[0], -0.02);
    int tried = 0;
    for (; tried < 100 && !minimiser.isDone(); ++tried) EXPECT_FALSE(minimiser.take(NAN, &gradient));
    // From 0.02 down to 1e-7 by factors of 0.4.
    EXPECT_EQ(tried, 14);
}

TEST(Fold, RecoversAStructureFromItsDistances) {
    expectRecovery([](const FoldProblem& problem, const FoldOptions& options, int run) {
        return fold(problem, *makeCpuEnergy(problem, options.models, run), options, run, silentProgress());
    });
}

TEST(Fold, FreesTrappedSideChains) {
    const Molecule molecule(residuesOf("LVI"));
    const TorsionTree tree(molecule);
    TorsionState state = restState(tree);
    for (std::size_t t = 0; t < molecule.torsions.size(); ++t)
        state.angle[static_cast<std::size_t>(tree.bodyOfTorsion[t])] =
            (molecule.torsions[t].kind == TorsionKind::Chi ? 60 : 57.3) * kDegree;
    std::vector<Vector> truth(molecule.atoms.size());
    placeAtoms(tree, molecule, state, truth);
    RestraintSet set;
    for (const Torsion& torsion : molecule.torsions) {
        if (torsion.kind == TorsionKind::Chi) continue;
        const auto at = [&](std::size_t k) { return truth[torsion.atoms[k]]; };
        const double angle = dihedralAngle(at(0), at(1), at(2), at(3)) / kDegree;
        set.dihedrals.push_back({torsion.atoms, angle - 5, angle + 5, 1, "", 0});
    }
    const std::vector<Atom>& atoms = molecule.atoms;
    for (AtomIndex a = 0; a < atoms.size(); ++a)
        for (AtomIndex b = a + 1; b < atoms.size(); ++b)
            if (atoms[a].residue != atoms[b].residue && atoms[a].isHydrogen() && atoms[b].isHydrogen()) {
                const double d = length(truth[a] - truth[b]);
                set.distances.push_back({{{a, b}}, d - 0.1, d + 0.1, 1, "", 0});
            }
    const FoldProblem problem(molecule, set);
    FoldOptions options;
    options.models = 10;
    // Without dynamics and trials, half of the models end in wrong rotamers.
    options.hotSteps = options.coolingSteps = 0;
    const auto run = makeCpuEnergy(problem, options.models, 1);
    const std::vector<FoldedModel> models = fold(problem, *run, options, 1, silentProgress());
    EXPECT_GE(std::count_if(models.begin(), models.end(),
                            [&](const FoldedModel& model) { return judge(problem, model).hasConverged(); }),
              9);
}

/// A run whose last `blind` models have no gradient, so that they never converge.
class PartlyBlindRun final : public EnergyRun {
  public:
    PartlyBlindRun(const FoldProblem& problem, std::size_t models, std::size_t blind)
        : run_(makeCpuEnergy(problem, models, 1)), seeing_(models - blind) {}
    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        run_->evaluate(positions, names, weights, energies, gradients);
        const std::size_t atoms = gradients.size() / energies.size();
        for (Energy& one : energies.subspan(seeing_)) one = {1e6, 0, 0, 0, 0};
        for (Vector& one : gradients.subspan(seeing_ * atoms)) one = {};
    }

  private:
    std::unique_ptr<EnergyRun> run_;
    std::size_t seeing_;
};

TEST(Fold, StartsAgainWhatHasNotConverged) {
    const Molecule molecule(residuesOf("ALKG"));
    const TorsionTree tree(molecule);
    TorsionState state = restState(tree);
    std::vector<Vector> truth(molecule.atoms.size());
    placeAtoms(tree, molecule, state, truth);
    RestraintSet set;
    for (AtomIndex a = 0; a < truth.size(); ++a)
        for (AtomIndex b = a + 1; b < truth.size(); ++b) {
            const double d = length(truth[a] - truth[b]);
            set.distances.push_back({{{a, b}}, d - 0.5, d + 0.5, 1, "", 0});
        }
    const FoldProblem problem(molecule, set);
    std::vector<std::size_t> started;
    const auto run = [&](std::size_t models, std::size_t restarts, const std::vector<std::size_t>& blind) {
        FoldOptions options;
        options.models = models;
        options.hotSteps = 50;
        options.coolingSteps = 200;
        options.restarts = restarts;
        started.clear();
        const auto start = [&](std::size_t some) {
            started.push_back(some);
            return std::make_unique<PartlyBlindRun>(problem, some, blind.at(started.size() - 1));
        };
        return foldUntilConverged(problem, start, options, 1, silentProgress());
    };
    const auto targets = [&](const FoldedEnsemble& ensemble) {
        std::vector<double> converged;
        for (const FoldedModel& one : ensemble.models)
            if (judge(problem, one).hasConverged()) converged.push_back(one.energy.target());
        return converged;
    };
    const FoldedEnsemble never = run(8, 0, {3});
    EXPECT_THAT(started, ElementsAre(8));
    EXPECT_EQ(targets(never).size(), 5U);
    EXPECT_EQ(never.startedAgain, 0U);

    const FoldedEnsemble once = run(8, 1, {3, 1});
    EXPECT_THAT(started, ElementsAre(8, 3));
    EXPECT_EQ(once.startedAgain, 3U);
    EXPECT_EQ(once.models.size(), 8U);
    EXPECT_EQ(targets(once).size(), 7U);

    const FoldedEnsemble often = run(8, 5, {3, 1, 0});
    EXPECT_THAT(started, ElementsAre(8, 3, 1));
    EXPECT_EQ(often.startedAgain, 4U);
    const std::vector<double> found = targets(often);
    EXPECT_EQ(found.size(), 8U);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    // Models that have converged stay, and new ones differ from all others.
    EXPECT_THAT(found, ::testing::IsSupersetOf(targets(never)));
    EXPECT_EQ(std::set<double>(found.begin(), found.end()).size(), 8U);

    // One of fifty may fail.
    EXPECT_EQ(targets(run(50, 5, {1})).size(), 49U);
    EXPECT_THAT(started, ElementsAre(50));
}

TEST(Fold, LongChainsHaveMoreSteps) {
    EXPECT_EQ(defaultSteps(Molecule(residuesOf(std::string(100, 'A')))), 8000U);
    EXPECT_EQ(defaultSteps(Molecule(residuesOf(std::string(110, 'A')))), 9700U);
    std::vector<ResidueName> dimer = residuesOf(std::string(160, 'A'));
    for (std::size_t r = 80; r < 160; ++r) dimer[r].chain = "B";
    EXPECT_EQ(defaultSteps(Molecule(dimer)), 8000U);
}

TEST(Ensemble, IsLikeAReferenceButForItsWorstPart) {
    RandomSequence random(7);
    std::vector<Vector> truth(40);
    for (std::size_t k = 1; k < truth.size(); ++k)
        truth[k] =
            truth[k - 1] + Vector{3 * random.uniform(), 5 * random.uniform() - 2.5, 3 * random.uniform()};
    std::vector<Vector> turned;
    const Rotation rotation = Rotation::about({0, 0.6, 0.8}, 2);
    for (const Vector& v : truth) turned.push_back(rotation * v + Vector{7, 8, 9});
    const auto which = ownNames(truth.size());
    const Similarity same = compareShapes(turned, truth, which);
    EXPECT_NEAR(same.tmScore, 1, 1e-9);
    EXPECT_EQ(same.gdt, 1);
    for (std::size_t k = 30; k < 40; ++k) turned[k] += Vector{100, 0, 0};
    const Similarity most = compareShapes(turned, truth, which);
    EXPECT_NEAR(most.tmScore, 0.75, 0.01);
    EXPECT_EQ(most.gdt, 0.75);
}

TEST(Ensemble, ResiduesThatMoveAreNotSteady) {
    const Molecule molecule(residuesOf("AGAAGAAGA"));
    RandomSequence random(8);
    std::vector<std::vector<Vector>> models(4, molecule.ideal);
    for (std::vector<Vector>& model : models) {
        for (Vector& v : model) v += Vector{0.5 * random.uniform(), 0.5 * random.uniform(), 0};
        for (AtomIndex a = 0; a < model.size(); ++a)
            if (molecule.atoms[a].residue > 6)
                model[a] += Vector{0, 9 * random.uniform(), 9 * random.uniform()};
    }
    std::vector<std::size_t> all(9);
    std::iota(all.begin(), all.end(), 0);
    const std::vector<AtomIndex> known = backboneAtoms(molecule, all);
    all.resize(7);
    EXPECT_EQ(steadyResidues(molecule, models, known, 1.5), all);
}

TEST(Ensemble, ATailBehindAHingeIsNotOrdered) {
    const Molecule molecule(residuesOf("AGAAGAAGAAGAAGA"));
    RandomSequence random(9);
    std::vector<FoldedModel> models(6, {molecule.ideal, ownNames(molecule.atoms.size()), {}});
    constexpr std::size_t kHinge = 9;
    const auto turnAt = [&](double angle, FoldedModel& model) {
        const Vector place = model.positions[*molecule.find(kHinge, "CA")];
        // The chain is extended: turned about itself, it would stay in place.
        Vector axis = cross(model.positions[*molecule.find(kHinge, "C")] - place, Vector{1, 2, 3});
        axis = (1 / std::sqrt(dot(axis, axis))) * axis;
        const Rotation rotation = Rotation::about(axis, angle);
        for (AtomIndex a = 0; a < model.positions.size(); ++a)
            if (molecule.atoms[a].residue > kHinge)
                model.positions[a] = place + rotation * (model.positions[a] - place);
    };
    std::vector<std::size_t> inner(13);
    std::iota(inner.begin(), inner.end(), 1);
    EXPECT_EQ(orderedResidues(molecule, models), inner);
    // Only the hinge differs.
    for (std::size_t m = 0; m < models.size(); ++m) turnAt(static_cast<double>(m), models[m]);
    inner.resize(kHinge - 1);
    EXPECT_EQ(orderedResidues(molecule, models), inner);
    // Models that differ everywhere keep what phi and psi say.
    for (FoldedModel& model : models) {
        model.positions = molecule.ideal;
        for (Vector& v : model.positions) v += Vector{0, 0, 0.01 * random.uniform()};
    }
    EXPECT_EQ(orderedResidues(molecule, models).size(), 13U);
}

TEST(Molecule, HasContactRadiiOfTheTable) {
    const Molecule molecule(residuesOf(kAll));
    const std::map<std::string, double> expected{{"HA", 1.00}, {"H", 0.95},   {"HZ1", 0.95}, {"CA", 1.40},
                                                 {"C", 1.35},  {"CD1", 1.35}, {"N", 1.30},   {"O", 1.20},
                                                 {"SG", 1.60}, {"HG1", 0.95}};
    const std::string rings = "PHE TYR TRP";
    for (const Atom& atom : molecule.atoms) {
        const auto found = expected.find(atom.name);
        const bool isRing =
            atom.name != "CD1" || rings.find(molecule.residues[atom.residue].name) != std::string::npos;
        if (found != expected.end() && isRing) {
            EXPECT_EQ(atom.radius, found->second) << molecule.residues[atom.residue].name << ' ' << atom.name;
        }
    }
}

TEST(Ensemble, CountsCloseAtomsThatMayBondApart) {
    const Molecule molecule(residuesOf("AGAAGA"));
    const FoldProblem problem(molecule, {});
    FoldedModel model{molecule.ideal, ownNames(molecule.atoms.size()), {}};
    EXPECT_EQ(judge(problem, model).closePairs, 0U);
    // N is a donor, O and CA are none; O accepts.
    const auto put = [&](const char* name, std::size_t residue, const Vector& place) {
        model.positions[*molecule.find(residue, name)] = place;
    };
    put("O", 0, {0, 300, 0});
    put("N", 4, {2.4, 300, 0});
    EXPECT_EQ(judge(problem, model).closePairs, 0U);
    EXPECT_EQ(judge(problem, model).closePolarPairs, 1U);
    put("CA", 5, {0, 302.4, 0});
    EXPECT_EQ(judge(problem, model).closePairs, 1U);
    EXPECT_EQ(judge(problem, model).closePolarPairs, 1U);
    put("N", 4, {2.6, 300, 0});
    EXPECT_EQ(judge(problem, model).closePolarPairs, 0U);
}

TEST(Ensemble, ListsAnglesOutsideTheirWindows) {
    const Molecule molecule(residuesOf("AGA"));
    RestraintSet set;
    for (const Torsion& torsion : molecule.torsions)
        if (torsion.kind == TorsionKind::Psi) set.dihedrals.push_back({torsion.atoms, 150, 170, 1, "", 0});
    ASSERT_EQ(set.dihedrals.size(), 2U);
    set.dihedrals[1].upper = 178;
    // All psi are 180°.
    const FoldProblem problem(molecule, set);
    const FoldedModel model{molecule.ideal, ownNames(molecule.atoms.size()), {}};
    const std::vector<AngleViolation> found = angleViolations(problem, model, 1);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].restraint, 0U);
    EXPECT_NEAR(found[0].violation, 10, 1e-6);
    EXPECT_NEAR(found[1].violation, 2, 1e-6);
    EXPECT_EQ(angleViolations(problem, model, 5).size(), 1U);
}

TEST(Molecule, DisulfidesAreBondsThatRestraintsClose) {
    const Molecule molecule(residuesOf("ACAAGAACA"), {{1, 7}});
    EXPECT_FALSE(molecule.find(1, "HG"));
    const FoldProblem problem(molecule, {});
    const AtomIndex first = *molecule.find(1, "SG");
    const AtomIndex second = *molecule.find(7, "SG");
    const std::vector<AtomIndex>& near = problem.excluded[first];
    EXPECT_TRUE(std::binary_search(near.begin(), near.end(), second));
    ASSERT_EQ(problem.restraints.distances.size(), 3U);
    FoldOptions options;
    options.models = 2;
    options.hotSteps = 100;
    options.coolingSteps = 400;
    const auto models = fold(problem, *makeCpuEnergy(problem, 2, 1), options, 1, silentProgress());
    EXPECT_NEAR(length(models[0].positions[first] - models[0].positions[second]), 2.03, 0.08);
    EXPECT_THROW(Molecule(residuesOf("ACA"), {{0, 1}}), InputError);
    EXPECT_THROW(Molecule(residuesOf("CCC"), {{0, 1}, {1, 2}}), InputError);
}

TEST(FoldProblem, CoresReachToTheDistanceOfClosePairs) {
    const Molecule molecule(residuesOf("ACDEFGHIKLMNPQRSTVWY"));
    const FoldProblem problem(molecule, {});
    const std::vector<Atom>& atoms = molecule.atoms;
    for (AtomIndex a = 0; a < atoms.size(); ++a)
        for (AtomIndex b = 0; b < a; ++b) {
            if (atoms[a].isHydrogen() || atoms[b].isHydrogen()) continue;
            EXPECT_GE(problem.contact(a, b), kLeastCore);
            EXPECT_GT(kCoreShare * problem.contact(a, b), 2.5) << atoms[a].name << ' ' << atoms[b].name;
        }
}

TEST(FoldProblem, PullsCountNowhereAsRestraints) {
    const Molecule molecule(residuesOf("AGA"));
    RestraintSet set;
    // An NOE, a known distance, a hydrogen bond, and a distance beyond the reach of NOEs.
    for (const auto& [lower, upper] : {std::pair{1.8, 5.0}, {4.9, 5.0}, {1.8, 2.3}, {0.0, 20.0}})
        set.distances.push_back({{{0, 20}}, lower, upper, 1, "", 0});
    const FoldProblem problem(molecule, set, 0.25);
    EXPECT_EQ(problem.stated, 4U);
    ASSERT_EQ(problem.restraints.distances.size(), 5U);
    const DistanceRestraint& pull = problem.restraints.distances[4];
    EXPECT_EQ(pull.upper, 4);
    EXPECT_EQ(pull.lower, 0);
    EXPECT_EQ(pull.weight, 0.25);
    set.distances[0].weight = 2;
    EXPECT_EQ(FoldProblem(molecule, set, 0.25).restraints.distances[4].weight, 0.5);
    std::vector<AtomIndex> names(molecule.atoms.size());
    std::iota(names.begin(), names.end(), 0);
    FoldedModel model{molecule.ideal, names, {}};
    model.positions[20] = model.positions[0] + Vector{5, 0, 0};
    // Only the pull and the hydrogen bond are violated, by 0.5 and 2.7 Å.
    EXPECT_EQ(violations(problem, model, 0).size(), 1U);
    EXPECT_NEAR(judge(problem, model).rmsViolation, 2.7 / 2, 1e-9);
}

TEST(OutsideWindow, RunsThroughTheBackOfTheCircle) {
    for (const auto& [angle, lower, upper, expected] : {std::array{175.0, 170.0, 190.0, 0.0},
                                                        {-175.0, 170.0, -170.0, 0.0},
                                                        {-160.0, 170.0, 190.0, 10.0},
                                                        {160.0, 170.0, -170.0, -10.0},
                                                        {0.0, 10.0, 20.0, -10.0},
                                                        {10.0, 0.0, 360.0, 0.0}})
        EXPECT_NEAR(outsideWindow(angle, lower, upper), expected, 1e-9);
}

}  // namespace
}  // namespace glycine::structure
