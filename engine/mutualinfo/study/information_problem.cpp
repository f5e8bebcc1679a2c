#include "engine/mutualinfo/study/information_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/core/device_probe.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/recount_information.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/study/pair_computation.hpp"

namespace glycine::mutualinfo {

namespace {

using study::CheckScope;
using study::Computation;

class InformationProblem final : public study::Problem {
  public:
    InformationProblem(std::shared_ptr<const io::ExpressionTable> expression, const SplineOptions& splines,
                       std::vector<std::size_t> checked, Work work)
        : expression_(std::move(expression)), splines_(splines), checked_(std::move(checked)), work_(work) {}
    std::string name() const override {
        return fmt::format("{}: {}", expression_->description, describeSplines(splines_));
    }
    Dimensions dimensions() const override {
        return {{"genes", view().rows()}, {"samples", view().columns()}};
    }
    bool concerns(const Configuration& configuration) const override {
        if (configuration.variant.empty()) return true;
        const auto variant = fromString<Variant>(configuration.variant);
        return variant == Variant::Default ||
               isCorrelation(defaultEstimator(variant)) == isCorrelation(splines_.estimator);
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsRequest(backend, requestOf(configuration));
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, CheckScope scope,
                                       Progress& progress) override {
        findAnswers(progress);
        const InformationRequest request = requestOf(configuration);
        const std::shared_ptr<InformationEngine> engine =
            createInformationEngine(backend, splines_.estimator);
        const auto start = [engine, request, view = view()] { return engine->start(view, request); };
        return study::computePairs<double>(
            {.stage = std::string(quantity()),
             .instances = view().rows(),
             .attributes = view().columns(),
             .tile = engine->preferredTile(request),
             .quantities = {std::string(quantity())},
             .allowedDifference = allowedDifference(request.precision),
             .isAbsolute = true,
             .inputs = {{start, checked_, expected_, {}}},
             .workOfEach = work_ == Work::Products ? static_cast<double>(splines_.bins * splines_.bins) : 1,
             .reportsKernelTimes = work_ == Work::Products},
            scope);
    }
    /// Multiply-adds per sample and pair: R² with products of weighting matrices (Shi et al. 2011), k · R if
    /// grouped.
    std::vector<study::RequiredWork> needs(const Configuration& configuration) const override {
        const bool isGrouped = configuration.variant == toString(Variant::Grouped) ||
                               configuration.variant == toString(Variant::Blocked);
        const std::size_t table = isCorrelation(splines_.estimator)
                                      ? 1
                                      : splines_.bins * (isGrouped ? splines_.order : splines_.bins);
        const pairs::PairTile all{{0, view().rows()}, {0, view().rows()}};
        return {{probeName(configuration.backend == "gl" || isGrouped ? kMultiplyAdd : kMatrixProduct,
                           configuration.numberFormat),
                 static_cast<double>(all.pairs() * view().columns() * table) / 1e9}};
    }
    double referenceSeconds() const override { return referenceSeconds_; }

  private:
    std::string_view quantity() const {
        return isCorrelation(splines_.estimator) ? "correlation" : "mutual information";
    }
    ExpressionView view() const { return expression_->values.view(); }

    InformationRequest requestOf(const Configuration& configuration) const {
        MutualInformationOptions options{.splines = splines_};
        if (!configuration.variant.empty()) options.variant = fromString<Variant>(configuration.variant);
        if (!configuration.numberFormat.empty())
            options.precision = fromString<WeightPrecision>(configuration.numberFormat);
        return requestFor(view(), options);
    }

    /// Runs the reference once for the checked genes.
    void findAnswers(Progress& progress) {
        if (!expected_.empty()) return;
        const Stopwatch watch;
        expected_.push_back(countAllAmong(view(), checked_, splines_, progress));
        referenceSeconds_ = watch.seconds();
    }

    std::shared_ptr<const io::ExpressionTable> expression_;
    SplineOptions splines_;
    std::vector<std::size_t> checked_;  ///< ascending
    Work work_;
    std::vector<Matrix<double>> expected_;
    double referenceSeconds_ = 0;
};

}  // namespace

std::unique_ptr<study::Problem> informationProblem(std::shared_ptr<const io::ExpressionTable> expression,
                                                   const SplineOptions& splines, std::size_t checked,
                                                   std::uint64_t seed, Work work) {
    const std::size_t genes = expression->values.rows();
    return std::make_unique<InformationProblem>(
        std::move(expression), splines, drawSamples(genes, checked == 0 ? genes : checked, seed), work);
}

}  // namespace glycine::mutualinfo
