#include "engine/structure/study/fold_subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "engine/command/common_options.hpp"
#include "engine/core/device_probe.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/restraints/molecule_restraints.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/structure/torsion_tree.hpp"

namespace glycine::structure {

namespace {

/// Steps of a run: neighbour lists are built, reused, and built for heavy atoms alone.
constexpr std::size_t kSteps = 4;
constexpr EnergyWeights kWeights[kSteps]{{1, 1, false}, {1, 1, false}, {1, 0.25, true}, {5, 2, false, 30}};

Molecule randomProtein(std::size_t residues, std::uint64_t seed) {
    RandomSequence random(seed);
    std::string letters;
    for (std::size_t k = 0; k < residues; ++k) letters += "ACDEFGHIKLMNPQRSTVWYGP"[random.below(22)];
    return Molecule(residuesOf(letters));
}

/// Distances of one to three pairs with one or two limits, and windows of dihedral angles, some through
/// ±180°.
RestraintSet randomRestraints(const Molecule& molecule, std::uint64_t seed) {
    RandomSequence random(seed + 1);
    RestraintSet set;
    const std::size_t atoms = molecule.atoms.size();
    for (std::size_t k = 0; k < 2 * atoms; ++k) {
        DistanceRestraint one;
        for (std::size_t pair = 0; pair <= k % 5 / 2; ++pair) {
            const std::size_t a = random.below(atoms);
            const std::size_t b = (a + 1 + random.below(atoms - 1)) % atoms;
            one.pairs.push_back({static_cast<AtomIndex>(a), static_cast<AtomIndex>(b)});
        }
        one.upper = k % 7 == 6 ? std::numeric_limits<double>::infinity() : 2.5 + 20 * random.uniform();
        one.lower = k % 3 == 0 ? std::min(one.upper, 1.8 + 20 * random.uniform()) : 0;
        one.weight = 0.5 + random.uniform();
        set.distances.push_back(std::move(one));
    }
    for (const Torsion& torsion : molecule.torsions) {
        const double lower = 360 * random.uniform() - 180;
        set.dihedrals.push_back({torsion.atoms, lower, lower + 60 * random.uniform(), 1, "", 0});
    }
    return set;
}

/// A protein with restraints, and models that move a little from step to step.
struct Trial {
    Trial(Molecule of, const RestraintSet& restraints, std::size_t count, bool isCollapsed,
          std::uint64_t seed)
        : molecule(std::move(of)), problem(molecule, restraints), models(count) {
        const TorsionTree tree(molecule);
        const std::size_t atoms = molecule.atoms.size();
        positions.resize(kSteps * models * atoms);
        for (std::size_t model = 0; model < models; ++model) {
            RandomSequence random(derivedSeed(seed, model));
            TorsionState state = restState(tree);
            for (double& angle : state.angle) angle = 6.3 * random.uniform();
            for (std::size_t step = 0; step < kSteps; ++step) {
                const auto place = std::span(positions).subspan((step * models + model) * atoms, atoms);
                for (double& angle : state.angle) angle += 0.01 * random.uniform();
                placeAtoms(tree, molecule, state, place);
                // Dense enough to overflow fixed-length neighbour lists.
                if (isCollapsed)
                    for (Vector& one : place) one = 0.3 * one;
            }
            std::vector<AtomIndex> own(atoms);
            for (AtomIndex a = 0; a < atoms; ++a) own[a] = a;
            // Exchanges names, some of them more than once.
            for (AtomIndex a = 2; a < atoms; a += 5)
                if (model > 0) std::swap(own[a], own[random.below(a)]);
            names.insert(names.end(), own.begin(), own.end());
        }
    }
    std::span<const Vector> of(std::size_t step, std::size_t model, std::size_t count) const {
        const std::size_t atoms = molecule.atoms.size();
        return std::span(positions).subspan((step * models + model) * atoms, count * atoms);
    }

    Molecule molecule;
    FoldProblem problem;
    std::size_t models;
    std::vector<Vector> positions;  ///< steps × models × atoms
    std::vector<AtomIndex> names;   ///< models × atoms
};

/// Results of a run: energies and gradients of all models at each step.
struct Evaluated {
    explicit Evaluated(std::size_t models = 0, std::size_t atoms = 0)
        : energies(kSteps * models), gradients(kSteps * models * atoms) {}
    void evaluate(EnergyRun& run, const Trial& trial, std::size_t step, std::size_t model,
                  std::size_t models) {
        const std::size_t atoms = trial.molecule.atoms.size();
        run.evaluate(trial.of(step, model, models),
                     std::span(trial.names).subspan(model * atoms, models * atoms), kWeights[step],
                     std::span(energies).subspan(step * models, models),
                     std::span(gradients).subspan(step * models * atoms, models * atoms));
    }
    std::vector<Energy> energies;
    std::vector<Vector> gradients;
};

class Evaluation final : public study::Computation {
  public:
    Evaluation(Backend& backend, const Trial& trial, const Configuration& configuration,
               std::vector<std::pair<std::size_t, Evaluated>> expected)
        : backend_(backend),
          trial_(trial),
          configuration_(configuration),
          expected_(std::move(expected)),
          run_(startEnergy(backend, trial.problem, trial.models, true)) {}

    study::Outcome run(Progress& progress) override {
        found_ = Evaluated(trial_.models, trial_.molecule.atoms.size());
        progress.begin("energies", kSteps);
        const Stopwatch watch;
        for (std::size_t step = 0; step < kSteps; ++step) {
            progress.throwIfCancelled();
            found_.evaluate(*run_, trial_, step, 0, trial_.models);
            progress.advance(1);
        }
        backend_.finish();
        const double seconds = watch.seconds();
        const double work = static_cast<double>(kSteps * trial_.models) / 1e3;
        return {configuration_.variant, {{"evaluate", seconds, work}}, seconds, work, ""};
    }

    Comparison check(Progress&) override {
        Comparison comparison = equalSoFar(energyTolerance(configuration_.numberFormat));
        comparison.isAbsolute = true;
        const std::size_t atoms = trial_.molecule.atoms.size();
        for (const auto& one : expected_)
            for (std::size_t step = 0; step < kSteps; ++step) {
                const std::size_t model = one.first;
                const auto& expected = one.second;
                const std::size_t own = step * trial_.models + model;
                const auto compare = [&](double right, double size, double found, const auto& what) {
                    const double scale = std::max(1.0, size);
                    comparison.compareElement(right / scale, found / scale, [&] {
                        return fmt::format("{} of model {} in step {}", what(), model + 1, step + 1);
                    });
                };
                for (const auto& [term, name] : kEnergyTerms)
                    compare(expected.energies[step].*term, expected.energies[step].*term,
                            found_.energies[own].*term, [name = name] { return std::string(name); });
                for (AtomIndex a = 0; a < atoms; ++a)
                    for (const auto part : {&Vector::x, &Vector::y, &Vector::z})
                        compare(expected.gradients[step * atoms + a].*part,
                                length(expected.gradients[step * atoms + a]),
                                found_.gradients[own * atoms + a].*part,
                                [&] { return "gradient at " + trial_.molecule.label(a); });
            }
        comparison.verdict =
            fmt::format("energies and gradients of {}", formatCount(expected_.size(), "model"));
        found_ = Evaluated();
        return comparison;
    }

    std::optional<study::ResultDigest> digest() override {
        study::ResultDigester digester;
        for (std::size_t k = 0; k < found_.gradients.size(); ++k) {
            digester.take(0, k, 0, found_.gradients[k].x);
            digester.take(0, k, 1, found_.gradients[k].y);
            digester.take(0, k, 2, found_.gradients[k].z);
        }
        return digester.digest();
    }

  private:
    Backend& backend_;
    const Trial& trial_;
    Configuration configuration_;
    std::vector<std::pair<std::size_t, Evaluated>> expected_;  ///< of models
    std::unique_ptr<EnergyRun> run_;
    Evaluated found_;
};

class FoldStudy final : public study::Problem {
  public:
    FoldStudy(std::string name, std::unique_ptr<Trial> trial)
        : name_(std::move(name)), trial_(std::move(trial)) {}

    std::string name() const override { return name_; }
    Dimensions dimensions() const override {
        return {{"models", trial_->models}, {"atoms", trial_->molecule.atoms.size()}};
    }
    bool concerns(const Configuration&) const override { return true; }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return algorithm().supports(backend, configuration, dimensions());
    }
    std::unique_ptr<study::Computation> start(Backend& backend, const Configuration& configuration,
                                              study::CheckScope scope, Progress& progress) override {
        const std::size_t checked =
            scope == study::CheckScope::Full ? trial_->models : std::min<std::size_t>(trial_->models, 2);
        const std::size_t atoms = trial_->molecule.atoms.size();
        // The last models have exchanged names.
        while (expected_.size() < checked) {
            const Stopwatch watch;
            const std::size_t model = trial_->models - 1 - expected_.size();
            Evaluated& one = expected_.emplace_back(model, Evaluated(1, atoms)).second;
            for (std::size_t step = 0; step < kSteps; ++step) {
                progress.throwIfCancelled();
                one.evaluate(*makeReferenceEnergy(trial_->problem, 1), *trial_, step, model, 1);
            }
            referenceSeconds_ += watch.seconds();
        }
        return std::make_unique<Evaluation>(
            backend, *trial_, configuration,
            std::vector(expected_.begin(), expected_.begin() + static_cast<std::ptrdiff_t>(checked)));
    }
    double referenceSeconds() const override { return referenceSeconds_; }
    /// Counts one squared distance per pair of a restraint, and one transfer of positions and gradients.
    std::vector<study::RequiredWork> needs(const Configuration& configuration) const override {
        std::size_t pairs = 0;
        for (const DistanceRestraint& one : trial_->problem.restraints.distances) pairs += one.pairs.size();
        const auto evaluations = static_cast<double>(kSteps * trial_->models) / 1e9;
        return {{probeName(kMultiplyAdd, configuration.numberFormat),
                 evaluations * 3 * static_cast<double>(pairs)},
                {std::string(kCopyBandwidth),
                 evaluations * static_cast<double>(trial_->molecule.atoms.size() * sizeof(Vector))}};
    }

  private:
    std::string name_;
    std::unique_ptr<Trial> trial_;
    std::vector<std::pair<std::size_t, Evaluated>> expected_;
    double referenceSeconds_ = 0;
};

/// Shared by both sets of problems: random proteins.
class FoldSet : public study::ProblemSet {
  protected:
    void declareGenerated(Options& options) {
        isForGenerated(options.value("--residues N,…", residues_, "Lengths of random proteins").positive());
        options.value("--models N,…", models_, "Number of models evaluated at once").positive();
        isForGenerated(addSeedOption(options, seed_, "proteins"));
    }
    study::InputBytes bytesOf(std::size_t atoms, std::size_t models) const {
        const auto vectors = static_cast<double>(kSteps * models * atoms * sizeof(Vector));
        return {2 * vectors, vectors, vectors};
    }
    std::unique_ptr<study::Problem> random(std::size_t residues, std::size_t models, bool isCollapsed) const {
        Molecule molecule = randomProtein(residues, seed_);
        const RestraintSet restraints = randomRestraints(molecule, seed_);
        return std::make_unique<FoldStudy>(
            fmt::format("{} of {}{}", formatCount(models, "model"), formatCount(residues, "residue"),
                        isCollapsed ? ", collapsed" : ""),
            std::make_unique<Trial>(std::move(molecule), restraints, models, isCollapsed, seed_));
    }
    static constexpr std::size_t kAtomsAResidue = 24;

    std::vector<std::size_t> residues_;
    std::vector<std::size_t> models_;
    std::uint64_t seed_ = 1;
};

class ValidationSet final : public FoldSet {
  public:
    ValidationSet() {
        residues_ = {1, 2, 5, 17};
        models_ = {1, 3};
    }
    void declare(Options& options) override {
        declareGenerated(options);
        options.footer(
            "Compares energies and gradients of every backend with the reference, term by term and atom by\n"
            "atom. Exit code 1 if any disagree.\n\n"
            "Examples:\n"
            "  glycine validate fold\n"
            "  glycine validate fold --residues 40 --backend cpu,gl");
    }
    void prepare(const Options&, Progress&) override {}
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        std::vector<study::InputBytes> inputs;
        for (const std::size_t residues : residues_)
            for (const std::size_t models : models_)
                inputs.insert(inputs.end(), 2, bytesOf(residues * kAtomsAResidue, models));
        return inputs;
    }
    std::size_t count() const override { return 2 * residues_.size() * models_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        return random(residues_[index / 2 / models_.size()], models_[index / 2 % models_.size()],
                      index % 2 == 1);
    }
    Fields settings() const override {
        return {{"input", fmt::format("random proteins of {} residues, {} models, seed {}",
                                      fmt::join(residues_, ", "), fmt::join(models_, " and "), seed_)},
                {"allowed", fmt::format("{} in float32, {} in float64, of the larger of 1 and the number",
                                        energyTolerance("float32"), energyTolerance("float64"))}};
    }
};

class TimingSet final : public FoldSet {
  public:
    TimingSet() {
        residues_ = {90};
        models_ = {20, 200};
    }
    void declare(Options& options) override {
        declareGenerated(options);
        options.value("--input FILE", input_, "Time these restraints with their sequence (NEF) instead");
        options.footer(
            "A run evaluates all models four times, at random torsion angles; rates are in 10³ models per\n"
            "second.\n\n"
            "Examples:\n"
            "  glycine bench fold --models 20,200 --backend cpu,cuda\n"
            "  glycine bench fold --input restraints.nef --models 20");
    }
    void prepare(const Options& options, Progress&) override {
        if (input_.empty()) return;
        requireFromFile(options);
        const std::vector<io::RestraintFile> files{io::readRestraintFile(input_)};
        molecule_ = io::readMolecule("", "", files);
        io::MappingOptions mapping;
        mapping.skipUnknown = true;
        io::RestraintCounts counts;
        restraints_ = io::mapToMolecule(files, *molecule_, mapping, counts);
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>&) const override {
        std::vector<study::InputBytes> inputs;
        for (std::size_t index = 0; index < count(); ++index)
            inputs.push_back(bytesOf(
                molecule_ ? molecule_->atoms.size() : residues_[index / models_.size()] * kAtomsAResidue,
                models_[index % models_.size()]));
        return inputs;
    }
    std::vector<std::string> inputFiles() const override {
        if (input_.empty()) return {};
        return {input_};
    }
    std::size_t count() const override { return (molecule_ ? 1 : residues_.size()) * models_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        const std::size_t models = models_[index % models_.size()];
        if (!molecule_) return random(residues_[index / models_.size()], models, false);
        return std::make_unique<FoldStudy>(
            formatCount(models, "model"),
            std::make_unique<Trial>(*molecule_, restraints_, models, false, seed_));
    }
    Fields settings() const override {
        return {{"input", molecule_ ? input_
                                    : fmt::format("random proteins of {} residues, seed {}",
                                                  fmt::join(residues_, ", "), seed_)},
                {"rates", "evaluations of models in 10³ / s (minimum time)"},
                {"check", "energies and gradients of two models with reference"}};
    }

  private:
    std::string input_;
    std::optional<Molecule> molecule_;
    RestraintSet restraints_;
};

class FoldSubject final : public study::SubjectOf<ValidationSet, TimingSet> {
  public:
    const Algorithm& algorithm() const override { return structure::algorithm(); }
    std::string unit() const override { return "Å²"; }
    std::string rateUnit() const override { return "k/s"; }
    std::string sizeLabel() const override { return "models × atoms"; }
    bool leavesVariantToBackend() const override { return false; }
    std::vector<study::EndToEndRun> endToEndRuns(study::Extent extent) const override {
        // A step is a draw on gl, however small the molecule is.
        const std::string steps = extent == study::Extent::Small ? " --steps 500" : "";
        return study::endToEndRunsOf(
            extent, {"12", "40", "100"},
            {{"models", "restraints -o in.nef --residues {}", "fold in.nef -o out.pdb --models 4" + steps}});
    }
    std::vector<study::SweepStep> sweep() const override {
        return study::sweepOver("--models", {"1,4", "20", "200"}, {{}});
    }
};

}  // namespace

std::unique_ptr<study::Subject> subject() {
    return std::make_unique<FoldSubject>();
}

}  // namespace glycine::structure
