#include "engine/algorithms/bounds/study/bounds_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/algorithms/bounds/agreement.hpp"
#include "engine/algorithms/bounds/bounds_algorithm.hpp"
#include "engine/algorithms/bounds/study/guarded_bounds.hpp"
#include "engine/algorithms/bounds/verify_rows.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::bounds {

namespace {

/// Rows that a sampled check computes again in float64; each takes O(n²).
constexpr std::size_t kVerifiedRows = 16;

/// Puts the unsmoothed bounds back.
void copyBounds(const AnyBoundMatrices& from, const AnyBoundMatrices& to) {
    std::visit(
        [&to]<class T>(const BoundMatrices<T>& source) {
            const auto& target = std::get<BoundMatrices<T>>(to);
            for (std::size_t i = 0; i < source.atoms(); ++i) {
                std::copy_n(source.upper.row(i), source.atoms(), target.upper.row(i));
                if (source.hasLower()) std::copy_n(source.lower.row(i), source.atoms(), target.lower.row(i));
            }
        },
        from);
}

/// Room for a result, with or without guards around it.
template <class T>
struct Room {
    std::optional<GuardedBounds<T>> guarded;
    std::optional<OwnedBounds<T>> plain;
    BoundMatrices<T> matrices() { return guarded ? guarded->matrices() : plain->matrices(); }
    bool isIntact() const { return !guarded || guarded->isIntact(); }
};

template <class T>
class Smoothing final : public study::Computation {
  public:
    /// `expectation`: null for a check of some rows.
    Smoothing(Backend& backend, Variant variant, const AnyBoundMatrices& input, const InputSource& source,
              BoundsProblem::Expectation* expectation)
        : backend_(backend), variant_(variant), input_(input), seed_(source.seed), expectation_(expectation) {
        if (source.isGuarded && expectation != nullptr)
            room_.guarded.emplace(std::get<BoundMatrices<T>>(input));
        else
            room_.plain = std::get<OwnedBounds<T>>(cloneBounds(input));
    }

    study::Outcome run(Progress& progress) override {
        copyBounds(input_, room_.matrices());
        const SmoothingReport report = smooth(backend_, room_.matrices(), {.variant = variant_}, progress);
        const auto n = static_cast<double>(atomCount(input_));
        const double relaxations = n * n * n / 1e9;
        study::Outcome outcome{report.variant, {}, report.times.total(), 0, report.note};
        outcome.stages = {{"upload", report.times.upload}, {"upper", report.times.upper, relaxations}};
        if (room_.matrices().hasLower()) outcome.stages.push_back({"lower", report.times.lower, relaxations});
        outcome.stages.push_back({"download", report.times.download});
        return outcome;
    }

    Comparison check(Progress&) override {
        Comparison comparison = expectation_ == nullptr ? checkRows() : checkWhole();
        if (!room_.isIntact()) comparison.fail("elements outside the matrices, which were overwritten");
        return comparison;  // every run begins with the unsmoothed bounds, which pass no check
    }

  private:
    Comparison checkWhole() {
        const BoundDifference difference =
            compareBounds(viewBounds(expectation_->smoothed), room_.matrices());
        return {
            .isEqual = difference.isEqual,
            .largestDifference = difference.largest,
            .allowedDifference = allowedDifference(numberFormat(input_), variant_, expectation_->isConsistent,
                                                   atomCount(input_), expectation_->largest),
            .place = difference.isEqual ? std::string() : difference.place()};
    }

    /// Values computed from the input alone.
    Comparison checkRows() {
        const AnyBoundMatrices smoothed = room_.matrices();
        const std::size_t atoms = atomCount(input_);
        const RowDeviations found = verifyRows(input_, smoothed, sampleRows(atoms, kVerifiedRows, seed_));
        const double largest = found.largest();
        const std::string rows = formatCount(found.rows, "row");
        Comparison comparison{.isEqual = largest == 0, .largestDifference = largest, .place = found.place()};
        comparison.allowedDifference = pathRoundingBound(
            numberFormat(input_), atoms, std::max(largestFiniteBound(input_), largestFiniteBound(smoothed)));
        if (comparison.agrees())
            comparison.verdict =
                comparison.isEqual ? rows + " exact" : fmt::format("{} within {:.1g} Å", rows, largest);
        return comparison;
    }

    Backend& backend_;
    Variant variant_;
    AnyBoundMatrices input_;
    std::uint64_t seed_;
    BoundsProblem::Expectation* expectation_;
    Room<T> room_;
};

}  // namespace

Support BoundsProblem::supports(Backend& backend, const Configuration& configuration) {
    if (source_.atoms == 0) source_.atoms = atomCount(input(parseNumberFormat(configuration.numberFormat)));
    return algorithm().supports(backend, configuration, dimensions());
}

std::unique_ptr<study::Computation> BoundsProblem::start(Backend& backend, const Configuration& configuration,
                                                         study::Depth depth, Progress& progress) {
    const NumberFormat format = parseNumberFormat(configuration.numberFormat);
    Expectation* expected = depth == study::Depth::Whole ? &expectation(format, progress) : nullptr;
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) -> std::unique_ptr<study::Computation> {
            return std::make_unique<Smoothing<T>>(backend, parseVariant(configuration.variant), typed,
                                                  source_, expected);
        },
        input(format));
}

AnyBoundMatrices BoundsProblem::input(NumberFormat format) {
    std::shared_ptr<AnyOwnedBounds>& made = inputs_[format];
    if (made == nullptr) made = source_.make(format);
    return viewBounds(*made);
}

BoundsProblem::Expectation& BoundsProblem::expectation(NumberFormat format, Progress& progress) {
    if (const auto found = expectations_.find(format); found != expectations_.end()) return found->second;
    const AnyBoundMatrices unsmoothed = input(format);
    Expectation made{cloneBounds(unsmoothed)};
    const auto reference = BackendRegistry::instance().create("reference", {});
    const SmoothingReport report = smooth(*reference, viewBounds(made.smoothed), {}, progress);
    referenceSeconds_ += report.times.total();
    made.isConsistent = report.violationCount == 0;
    made.largest = std::max(largestFiniteBound(unsmoothed), largestFiniteBound(viewBounds(made.smoothed)));
    return expectations_.emplace(format, std::move(made)).first->second;
}

}  // namespace glycine::bounds
