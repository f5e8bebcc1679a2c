#include "engine/structure/energy_engine.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "engine/core/configuration.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::structure {

namespace {

constexpr const char* kSource = "P. Güntert, C. Mumenthaler, K. Wüthrich, J. Mol. Biol. 273 (1997), 283-298";

const VariantTable<EnergyVariant>& referenceVariants() {
    static const VariantTable<EnergyVariant> table(
        "reference", {"float64"},
        {{EnergyVariant::Serial, "every pair of atoms, as the formulas are", kSource, {}, true}});
    return table;
}
const VariantTable<EnergyVariant>& cpuVariants() {
    static const VariantTable<EnergyVariant> table(
        "cpu", {"float64"},
        {{EnergyVariant::Neighbours,
          "lists of neighbours that last until an atom has moved; models side by side on threads",
          "",
          {},
          true}});
    return table;
}

template <const VariantTable<EnergyVariant>& (*kVariants)()>
class HostEnergyEngine final : public EnergyEngine {
  public:
    explicit HostEnergyEngine(HostBackend& backend) : backend_(backend) {}
    Support supports(const EnergyRequest& request) const override {
        return kVariants().supports(request.variant);
    }
    std::unique_ptr<EnergyRun> start(const FoldProblem& problem, std::size_t models) override {
        return backend_.name() == "cpu"
                   ? makeCpuEnergy(problem, models, backend_.threads(), backend_.instructions())
                   : makeReferenceEnergy(problem, models);
    }

  private:
    HostBackend& backend_;
};

/// Compares the energies of `model`, from 0, with those of cpu's code. `tolerance`: relative to max(1,
/// value).
void compareEnergies(StageRecount& recount, const std::string& variant, std::size_t model,
                     const Energy& found, const Energy& expected, double tolerance) {
    for (const auto& [term, name] : kEnergyTerms)
        recount.compare(variant, found.*term, expected.*term,
                        tolerance * std::max(1.0, std::abs(expected.*term)),
                        [&, name = name] { return fmt::format("{} of model {}", name, model + 1); });
}

/// A device's run that recounts some models with cpu's code.
class CheckedEnergyRun final : public EnergyRun {
  public:
    CheckedEnergyRun(std::unique_ptr<EnergyRun> run, const FoldProblem& problem, std::size_t models,
                     const Backend& backend, const VariantInfo& info)
        : run_(std::move(run)),
          problem_(problem),
          models_(models),
          variant_(info.name),
          isRounded_(info.numberFormats.front() == "float32"),
          // Both sides start from rounded positions, which removes most of float32's error.
          tolerance_((isRounded_ ? 0.25 : 1) * energyTolerance(info.numberFormats.front())),
          recount_(backend, false, "model"),
          again_(makeCpuEnergy(problem, 1, 1)),
          gradient_(problem.molecule->atoms.size()) {}

    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        run_->evaluate(positions, names, weights, energies, gradients);
        requireNumbers(positions, energies, gradients);
        if (evaluations_ < kFirst || evaluations_ % kInterval == 0) {
            const std::size_t model = (evaluations_ + evaluations_ / kInterval) % models_;
            const std::size_t n = gradient_.size();
            compare(model, positions.subspan(model * n, n), names, weights, energies[model],
                    gradients.subspan(model * n, n));
        }
        ++evaluations_;
    }

    /// Unchecked: a wrong path costs quality only. The energies of its end are evaluated and checked.
    bool advance(const TorsionTree& tree, std::span<const DynamicsState> models,
                 std::span<const AtomIndex> names, std::span<const DynamicsStep> steps) override {
        return run_->advance(tree, models, names, steps);
    }

    /// Recounts the last evaluation of one model per share, each model in turn.
    MinimiserProgress minimise(const TorsionTree& tree, std::span<TorsionState* const> models,
                               std::span<const AtomIndex> names, const MinimiserShare& share) override {
        const MinimiserProgress progress = run_->minimise(tree, models, names, share);
        if (progress == MinimiserProgress::Unsupported) return progress;
        const std::size_t model = shares_++ % models_;
        std::vector<Vector> positions(gradient_.size()), gradient(gradient_.size());
        const Energy energy = run_->lastEvaluation(model, positions, gradient);
        compare(model, positions, names, share.weights, energy, gradient);
        return progress;
    }

  private:
    static constexpr std::size_t kFirst = 16;
    static constexpr std::size_t kInterval = 256;

    /// Requires finite results for all models that have not exploded.
    void requireNumbers(std::span<const Vector> positions, std::span<const Energy> energies,
                        std::span<const Vector> gradients) {
        constexpr double kMax = 1e30;
        constexpr double kExploded = 1e9;
        const std::size_t n = gradient_.size();
        const auto sizeOf = [&](std::span<const Vector> all, std::size_t model) {
            double size = 0;
            for (const Vector& one : all.subspan(model * n, n))
                size += std::abs(one.x) + std::abs(one.y) + std::abs(one.z);
            return size;
        };
        parallelFor(omp_get_max_threads(), models_, [&](std::size_t m, std::size_t) {
            if (sizeOf(positions, m) < kExploded)
                recount_.requireWithin(variant_, std::abs(energies[m].total()) + sizeOf(gradients, m), 0,
                                       kMax,
                                       [&] { return fmt::format("energy and gradient of model {}", m + 1); });
        });
    }

    /// Compares a model's energy and gradient with those of cpu's code; `names`: of all models.
    void compare(std::size_t model, std::span<const Vector> positions, std::span<const AtomIndex> names,
                 const EnergyWeights& weights, const Energy& found, std::span<const Vector> gradient) {
        const std::size_t n = gradient_.size();
        Energy energy;
        rounded_.assign(positions.begin(), positions.end());
        if (isRounded_)
            for (Vector& r : rounded_)
                r = {static_cast<float>(r.x), static_cast<float>(r.y), static_cast<float>(r.z)};
        again_->evaluate(rounded_, names.subspan(model * n, n), weights, {&energy, 1}, gradient_);
        compareEnergies(recount_, variant_, model, found, energy, tolerance_);
        for (std::size_t a = 0; a < n; ++a) {
            const auto name = [&] {
                return fmt::format("gradient at {} of model {}",
                                   problem_.molecule->label(static_cast<AtomIndex>(a)), model + 1);
            };
            for (const auto part : {&Vector::x, &Vector::y, &Vector::z})
                recount_.compare(variant_, gradient[a].*part, gradient_[a].*part,
                                 tolerance_ * std::max(1.0, length(gradient_[a])), name);
        }
    }

    std::unique_ptr<EnergyRun> run_;
    const FoldProblem& problem_;
    std::size_t models_;
    std::string variant_;
    bool isRounded_;
    double tolerance_;
    StageRecount recount_;
    std::unique_ptr<EnergyRun> again_;
    std::vector<Vector> gradient_, rounded_;
    std::size_t evaluations_ = 0;
    std::size_t shares_ = 0;
};

}  // namespace

double energyTolerance(std::string_view numberFormat) {
    return numberFormat == "float32" ? 2e-3 : 1e-9;
}

Support supportsRequest(Backend& backend, const EnergyRequest& request) {
    return glycine::supportsRequest<EnergyEngine>(backend, request);
}

std::unique_ptr<EnergyRun> startEnergy(Backend& backend, const FoldProblem& problem, std::size_t models,
                                       bool isUnchecked) {
    const auto made = createImplementation<EnergyEngine>(backend);
    if (const Support support =
            made->supports({EnergyVariant::Default, models, problem.molecule->atoms.size()});
        !support)
        throw UnavailableError(support.reason());
    auto run = made->start(problem, models);
    if (isUnchecked || dynamic_cast<const HostBackend*>(&backend) != nullptr) return run;
    return checkedEnergy(std::move(run), problem, models, backend,
                         findImplementation<EnergyEngine>(backend)->variants.front());
}

std::unique_ptr<EnergyRun> checkedEnergy(std::unique_ptr<EnergyRun> run, const FoldProblem& problem,
                                         std::size_t models, const Backend& backend,
                                         const VariantInfo& info) {
    return std::make_unique<CheckedEnergyRun>(std::move(run), problem, models, backend, info);
}

void recountModels(StageRecount& recount, const Backend& backend, const FoldProblem& problem,
                   std::span<const FoldedModel> models) {
    if (!recount.isWanted()) return;
    const VariantInfo& info = findImplementation<EnergyEngine>(backend)->variants.front();
    const double tolerance = energyTolerance(info.numberFormats.front());
    const Stopwatch watch;
    const auto run = makeCpuEnergy(problem, 1, 1);
    std::vector<Vector> gradient(problem.molecule->atoms.size());
    for (std::size_t m = 0; m < models.size(); ++m) {
        Energy energy;
        run->evaluate(models[m].positions, models[m].names, {}, {&energy, 1}, gradient);
        compareEnergies(recount, info.name, m, models[m].energy, energy, tolerance);
    }
    recount.add(models.size(), watch.seconds());
}

const Algorithm& algorithm() {
    static const Algorithm algorithm(
        "fold", "Folds a protein from NMR restraints: target function and gradient of all models at once",
        kSource, [] { return allVariants<EnergyEngine>(); },
        [](Backend& backend, const Configuration& configuration, const Dimensions& dimensions) {
            if (Support format = supportsNumberFormat(algorithm.variants(), configuration); !format)
                return format;
            EnergyRequest request;
            if (!configuration.variant.empty())
                request.variant = fromString<EnergyVariant>(configuration.variant);
            request.models = dimension(dimensions, "models");
            request.atoms = dimension(dimensions, "atoms");
            return supportsRequest(backend, request);
        });
    return algorithm;
}

Implementation<EnergyEngine> reference::energy() {
    return implementWith<EnergyEngine, HostEnergyEngine<referenceVariants>, HostBackend>(referenceVariants());
}
Implementation<EnergyEngine> cpu::energy() {
    return implementWith<EnergyEngine, HostEnergyEngine<cpuVariants>, HostBackend>(cpuVariants());
}

ImplementationList<EnergyEngine>& EnergyEngine::implementations() {
    static ImplementationList<EnergyEngine> all{reference::energy(), cpu::energy()};
    return all;
}

}  // namespace glycine::structure
