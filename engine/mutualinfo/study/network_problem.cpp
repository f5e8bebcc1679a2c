#include <fmt/format.h>

#include <utility>

#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/mutualinfo/study/information_problem.hpp"
#include "engine/study/problem.hpp"

namespace glycine::mutualinfo {

namespace {

/// A backend at work on a case.
struct NetworkTrial {
    NetworkCase input;  ///< with the configuration's precision and variant
    Backend& backend;
    PathBackend pathBackend{backend, {.genes = input.expression->values.rows()}};
    std::unique_ptr<PathEngine> paths = createPathEngine(pathBackend.get());
    ExpressionNetwork found{};

    ExpressionView view() const { return input.expression->values.view(); }
    study::Outcome run(Progress& progress) {
        found = networkOfExpression(backend, view(), input.options, paths.get(), progress);
        const TruthScore score = compareWithTruth(found.network.edges, *input.truth, view().rows(), {});
        return {.variant = found.report.variant,
                .stages = {{"information", found.informationSeconds}, {"network", found.networkSeconds}},
                .seconds = found.informationSeconds + found.networkSeconds,
                .note = found.report.note,
                .scores = {{"TP", static_cast<double>(score.truePositives)},
                           {"FP", static_cast<double>(score.falsePositives)},
                           {"FN", static_cast<double>(score.falseNegatives)},
                           {"sensitivity", score.recall()},
                           {"specificity", score.specificity()},
                           {"precision", score.precision()}}};
    }
    Comparison check(Progress& progress) {
        const ExpressionNetwork last = std::exchange(found, {});
        return compareWithReference(last, view(), input.options, progress);
    }
};

}  // namespace

std::unique_ptr<study::Problem> networkProblem(NetworkCase input) {
    const ExpressionView view = input.expression->values.view();
    const auto withConfiguration = [input](const Configuration& configuration) {
        NetworkCase one = input;
        one.options.information.precision = fromString<Precision>(configuration.numberFormat);
        one.options.information.variant = fromString<Variant>(configuration.variant);
        return one;
    };
    const auto start = [withConfiguration](Backend& backend, const Configuration& configuration) {
        const auto trial =
            std::shared_ptr<NetworkTrial>(new NetworkTrial{withConfiguration(configuration), backend});
        return study::ToldComputation{[trial](Progress& progress) { return trial->run(progress); },
                                      [trial](Progress& progress) { return trial->check(progress); }};
    };
    return study::problemOf(
        {.name = fmt::format("{}: {}", input.method, describeSplines(input.options.information.splines)),
         .dimensions = {{"genes", view.rows()}, {"samples", view.columns()}},
         .supports =
             [withConfiguration, view](Backend& backend, const Configuration& configuration) {
                 return supportsMutualInformation(backend, view,
                                                  withConfiguration(configuration).options.information);
             },
         .start = start});
}

}  // namespace glycine::mutualinfo
