#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/mutualinfo/mutualinfo_options.hpp"
#include "app/mutualinfo/mutualinfo_report.hpp"
#include "app/mutualinfo/network_inference.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/recount_information.hpp"
#include "engine/mutualinfo/results/network_files.hpp"
#include "engine/pairs/few_instances.hpp"
#include "python/src/arrays.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

using namespace mutualinfo;

/// Arguments about the expression matrix that both functions share.
struct Expression {
    Expression(const py::object& given, Keywords& keywords, MutualInformationOptions& information,
               GapOptions& gaps)
        : values(matrixOf<double>("X", onHost(given))) {
        SplineOptions& splines = information.splines;
        keywords.read("estimator", splines.estimator, "bins", splines.bins, "order", splines.order, "knots",
                      splines.knots, "rank", splines.transform, "unit", information.unit, "tile",
                      information.tile, "gaps", gaps.rule, "min_overlap", gaps.minOverlap, "precision",
                      precision);
    }
    ExpressionView view() const { return values.view; }
    WeightPrecision precisionOn(const Backend& backend, const Request& request) const {
        return mutualinfo::precisionOn(backend, request, precision);
    }

    HeldMatrix<double> values;
    std::optional<WeightPrecision> precision;
};

pairs::ValueType widthOf(const MutualInformationOptions& information) {
    return information.precision == WeightPrecision::Float64 ? pairs::ValueType::Float64
                                                             : pairs::ValueType::Float32;
}

/// The correction of a table with gaps.
GapCorrection correctionOf(ExpressionView expression, const MutualInformationOptions& information,
                           GapOptions& gaps, SharedMoments& moments, Progress& progress) {
    gaps.minOverlap = overlapOf(gaps, information.splines, expression.columns());
    moments = momentsFor(expression, information.splines, gaps.rule, {.least = *gaps.minOverlap}, progress);
    return {expression, *gaps.minOverlap, moments,
            isCorrelation(information.splines.estimator) ? 1 : perBit(information.unit)};
}

/// Sets the backend's precision, then checks whether it supports the request.
std::function<Support(Backend&)> ableTo(const Request& request, const Expression& expression,
                                        ExpressionView view, MutualInformationOptions& information) {
    return [&, view](Backend& backend) {
        information.precision = expression.precisionOn(backend, request);
        return supportsMutualInformation(backend, view, information);
    };
}

/// `isOnDevice`: uses values on a device in place; returns None if the host has to compute.
py::object informationOf(const py::object& X, const py::dict& given, bool isOnDevice) {
    Keywords keywords(given);
    const Request request(keywords, algorithm());
    MutualInformationOptions information;
    GapOptions gaps = gapsOfMatrices();
    DeviceMatrix there;
    if (isOnDevice) there = deviceMatrix(X);
    if (isOnDevice && (there.kind != 'f' || !request.mayRunOnCuda())) return py::none();
    const Expression expression(isOnDevice ? py::object(py::array_t<double>({1, 1})) : X, keywords,
                                information, gaps);
    const ExpressionView view =
        isOnDevice ? ExpressionView(nullptr, there.rows, there.columns) : expression.view();
    PairResult result(keywords);
    keywords.finish();
    information.variant = fromString<Variant>(request.variant);
    information.splines = withImplied(information.splines);
    if (isOnDevice) information.onDevice = &there;
    unlocked([&](Progress&) { checkInformation(view, information); });

    MutualInformationReport report;
    std::optional<GeneSummary> genes;
    std::optional<RecountReport> recount;
    const Computed computed = compute(
        request, ableTo(request, expression, view, information), [&](Backend& backend, Progress& progress) {
            std::unique_ptr<DeviceArrays> arrays;
            if (isOnDevice) {
                if (backend.name() != "cuda") return;
                arrays = deviceArraysOf(backend);
                there.device = arrays->deviceOf(there.data);
                genes = summarizeOnDevice(backend, there, information.splines, information.unit);
                if (!genes) return;
            }
            information.precision = expression.precisionOn(backend, request);
            {
                const py::gil_scoped_acquire hasLock;
                result.settle(view.rows(), widthOf(information));
            }
            if (!genes) genes = summarizeGenes(view, information.splines, information.unit, progress);
            pairs::PairSink& store = result.open(backend, 0, genes->entropies);
            if (isOnDevice) {
                // Without missing values, nothing has to be corrected.
                gaps.minOverlap = overlapOf(gaps, information.splines, view.columns());
                report = computeMutualInformation(backend, view, information, store, progress);
                const auto countSome = [&](Backend& reference, std::span<const std::size_t> pairs,
                                           Progress& silent, const auto& take) {
                    pairs::countAmongFew(pairs, view.columns() * sizeof(double), take,
                                         [&](const pairs::FewInstances& few, const auto& takeOne) {
                                             const Matrix<double> rows = rowsOnHost(*arrays, there, few.rows);
                                             MutualInformationOptions onHost = information;
                                             onHost.onDevice = nullptr;
                                             recountByReference(reference, rows.view(), onHost, few.pairs,
                                                                silent, takeOne);
                                         });
                };
                recount = recountSome(backend, request, result.found(), report,
                                      {"mutual information",
                                       {.each = secondsForRecount(view.columns(), information.splines)},
                                       countSome},
                                      progress);
                return;
            }
            SharedMoments moments;
            const GapCorrection correction = correctionOf(view, information, gaps, moments, progress);
            CorrectedInformationSink corrected(store, correction);
            report = computeMutualInformation(backend, view, information, corrected, progress);
            recount = recountSome(backend, request, result.found(), report,
                                  recountOf(view, information, correction), progress);
        });
    if (!genes) return py::none();
    py::dict run = describe(report, computed, recount);
    addItems(run, "estimator", information.splines.estimator, "unit", information.unit, "precision",
             information.precision, "min_overlap", *gaps.minOverlap, "is_similarity", true);
    return py::make_tuple(result.array(), run);
}

py::object mutualInformation(const py::object& X, const py::dict& given) {
    const bool mayBeOnDevice = deviceMatrix(X).data != nullptr;
    const py::object found = mayBeOnDevice ? informationOf(X, given, true) : py::none();
    return found.is_none() ? informationOf(X, given, false) : found;
}

/// Converts the indices of regulators.
Regulators regulatorsOf(const py::object& given, std::size_t genes) {
    Regulators regulators;
    if (given.is_none()) return regulators;
    regulators.flags.assign(genes, 0);
    for (const auto gene : given.cast<std::vector<std::size_t>>()) {
        if (gene >= genes) throw UsageError(fmt::format("regulator {} is none of {} genes", gene, genes));
        regulators.flags[gene] = 1;
    }
    return regulators;
}

py::tuple network(const py::object& X, const py::dict& given) {
    Keywords keywords(given);
    const Request request(keywords, algorithm());
    NetworkOptions options;
    options.backend = request;
    MutualInformationOptions& information = options.information;
    const Expression expression(X, keywords, information, options.gaps);
    const ExpressionView view = expression.view();
    options.precision = expression.precision;
    keywords.read("method", options.inference.method, "pvalue", options.p, "threshold", options.threshold,
                  "null", options.nullModel, "null_pairs", options.nullPairs, "dpi",
                  options.inference.tolerance, "top", options.inference.most, "selections",
                  options.inference.selections, "seed", options.seed, "trees", options.forest.trees,
                  "node_candidates", options.forest.candidates);
    options.inference.regulators = regulatorsOf(keywords.object("regulators"), view.rows());
    keywords.finish();
    const NetworkMethod method = options.inference.method;
    if (isCorrelation(information.splines.estimator))
        throw UsageError("a network is made of information, not r; there is the method 'correlation'");
    for (const char* const option : {"bins", "order", "knots", "unit", "gaps"})
        if (!isOfInformation(method) && keywords.has(option))
            throw UsageError(fmt::format("{} is for mutual information, which the method '{}' does not use",
                                         option, toString(method)));
    checkNetworkOptions(options);
    information.variant = fromString<Variant>(request.variant);
    NetworkInference inference(options, view, view.rows());
    const double checkSeconds = unlocked([&](Progress&) {
        checkInformation(view, information);
        if (!keywords.has("order")) inference.chooseOrder(CommonSamples(view).haveGaps());
    });
    Network found;
    std::vector<double> pValues;
    std::vector<std::string> warnings;
    MutualInformationReport report;
    std::optional<RecountReport> recount;
    Computed computed = compute(
        request, [&](Backend& backend) { return inference.supports(backend); },
        [&](Backend& backend, Progress& progress) {
            inference.start(backend);
            inference.prepareGaps(progress);
            inference.findThreshold(warnings, progress);
            const pairs::PairLayout layout{view.rows(), pairs::StoreLayout::Square};
            pairs::PairStore store({.layout = layout, .type = inference.valueType()});
            report = inference.fill(store, progress);
            if (const auto how = inference.recountOfValues()) {
                const auto value = [&](std::size_t i, std::size_t j) { return store.value(i, j); };
                recount =
                    recountSome(backend, request, {layout, store.valueType(), value}, report, *how, progress);
            }
            found = inference.infer(store, progress);
            pValues = inference.pValues(found, progress);
        });
    computed.seconds += checkSeconds;
    NetworkTable table;
    table.regulators = &options.inference.regulators;
    std::vector<std::uint32_t> first, second;
    std::vector<double> scores, values;
    for (const Edge& edge : found.edges) {
        const auto [a, b] = table.ends(edge);
        first.push_back(static_cast<std::uint32_t>(a));
        second.push_back(static_cast<std::uint32_t>(b));
        scores.push_back(edge.score);
        values.push_back(edge.information);
    }
    py::dict run = describe(report, computed, recount);
    addItems(run, "inference_recount", toPython(inference.inferenceRecount()), "method", method, "order",
             information.splines.order, "candidates", found.candidates, "indirect", found.indirect,
             "threshold", options.inference.threshold, "warnings", warnings);
    return py::make_tuple(arrayOf(std::move(first)), arrayOf(std::move(second)), arrayOf(std::move(scores)),
                          isOfInformation(method) ? py::object(arrayOf(std::move(values))) : py::none(),
                          options.p ? py::object(arrayOf(std::move(pValues))) : py::object(py::none()), run);
}

const Function functions[] = {{"mutual_information", &mutualInformation}, {"network", &network}};

}  // namespace

}  // namespace glycine::python
