#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"
#include "engine/mutualinfo/recount_information.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/mutualinfo/study/information_problem.hpp"
#include "engine/study/problem.hpp"

namespace glycine::mutualinfo {

namespace {

/// As `glycine network` keeps the information. Devices without float64 find paths in float32 alone.
pairs::ValueType valueTypeOf(const MutualInformationOptions& options) {
    return options.precision == WeightPrecision::Float64 ? pairs::ValueType::Float64
                                                         : pairs::ValueType::Float32;
}

}  // namespace

ExpressionNetwork networkOfExpression(Backend& backend, ExpressionView expression,
                                      const ExpressionNetworkOptions& options, PathEngine* paths,
                                      Progress& progress) {
    if (options.null == NullModel::Permutation)
        throw UsageError("thresholds by permutation need a call of permutationNull");
    Stopwatch watch;
    ExpressionNetwork result;
    result.information = std::make_unique<pairs::PairStore>(pairs::PairFormat{
        .layout = {expression.rows(), pairs::StoreLayout::Square}, .type = valueTypeOf(options.information)});
    TiedInformationSink tied(*result.information);
    const std::size_t overlap = overlapOf(options.gaps, options.information.splines, expression.columns());
    const SharedMoments moments =
        momentsFor(expression, options.information.splines, options.gaps.rule, {.least = overlap}, progress);
    result.correction.emplace(expression, overlap, moments, 1);
    CorrectedInformationSink sink(tied, *result.correction);
    result.report = computeMutualInformation(backend, expression, options.information, sink, progress);
    result.informationSeconds = watch.restart();
    const std::unique_ptr<InformationNull> null =
        options.null == NullModel::Aracne ? aracneNull(expression.columns())
                                          : rankNull(options.information.splines, expression.columns());
    result.inference = options.inference;
    result.inference.threshold = null->threshold(options.p);
    if (moments) result.inference.unknown = moments->whole().mean;
    result.network = inferNetwork(*result.information, result.inference, paths, progress);
    result.networkSeconds = watch.seconds();
    return result;
}

Comparison compareWithReference(const ExpressionNetwork& found, ExpressionView expression,
                                const ExpressionNetworkOptions& options, Progress& progress) {
    constexpr std::size_t kPairs = 120;
    Comparison comparison = equalSoFar(allowedDifference(options.information.precision));
    comparison.isAbsolute = true;
    const std::size_t genes = expression.rows();
    const std::vector<std::size_t> pairs = spreadSamples(genes * (genes - 1) / 2, kPairs, 1);
    const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
    const auto compare = [&](const RecountedPair& pair) {
        // The correction amplifies the error of the estimate.
        const double amplified = std::max(0.0, pair.allowed - comparison.allowedDifference);
        const bool isRounded = found.information->valueType() == pairs::ValueType::Float32;
        const double kept = kTieError + (isRounded ? std::abs(pair.value) * 0x1p-23 : 0);
        comparison.compareElement(
            pair.value, found.information->value(pair.row, pair.column), kept + amplified,
            [&] { return fmt::format("mutual information of ({}, {})", pair.row, pair.column); });
        return true;
    };
    recountByReference(*reference, expression, options.information, *found.correction, pairs, progress,
                       compare);
    const std::unique_ptr<PathEngine> paths = createImplementation<PathEngine>(*reference);
    const std::unique_ptr<SelectionEngine> selection = createImplementation<SelectionEngine>(*reference);
    InferenceOptions inference = found.inference;
    inference.selection = selection.get();
    const Network expected = inferNetwork(*found.information, inference, paths.get(), progress);
    if (expected.edges != found.network.edges)
        comparison.fail("edges that are not those of the same information by the reference");
    comparison.verdict =
        comparison.agrees()
            ? fmt::format("{} within {:.1g}, {} exact", formatCount(pairs.size(), "pair"),
                          comparison.largestDifference, formatCount(expected.edges.size(), "edge"))
            : comparison.place;
    return comparison;
}

namespace {

/// A case on one backend.
struct NetworkTrial {
    NetworkCase input;  ///< with the configuration's precision and variant
    Backend& backend;
    PathShape shape{input.expression->values.rows(), valueTypeOf(input.options.information)};
    InferenceBackend pathBackend{backend, supportsPaths(backend, shape)};
    std::unique_ptr<PathEngine> paths = createImplementation<PathEngine>(pathBackend.get());
    InferenceBackend selectionBackend{backend, supportsSelection(backend, shape)};
    std::unique_ptr<SelectionEngine> selection =
        createImplementation<SelectionEngine>(selectionBackend.get());
    ExpressionNetwork found{};

    ExpressionView view() const { return input.expression->values.view(); }
    study::Outcome run(Progress& progress) {
        input.options.inference.selection = selection.get();
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
        one.options.information.precision = fromString<WeightPrecision>(configuration.numberFormat);
        one.options.information.variant = fromString<Variant>(configuration.variant);
        return one;
    };
    const auto start = [withConfiguration](Backend& backend, const Configuration& configuration) {
        const auto trial =
            std::shared_ptr<NetworkTrial>(new NetworkTrial{withConfiguration(configuration), backend});
        return study::CallbackComputation{[trial](Progress& progress) { return trial->run(progress); },
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
