#include "engine/algorithms/mutualinfo/study/information_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/algorithms/mutualinfo/information_engine.hpp"
#include "engine/core/samples.hpp"
#include "engine/study/pair_computation.hpp"

namespace glycine::mutualinfo {

namespace {

using study::Computation;
using study::Depth;

class InformationProblem final : public study::Problem {
  public:
    InformationProblem(std::shared_ptr<const StudyExpression> expression, const SplineOptions& splines,
                       std::vector<std::size_t> checked)
        : expression_(std::move(expression)), splines_(splines), checked_(std::move(checked)) {}
    std::string name() const override {
        return fmt::format("{}: {}", expression_->description, describe(splines_));
    }
    Dimensions dimensions() const override {
        return {{"genes", view().rows()}, {"samples", view().columns()}};
    }
    bool concerns(const Configuration& configuration) const override {
        if (configuration.variant.empty()) return true;
        const auto variant = fromString<Variant>(configuration.variant);
        return variant == Variant::Default ||
               isCorrelation(usualEstimator(variant)) == isCorrelation(splines_.estimator);
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsRequest(backend, requestOf(configuration));
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, Depth depth,
                                       Progress& progress) override {
        findAnswers(progress);
        const InformationRequest request = requestOf(configuration);
        const std::shared_ptr<InformationEngine> engine =
            createInformationEngine(backend, splines_.estimator);
        const auto start = [engine, request, view = view()] { return engine->start(view, request); };
        return study::computePairs<double>({.stage = std::string(quantity()),
                                            .instances = view().rows(),
                                            .attributes = view().columns(),
                                            .tile = engine->preferredTile(request),
                                            .quantities = {std::string(quantity())},
                                            .allowedDifference = allowedDifference(request.precision),
                                            .isAbsolute = true,
                                            .inputs = {{start, checked_, expected_, {}}}},
                                           depth);
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
            options.precision = fromString<Precision>(configuration.numberFormat);
        return requestFor(view(), options);
    }

    /// Once, about the checked genes in their order.
    void findAnswers(Progress& progress) {
        if (!expected_.empty()) return;
        Matrix<double> genes(checked_.size(), view().columns());
        for (std::size_t i = 0; i < checked_.size(); ++i)
            std::copy_n(view().row(checked_[i]), genes.columns(), genes.row(i));
        const std::unique_ptr<Backend> backend = BackendRegistry::instance().create("reference", {});
        const std::unique_ptr<InformationEngine> engine =
            createInformationEngine(*backend, splines_.estimator);
        const auto run = engine->start(genes.view(), requestFor(genes.view(), {.splines = splines_}));
        expected_ =
            study::askReference<double>(*run, genes.rows(), genes.columns(), 1, referenceSeconds_, progress);
    }

    std::shared_ptr<const StudyExpression> expression_;
    SplineOptions splines_;
    std::vector<std::size_t> checked_;  ///< ascending
    std::vector<Matrix<double>> expected_;
    double referenceSeconds_ = 0;
};

}  // namespace

std::string describe(const SplineOptions& splines) {
    if (isCorrelation(splines.estimator)) return std::string(toString(splines.estimator));
    std::string text = fmt::format("{} bins, order {}", splines.bins, splines.order);
    if (splines.knots != Knots::Clamped) text += fmt::format(", {} knots", toString(splines.knots));
    if (splines.transform != Transform::None) text += fmt::format(", {} ranks", toString(splines.transform));
    return text;
}

std::unique_ptr<study::Problem> informationProblem(std::shared_ptr<const StudyExpression> expression,
                                                   const SplineOptions& splines, std::size_t checked,
                                                   std::uint64_t seed) {
    const std::size_t genes = expression->values.rows();
    return std::make_unique<InformationProblem>(std::move(expression), splines,
                                                drawSamples(genes, checked == 0 ? genes : checked, seed));
}

}  // namespace glycine::mutualinfo
