#include "engine/bounds/study/bounds_problem.hpp"

#include <algorithm>

#include "engine/bounds/agreement.hpp"
#include "engine/bounds/exact_row.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/device_probe.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/study/result_memory.hpp"

namespace glycine::bounds {

namespace {

template <class T>
class Smoothing final : public study::Computation {
  public:
    using Check = std::function<Comparison(const BoundMatrices<T>& smoothed)>;
    Smoothing(Backend& backend, Variant variant, const BoundMatrices<T>& input, study::CheckScope scope,
              Check check)
        : backend_(backend),
          variant_(variant),
          input_(input),
          check_(std::move(check)),
          upper_(scope),
          lower_(scope) {}

    study::Outcome run(Progress& progress) override {
        const auto copy = [](MatrixView<T> from, study::ResultMemory<T>& memory) {
            const MatrixView<T> to = memory.view(from.rows(), from.columns());
            for (std::size_t i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), from.columns(), to.row(i));
            return to;
        };
        result_ = {copy(input_.upper, upper_),
                   input_.hasLower() ? copy(input_.lower, lower_) : MatrixView<T>()};
        const SmoothingReport report = smooth(backend_, result_, {.variant = variant_}, progress);
        const auto n = static_cast<double>(input_.atoms());
        const double relaxations = n * n * n / 1e9;
        study::Outcome outcome{report.variant, {}, report.times.total(), 0, report.note};
        outcome.stages = {{"upload", report.times.upload}, {"upper", report.times.upper, relaxations}};
        if (input_.hasLower()) outcome.stages.push_back({"lower", report.times.lower, relaxations});
        outcome.stages.push_back({"download", report.times.download});
        return outcome;
    }

    std::optional<study::ResultDigest> digest() override {
        study::ResultDigester digester;
        for (const auto& [quantity, matrix] : {std::pair(0U, result_.upper), std::pair(1U, result_.lower)})
            for (std::size_t i = 0; i < matrix.rows(); ++i)
                for (std::size_t j = 0; j < matrix.columns(); ++j)
                    digester.take(quantity, i, j, matrix(i, j));
        return digester.digest();
    }
    Comparison check(Progress&) override {
        Comparison comparison = check_(result_);
        if (!upper_.isIntact() || !lower_.isIntact())
            comparison.fail("elements outside the matrices, which were overwritten");
        return comparison;  // runs start from unsmoothed bounds, which must fail the check
    }

  private:
    Backend& backend_;
    Variant variant_;
    BoundMatrices<T> input_;
    Check check_;
    study::ResultMemory<T> upper_;
    study::ResultMemory<T> lower_;
    BoundMatrices<T> result_;
};

}  // namespace

Support BoundsProblem::supports(Backend& backend, const Configuration& configuration) {
    if (atoms_ == 0) atoms_ = atomCount(input(fromString<NumberFormat>(configuration.numberFormat)));
    return algorithm().supports(backend, configuration, dimensions());
}

std::unique_ptr<study::Computation> BoundsProblem::start(Backend& backend, const Configuration& configuration,
                                                         study::CheckScope scope, Progress& progress) {
    const NumberFormat format = fromString<NumberFormat>(configuration.numberFormat);
    const Variant variant = fromString<Variant>(configuration.variant);
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) -> std::unique_ptr<study::Computation> {
            typename Smoothing<T>::Check check = [typed, seed = seed_](const BoundMatrices<T>& smoothed) {
                return verifyRows(typed, smoothed, drawSamples(typed.atoms(), kVerifiedRows, seed));
            };
            if (scope == study::CheckScope::Full)
                check = [&expected = expectation(format, progress),
                         allowed =
                             allowedDifference(format, variant, progress)](const BoundMatrices<T>& smoothed) {
                    return compareBounds(std::get<OwnedBounds<T>>(expected.smoothed).matrices(), smoothed,
                                         allowed);
                };
            return std::make_unique<Smoothing<T>>(backend, variant, typed, scope, std::move(check));
        },
        input(format));
}

AnyBoundMatrices BoundsProblem::input(NumberFormat format) {
    auto made = inputs_.find(format);
    if (made == inputs_.end()) made = inputs_.emplace(format, makeInput_(format)).first;
    return viewBounds(made->second);
}

std::vector<study::RequiredWork> BoundsProblem::needs(const Configuration& configuration) const {
    const Variant variant = fromString<Variant>(configuration.variant);
    if (variant == Variant::Sparse) return {};  // follows known bounds alone, as many as the data have
    const bool isInBlocks =
        variant == Variant::Blocked || variant == Variant::Dense || variant == Variant::Recursive;
    const auto n = static_cast<double>(atoms_);
    const std::string relaxation =
        probeName(kAddMin, configuration.numberFormat == "fixed" ? "int32" : configuration.numberFormat);
    // GPU Gems 2, chapter 43: u(i, j) ← min(u(i, j), u(i, k) + u(k, j)) for each unordered pair and each
    // third atom; of the lower bounds two differences with maxima, unless they are pruned.
    const double relaxations = n * (n - 1) * (n - 2) / 2 / 1e9;
    std::vector<study::RequiredWork> needs{{relaxation, relaxations, "upper"}};
    if (!isInBlocks) needs.push_back({relaxation, 2 * relaxations, "lower"});
    // A pass or a kernel for each k: of few atoms these set the pace.
    if (!isInBlocks && variant != Variant::Serial)
        for (const char* stage : {"upper", "lower"})
            needs.push_back({std::string(kLaunchOverhead), n, stage});
    return needs;
}

BoundsProblem::Expectation& BoundsProblem::expectation(NumberFormat format, Progress& progress) {
    if (const auto found = expectations_.find(format); found != expectations_.end()) return found->second;
    const AnyBoundMatrices unsmoothed = input(format);
    Expectation made{.smoothed = cloneBounds(unsmoothed), .rounding = {}};
    const AnyBoundMatrices smoothed = viewBounds(made.smoothed);
    const auto reference = BackendRegistry::instance().create("reference", {});
    const SmoothingReport report = smooth(*reference, smoothed, {}, progress);
    referenceSeconds_ += report.times.total();
    made.isConsistent = report.violationCount == 0;
    return expectations_.emplace(format, std::move(made)).first->second;
}

double BoundsProblem::allowedDifference(NumberFormat format, Variant variant, Progress& progress) {
    Expectation& expected = expectation(format, progress);
    if (!mayDiffer(variant, expected.isConsistent)) return 0;
    if (!expected.rounding) expected.rounding = roundingOfAllRows(input(format), progress);
    return *expected.rounding;
}

std::unique_ptr<study::Problem> randomProblem(const RandomBoundsOptions& options) {
    return std::make_unique<BoundsProblem>(
        formatCount(options.atoms, "atom"), options.atoms,
        [options](NumberFormat format) { return randomBounds(options, format).bounds; }, options.seed);
}

}  // namespace glycine::bounds
