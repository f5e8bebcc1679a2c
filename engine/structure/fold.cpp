#include "engine/structure/fold.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/structure/dynamics.hpp"
#include "engine/structure/ensemble.hpp"
#include "engine/structure/minimiser.hpp"

namespace glycine::structure {

namespace {

using namespace dynamics;

/// Evaluations after which names may be exchanged, and progress is reported.
constexpr std::size_t kSwapInterval = 50;
constexpr std::size_t kRotamerTrials = 24;       // per model
constexpr std::size_t kRotamerEvaluations = 15;  // per trial
constexpr double kRotamerGain = 0.05;            // Å² of the target function, at least

using Numbers = std::vector<double>;

Numbers flatten(const TorsionMotion& motion) {
    Numbers all = motion.torsion;
    for (std::size_t r = 0; r < motion.turn.size(); ++r)
        for (const Vector& v : {motion.turn[r], motion.shift[r]}) all.insert(all.end(), {v.x, v.y, v.z});
    return all;
}

TorsionMotion unflatten(const double* all, std::size_t bodies, std::size_t roots) {
    TorsionMotion motion;
    motion.torsion.assign(all, all + bodies);
    for (std::size_t r = 0; r < roots; ++r) {
        const auto at = [&](std::size_t k) { return all[bodies + 6 * r + k]; };
        motion.turn.push_back({at(0), at(1), at(2)});
        motion.shift.push_back({at(3), at(4), at(5)});
    }
    return motion;
}

struct Model {
    Model(const TorsionTree& tree, std::uint64_t seed)
        : state(restState(tree)),
          bodies(tree),
          velocity(noMotion(tree)),
          acceleration(noMotion(tree)),
          motion(noMotion(tree)),
          random(seed),
          vectors(kMinimiserVectors * tree.variables()) {}
    TorsionState state;
    ArticulatedBodies bodies;
    TorsionMotion velocity;  ///< half a step before the state
    TorsionMotion acceleration;
    TorsionMotion motion;
    RandomSequence random;
    Numbers vectors;
    MinimiserState minimiserState;
    TorsionState accepted;  ///< by the minimiser
    double timeStep = 0.02;
    double lastTotal = NAN;
};

void addScaled(TorsionMotion& a, double s, const TorsionMotion& b) {
    for (std::size_t k = 0; k < a.torsion.size(); ++k) a.torsion[k] += s * b.torsion[k];
    for (std::size_t r = 0; r < a.turn.size(); ++r) {
        a.turn[r] += s * b.turn[r];
        a.shift[r] += s * b.shift[r];
    }
}
void scaleBy(TorsionMotion& a, double s) {
    for (double& one : a.torsion) one *= s;
    for (std::size_t r = 0; r < a.turn.size(); ++r) {
        a.turn[r] = s * a.turn[r];
        a.shift[r] = s * a.shift[r];
    }
}

/// Moves the mean of the positions to the origin: dynamics let the whole molecule drift, by 1000 Å and more.
void centre(std::vector<Vector>& positions) {
    Vector mean;
    for (const Vector& one : positions) mean += one;
    mean = (1 / static_cast<double>(positions.size())) * mean;
    for (Vector& one : positions) one -= mean;
}

class Ensemble {
  public:
    Ensemble(const FoldProblem& problem, EnergyRun& run, const FoldOptions& options, int threads,
             Progress& progress)
        : problem_(problem),
          molecule_(*problem.molecule),
          tree_(molecule_),
          run_(run),
          options_(options),
          threads_(threads),
          progress_(progress),
          atoms_(molecule_.atoms.size()) {
        positions_.resize(options.models * atoms_);
        gradients_.resize(options.models * atoms_);
        energies_.resize(options.models);
        for (std::size_t m = 0; m < options.models; ++m) {
            models_.emplace_back(tree_, derivedSeed(options.seed, m));
            for (AtomIndex a = 0; a < atoms_; ++a) names_.push_back(a);
            randomise(models_[m]);
        }
    }

    std::vector<FoldedModel> run() {
        const std::size_t minimisations = 200 + 200 + 200 + kRotamerTrials * kRotamerEvaluations + 1000;
        progress_.begin("folding",
                        static_cast<double>(options_.hotSteps + options_.coolingSteps + minimisations));
        minimise(200, {1, 0.25, true});
        start();
        const std::size_t steps = options_.hotSteps + options_.coolingSteps;
        const auto stepAt = [&](std::size_t step) -> DynamicsStep {
            const double cooled = step < options_.hotSteps ? 0
                                                           : static_cast<double>(step - options_.hotSteps) /
                                                                 static_cast<double>(options_.coolingSteps);
            const double share = static_cast<double>(step) / static_cast<double>(steps);
            const double temperature = std::max(options_.temperature * std::pow(1 - cooled, 4), 1.0);
            // Chains pass through each other while they are hot; then contacts and restraints count ever
            // more.
            return {{1 + 9 * cooled, 0.1 + 2.9 * cooled, temperature > 3000},
                    temperature,
                    0.005 * std::pow(0.0001 / 0.005, share)};
        };
        for (std::size_t step = 0; step < steps;) {
            std::vector<DynamicsStep> together;
            for (std::size_t k = step; k < std::min(step + kSwapInterval, steps); ++k)
                together.push_back(stepAt(k));
            if (!advanceTogether(together)) {
                evaluate(
                    together.size(), [&](std::size_t k) { return together[k].weights; },
                    [](std::size_t, std::size_t) {},
                    [&](std::size_t m, std::size_t k) {
                        if (k + 1 == together.size()) swapNames(m);
                        moveOn(m, together[k].temperature, together[k].accuracy);
                    });
                progress_.advance(static_cast<double>(together.size()));
            }
            step += together.size();
        }
        forEachModel([&](std::size_t m) { swapNames(m); });
        minimise(200, {1, 0.5, false});
        forEachModel([&](std::size_t m) { swapNames(m); });
        minimise(200, {1, 1, false});
        tryRotamers({1, 1, false});
        // Restraints push through a soft repulsion; weights of both grow together.
        minimise(1000, {kTargetRestraints, kTargetVanDerWaals, false, 80});
        evaluate({1, 1, false});
        std::vector<std::size_t> order(models_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return energies_[a].target() < energies_[b].target();
        });
        std::vector<FoldedModel> result;
        for (const std::size_t m : order) {
            const std::span<const Vector> moved = positions(m);
            const std::span<const AtomIndex> own = names(m);
            result.push_back({{moved.begin(), moved.end()}, {own.begin(), own.end()}, energies_[m]});
            centre(result.back().positions);
        }
        return result;
    }

  private:
    std::span<Vector> positions(std::size_t m) { return std::span(positions_).subspan(m * atoms_, atoms_); }
    std::span<Vector> gradient(std::size_t m) { return std::span(gradients_).subspan(m * atoms_, atoms_); }
    std::span<AtomIndex> names(std::size_t m) { return std::span(names_).subspan(m * atoms_, atoms_); }

    template <class Body>
    void forEachModel(const Body& body) {
        parallelFor(threads_, models_.size(), [&](std::size_t m, std::size_t) { body(m); });
    }

    /// Randomises all torsions but those of proline's rings, and the places of further chains.
    void randomise(Model& model) {
        for (std::size_t b = 0; b < tree_.bodies.size(); ++b) {
            const int torsion = tree_.bodies[b].torsion;
            if (torsion < 0) continue;
            const Torsion& what = molecule_.torsions[static_cast<std::size_t>(torsion)];
            const bool isOfRing =
                molecule_.residues[what.residue].name == "PRO" && what.kind != TorsionKind::Psi;
            if (!isOfRing) model.state.angle[b] = 2 * std::numbers::pi * model.random.uniform();
            // Standard geometry has phi at 180°, which proline's ring excludes.
            if (isOfRing && what.kind == TorsionKind::Phi)
                model.state.angle[b] = (180 - 65) * std::numbers::pi / 180;
        }
        for (std::size_t r = 1; r < tree_.roots.size(); ++r) {
            const auto root = static_cast<std::size_t>(tree_.roots[r]);
            for (double* one :
                 {&model.state.place[root].x, &model.state.place[root].y, &model.state.place[root].z})
                *one = 60 * (model.random.uniform() - 0.5);
        }
    }

    /// Evaluates all models `count` times: before(m, k), evaluation k at weights(k), after(m, k).
    template <class Weights, class Before, class After>
    void evaluate(std::size_t count, const Weights& weights, const Before& before, const After& after) {
        const auto prepare = [&](std::size_t m, std::size_t k) {
            before(m, k);
            placeAtoms(tree_, molecule_, models_[m].state, positions(m));
        };
        // A thread that stays with a model finds its data in the cache.
        if (run_.evaluatesAlone())
            return forEachModel([&](std::size_t m) {
                for (std::size_t k = 0; k < count; ++k) {
                    prepare(m, k);
                    run_.evaluateAlone(m, positions(m), names(m), weights(k), energies_[m], gradient(m));
                    after(m, k);
                }
            });
        for (std::size_t k = 0; k < count; ++k) {
            forEachModel([&](std::size_t m) { prepare(m, k); });
            run_.evaluate(positions_, names_, weights(k), energies_, gradients_);
            forEachModel([&](std::size_t m) { after(m, k); });
        }
    }
    void evaluate(const EnergyWeights& weights) {
        const auto nothing = [](std::size_t, std::size_t) {};
        evaluate(
            1, [&](std::size_t) { return weights; }, nothing, nothing);
    }

    Numbers gradientOf(std::size_t m) {
        gradientAlongTorsions(tree_, models_[m].state, positions(m), gradient(m), models_[m].motion);
        return flatten(models_[m].motion);
    }

    Minimiser<SerialTeam> minimiserOf(std::size_t m) {
        return {SerialTeam{}, tree_.variables(), models_[m].vectors.data(), models_[m].minimiserState};
    }

    void minimise(std::size_t evaluations, const EnergyWeights& weights) {
        if (minimisedTogether(evaluations, weights)) return;
        const auto atWeights = [&](std::size_t) { return weights; };
        evaluate(
            1, atWeights, [](std::size_t, std::size_t) {},
            [&](std::size_t m, std::size_t) {
                models_[m].accepted = models_[m].state;
                minimiserOf(m).begin(energies_[m].total(), gradientOf(m).data());
            });
        while (evaluations > 0) {
            const std::size_t share = std::min(evaluations, kSwapInterval);
            evaluate(
                share, atWeights,
                [&](std::size_t m, std::size_t) {
                    Model& model = models_[m];
                    model.state = model.accepted;
                    const Minimiser<SerialTeam> minimiser = minimiserOf(m);
                    if (minimiser.isDone()) return;
                    structure::advance(
                        tree_, model.state,
                        unflatten(minimiser.direction(), tree_.bodies.size(), tree_.roots.size()),
                        minimiser.step());
                },
                [&](std::size_t m, std::size_t) {
                    Minimiser<SerialTeam> minimiser = minimiserOf(m);
                    if (!minimiser.isDone() && minimiser.take(energies_[m].total(), gradientOf(m).data()))
                        models_[m].accepted = models_[m].state;
                });
            evaluations -= share;
            progress_.advance(static_cast<double>(share));
        }
        for (Model& model : models_) model.state = model.accepted;
    }

    /// A bond of a side chain, and the radians to another rotamer.
    struct RotamerTrial {
        std::size_t body;
        double turn;
    };

    /// Both other rotamers at each bond of the residues whose distances are violated, the worst residues
    /// first.
    std::vector<RotamerTrial> rotamerTrials(std::size_t m) {
        constexpr double kViolated = 0.1;  // Å
        const auto from = [&](const auto& all) {
            return all.begin() + static_cast<std::ptrdiff_t>(m * atoms_);
        };
        const FoldedModel model{{from(positions_), from(positions_) + static_cast<std::ptrdiff_t>(atoms_)},
                                {from(names_), from(names_) + static_cast<std::ptrdiff_t>(atoms_)},
                                {}};
        std::vector<double> squares(molecule_.residues.size());
        for (const RestraintViolation& one : violations(problem_, model, kViolated)) {
            const AtomPair& pair = problem_.restraints.distances[one.restraint].pairs[0];
            const std::size_t a = molecule_.atoms[pair.first].residue;
            const std::size_t b = molecule_.atoms[pair.second].residue;
            squares[a] += one.violation * one.violation;
            if (a != b) squares[b] += one.violation * one.violation;
        }
        std::vector<std::size_t> order(squares.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return squares[a] > squares[b]; });
        std::vector<RotamerTrial> trials;
        for (const std::size_t residue : order) {
            if (squares[residue] == 0 || trials.size() >= kRotamerTrials) break;
            if (molecule_.residues[residue].name == "PRO") continue;
            for (std::size_t t = 0; t < molecule_.torsions.size(); ++t) {
                const Torsion& torsion = molecule_.torsions[t];
                if (torsion.residue != residue || torsion.kind != TorsionKind::Chi || !torsion.isThreefold)
                    continue;
                for (const double turn : {120 * kDegree, -120 * kDegree})
                    trials.push_back({static_cast<std::size_t>(tree_.bodyOfTorsion[t]), turn});
            }
        }
        trials.resize(std::min(trials.size(), kRotamerTrials));
        return trials;
    }

    /// Frees side chains that cooling has trapped: turns one bond per trial, minimises shortly, and keeps the
    /// rotamer that lowers the target function. All models have the same number of trials, so that a model
    /// does not depend on the others.
    void tryRotamers(const EnergyWeights& weights) {
        evaluate(weights);
        std::vector<std::vector<RotamerTrial>> trials(models_.size());
        std::vector<double> least(models_.size());
        forEachModel([&](std::size_t m) {
            trials[m] = rotamerTrials(m);
            least[m] = energies_[m].total();
        });
        for (std::size_t k = 0; k < kRotamerTrials; ++k) {
            const std::vector<AtomIndex> names = names_;
            std::vector<TorsionState> states;
            for (const Model& model : models_) states.push_back(model.state);
            forEachModel([&](std::size_t m) {
                if (k >= trials[m].size()) return;
                models_[m].state.angle[trials[m][k].body] += trials[m][k].turn;
                placeAtoms(tree_, molecule_, models_[m].state, positions(m));
                swapNames(m);
            });
            minimise(kRotamerEvaluations, weights);
            evaluate(weights);
            for (std::size_t m = 0; m < models_.size(); ++m) {
                if (k < trials[m].size() && energies_[m].total() < least[m] - kRotamerGain) {
                    least[m] = energies_[m].total();
                    continue;
                }
                models_[m].state = std::move(states[m]);
                const auto own = static_cast<std::ptrdiff_t>(m * atoms_);
                std::copy_n(names.begin() + own, atoms_, names_.begin() + own);
            }
        }
    }

    /// Minimises on the device; returns false if the backend has no minimisation.
    bool minimisedTogether(std::size_t evaluations, const EnergyWeights& weights) {
        // A cancelled run waits for one share at most. Sizes of shares do not affect results.
        constexpr double kSecondsOfShare = 0.25;
        std::vector<TorsionState*> states;
        for (Model& model : models_) states.push_back(&model.state);
        MinimiserShare share{weights, 0, true};
        for (std::size_t next = 8; evaluations > 0; evaluations -= share.evaluations) {
            share.evaluations = std::min(next, evaluations);
            const Stopwatch watch;
            const MinimiserProgress found = run_.minimise(tree_, states, names_, share);
            if (found == MinimiserProgress::Unsupported) return false;
            if (found == MinimiserProgress::Done) share.evaluations = evaluations;
            progress_.advance(static_cast<double>(share.evaluations));
            share.isFirst = false;
            next = watch.seconds() < kSecondsOfShare ? 2 * next : std::max<std::size_t>(next / 2, 1);
        }
        forEachModel([&](std::size_t m) { placeAtoms(tree_, molecule_, models_[m].state, positions(m)); });
        return true;
    }

    /// Runs the steps on the device; returns false if the backend has no dynamics.
    bool advanceTogether(std::span<const DynamicsStep> steps) {
        std::vector<DynamicsState> states;
        for (Model& model : models_)
            states.push_back(
                {&model.state, &model.velocity, &model.acceleration, &model.timeStep, &model.lastTotal});
        if (!run_.advance(tree_, states, names_, steps)) return false;
        forEachModel([&](std::size_t m) {
            placeAtoms(tree_, molecule_, models_[m].state, positions(m));
            swapNames(m);
        });
        progress_.advance(static_cast<double>(steps.size()));
        return true;
    }

    double temperatureOf(double kinetic) const {
        return 2 * kinetic / (kBoltzmann * static_cast<double>(tree_.freedom()));
    }

    void start() {
        for (Model& model : models_) {
            for (std::size_t b = 0; b < tree_.bodies.size(); ++b)
                if (tree_.bodies[b].parent >= 0) model.velocity.torsion[b] = normalPair(model.random)[0];
            std::vector<Vector> unused(atoms_);
            placeAtoms(tree_, molecule_, model.state, unused);
            const double now = temperatureOf(model.bodies.kineticEnergy(model.state, model.velocity));
            scaleBy(model.velocity, std::sqrt(options_.temperature / now));
        }
    }

    void moveOn(std::size_t m, double temperature, double accuracy) {
        Model& model = models_[m];
        for (Vector& one : gradient(m)) one = kEnergyUnit * one;
        // Velocities lag half a step: the previous acceleration takes them to the state's time.
        TorsionMotion now = model.velocity;
        addScaled(now, 0.5 * model.timeStep, model.acceleration);
        const double kinetic =
            model.bodies.accelerate(model.state, now, positions(m), gradient(m), model.acceleration);
        const double total = kinetic + kEnergyUnit * energies_[m].total();
        const double found = temperatureOf(kinetic);
        if (!std::isnan(model.lastTotal)) {
            const double error = std::abs(total - model.lastTotal) / std::max(std::abs(total), 1e-9);
            const double factor = 1 + (accuracy - error) / (kCoupling * std::max(error, 1e-12));
            model.timeStep =
                std::clamp(model.timeStep * std::clamp(std::sqrt(std::max(factor, 0.25)), 0.7, 1.025),
                           kShortestStep, kLongestStep);
        }
        model.lastTotal = total;
        double coupling = 1 + (temperature - found) / (kCoupling * std::max(found, 1.0));
        coupling = std::sqrt(std::clamp(coupling, 0.5, 1.5));
        if (found > 2 * temperature + 300) {
            coupling = std::sqrt(temperature / found);
            model.timeStep = std::max(0.5 * model.timeStep, kShortestStep);
        }
        scaleBy(model.velocity, coupling);
        addScaled(model.velocity, model.timeStep, model.acceleration);
        const double limit = kLargestTurn / model.timeStep;
        for (double& one : model.velocity.torsion) one = std::clamp(one, -limit, limit);
        for (Vector& turn : model.velocity.turn)
            if (length(turn) > limit) turn = (limit / length(turn)) * turn;
        structure::advance(tree_, model.state, model.velocity, model.timeStep);
    }

    double restraintEnergy(const SwappableGroup& group, std::span<const Vector> r,
                           std::span<const AtomIndex> names) const {
        double energy = 0;
        for (const std::size_t k : group.restraints) {
            const DistanceRestraint& one = problem_.restraints.distances[k];
            const double d = effectiveDistance(one, r, names);
            const double v = std::max({d - one.upper, one.lower - d, 0.0});
            energy += one.weight * (v <= 2 ? v * v : 4 * v - 4);
        }
        return energy;
    }

    void swapNames(std::size_t m) {
        const auto own = names(m);
        for (const SwappableGroup& group : problem_.restraints.swappable) {
            const auto swap = [&] {
                for (const AtomPair& pair : group.exchanged) std::swap(own[pair.first], own[pair.second]);
            };
            const double before = restraintEnergy(group, positions(m), own);
            swap();
            if (restraintEnergy(group, positions(m), own) >= before) swap();
        }
    }

    const FoldProblem& problem_;
    const Molecule& molecule_;
    TorsionTree tree_;
    EnergyRun& run_;
    FoldOptions options_;
    int threads_;
    Progress& progress_;
    std::size_t atoms_;
    std::vector<Model> models_;
    std::vector<Vector> positions_, gradients_;
    std::vector<AtomIndex> names_;
    std::vector<Energy> energies_;
};

}  // namespace

std::size_t defaultSteps(const Molecule& molecule) {
    constexpr std::size_t kSteps = 8000;
    constexpr std::size_t kResidues = 100;
    constexpr std::size_t kMore = 170;  // per further residue
    std::size_t longest = 0;
    std::size_t length = 0;
    for (const Residue& residue : molecule.residues) {
        length = residue.startsChain ? 1 : length + 1;
        longest = std::max(longest, length);
    }
    return kSteps + kMore * (std::max(longest, kResidues) - kResidues);
}

std::vector<FoldedModel> fold(const FoldProblem& problem, EnergyRun& run, const FoldOptions& options,
                              int threads, Progress& progress) {
    return Ensemble(problem, run, options, threads, progress).run();
}

FoldedEnsemble foldUntilConverged(const FoldProblem& problem,
                                  const std::function<std::unique_ptr<EnergyRun>(std::size_t models)>& start,
                                  const FoldOptions& options, int threads, Progress& progress) {
    constexpr std::size_t kTolerated = 50;  // one of so many may fail
    const auto sort = [](auto from, auto to) {
        std::stable_sort(from, to, [](const FoldedModel& a, const FoldedModel& b) {
            return a.energy.target() < b.energy.target();
        });
    };
    FoldedEnsemble result;
    std::vector<FoldedModel>& models = result.models;
    models = fold(problem, *start(options.models), options, threads, progress);
    for (std::uint64_t round = 1; round <= options.restarts; ++round) {
        const auto failed = std::stable_partition(models.begin(), models.end(), [&](const FoldedModel& one) {
            return rmsViolation(problem, one) <= ModelQuality::kConvergedRms;
        });
        const auto kept = static_cast<std::size_t>(failed - models.begin());
        FoldOptions again = options;
        again.models = models.size() - kept;
        if (kTolerated * again.models <= models.size()) break;
        // Streams of models count from 0, those of restarts from the other end.
        again.seed = derivedSeed(options.seed, ~round);
        for (FoldedModel& one : fold(problem, *start(again.models), again, threads, progress))
            models.push_back(std::move(one));
        sort(models.begin() + static_cast<std::ptrdiff_t>(kept), models.end());
        models.resize(options.models);
        result.startedAgain += again.models;
    }
    sort(models.begin(), models.end());
    return result;
}

}  // namespace glycine::structure
