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

namespace glycine::python {

namespace {

/// `isOnDevice`: uses values on a device in place; returns None if the host has to compute.
py::object informationOf(const py::object& X, const py::dict& given, bool isOnDevice) {
    Keywords keywords(given);
    const Request request(keywords, mutualinfo::algorithm());
    mutualinfo::MutualInformationOptions information;
    mutualinfo::GapOptions gaps = mutualinfo::gapsOfMatrices();
    std::optional<mutualinfo::WeightPrecision> precision;
    keywords.read("estimator", information.splines.estimator, "precision", precision);
    Options declared;
    declareTileOption(declared, information.tile);
    mutualinfo::declareEstimatorOptions(declared, information);
    mutualinfo::declareGapOptions(declared, gaps);
    keywords.parse(
        declared,
        {"bins", {"order", "--spline-order"}, "knots", "rank", "unit", "gaps", "min_overlap", "tile"});
    mutualinfo::requireReadersOf(declared, information.splines.estimator);
    PairTarget result(keywords);
    keywords.finish();
    information.variant = fromString<mutualinfo::Variant>(request.variant);
    information.splines = mutualinfo::withImplied(information.splines);
    DeviceMatrix there;
    NumpyMatrix<double> values;
    mutualinfo::ExpressionView view;
    if (isOnDevice) {
        there = deviceMatrix(X);
        if (there.kind != 'f' || !request.mayRunOnCuda()) return py::none();
        view = {nullptr, there.rows, there.columns};
        information.onDevice = &there;
    } else {
        values = matrixOf<double>("X", onHost(X));
        view = values.view;
    }
    unlocked([&](Progress&) { mutualinfo::checkInformation(view, information); });

    mutualinfo::MutualInformationReport report;
    std::optional<mutualinfo::GeneSummary> genes;
    std::optional<RecountReport> recount;
    const auto canRun = [&](Backend& backend) {
        information.precision = mutualinfo::precisionOn(backend, request, precision);
        return mutualinfo::supportsMutualInformation(backend, view, information);
    };
    const auto run = [&](Backend& backend, Progress& progress) {
        if (isOnDevice && backend.name() != "cuda") return;
        information.precision = mutualinfo::precisionOn(backend, request, precision);
        std::unique_ptr<DeviceArrays> arrays;
        if (isOnDevice) {
            arrays = deviceArraysOf(backend);
            there.device = arrays->deviceOf(there.data);
            genes = mutualinfo::summarizeOnDevice(backend, there, information.splines, information.unit);
            if (!genes) return;
        } else {
            genes = mutualinfo::summarizeGenes(view, information.splines, information.unit, progress);
        }
        const bool isWide = information.precision == mutualinfo::WeightPrecision::Float64;
        result.settle(view.rows(), isWide ? pairs::ValueType::Float64 : pairs::ValueType::Float32);
        pairs::PairSink& store = result.open(backend, 0, genes->entropies);
        gaps.minOverlap = mutualinfo::overlapOf(gaps, information.splines, view.columns());
        if (!isOnDevice) {
            const mutualinfo::SharedMoments moments = mutualinfo::momentsFor(
                view, information.splines, gaps.rule, {.least = *gaps.minOverlap}, progress);
            const bool isR = mutualinfo::isCorrelation(information.splines.estimator);
            const mutualinfo::GapCorrection correction{view, *gaps.minOverlap, moments,
                                                       isR ? 1 : mutualinfo::perBit(information.unit)};
            mutualinfo::CorrectedInformationSink corrected(store, correction);
            report = mutualinfo::computeMutualInformation(backend, view, information, corrected, progress);
            recount = recountSome(backend, request, result.found(), report,
                                  mutualinfo::recountOf(view, information, correction), progress);
            return;
        }
        // Without missing values, nothing has to be corrected.
        report = mutualinfo::computeMutualInformation(backend, view, information, store, progress);
        const auto countSome = [&](Backend& reference, std::span<const std::size_t> pairs, Progress& silent,
                                   const auto& take) {
            const auto countFew = [&](const pairs::FewInstances& few, const auto& takeOne) {
                const Matrix<double> rows = rowsOnHost(*arrays, there, few.rows);
                mutualinfo::MutualInformationOptions onHost = information;
                onHost.onDevice = nullptr;
                mutualinfo::recountByReference(reference, rows.view(), onHost, few.pairs, silent, takeOne);
            };
            pairs::countAmongFew(pairs, view.columns() * sizeof(double), take, countFew);
        };
        const double seconds = mutualinfo::secondsForRecount(view.columns(), information.splines);
        recount = recountSome(backend, request, result.found(), report,
                              {"mutual information", {.each = seconds}, countSome}, progress);
    };
    const Computed computed = compute(request, canRun, run);
    if (!genes) return py::none();
    py::dict facts = describe(report, computed, recount);
    addItems(facts, "estimator", information.splines.estimator, "unit", information.unit, "precision",
             information.precision, "min_overlap", *gaps.minOverlap, "is_similarity", true);
    return py::make_tuple(result.array(), facts);
}

py::object mutualInformation(const py::object& X, const py::dict& given) {
    const bool mayBeOnDevice = deviceMatrix(X).data != nullptr;
    const py::object found = mayBeOnDevice ? informationOf(X, given, true) : py::none();
    return found.is_none() ? informationOf(X, given, false) : found;
}

/// Converts the indices of regulators.
mutualinfo::Regulators regulatorsOf(const py::object& given, std::size_t genes) {
    mutualinfo::Regulators regulators;
    if (given.is_none()) return regulators;
    regulators.flags.assign(genes, 0);
    for (const auto gene : given.cast<std::vector<std::int64_t>>()) {
        if (gene < 0 || gene >= static_cast<std::int64_t>(genes))
            throw UsageError(fmt::format("regulator {} is none of {} genes", gene, genes));
        regulators.flags[static_cast<std::size_t>(gene)] = 1;
    }
    return regulators;
}

/// First and second gene (a regulator first), score and information of each edge, in the memory of the edges.
py::list columnsOf(std::vector<mutualinfo::Edge> edges, const mutualinfo::Regulators& regulators) {
    mutualinfo::NetworkTable table;
    table.regulators = &regulators;
    for (mutualinfo::Edge& edge : edges) {
        const auto [first, second] = table.ends(edge);
        edge.row = static_cast<std::uint32_t>(first);
        edge.column = static_cast<std::uint32_t>(second);
    }
    auto* const kept = new std::vector<mutualinfo::Edge>(std::move(edges));
    const py::capsule owner(
        kept, [](void* pointer) { delete static_cast<std::vector<mutualinfo::Edge>*>(pointer); });
    py::list columns;
    const auto add = [&]<class T>(T mutualinfo::Edge::*member) {
        columns.append(kept->empty() ? py::array_t<T>(0)
                                     : py::array_t<T>({kept->size()}, {sizeof(mutualinfo::Edge)},
                                                      &(kept->front().*member), owner));
    };
    add(&mutualinfo::Edge::row);
    add(&mutualinfo::Edge::column);
    add(&mutualinfo::Edge::score);
    add(&mutualinfo::Edge::information);
    return columns;
}

py::tuple network(const py::object& X, const py::dict& given) {
    Keywords keywords(given);
    const Request request(keywords, mutualinfo::algorithm());
    mutualinfo::NetworkOptions options;
    Options declared;
    mutualinfo::declareNetworkOptions(declared, options);
    for (const char* const file : {"INPUT", "--output"}) declared.remove(file);
    keywords.parse(declared, {"method",
                              "pvalue",
                              "threshold",
                              "null",
                              "null_pairs",
                              "dpi",
                              "top",
                              "selections",
                              "seed",
                              "trees",
                              "node_candidates",
                              "bins",
                              {"order", "--spline-order"},
                              "knots",
                              "rank",
                              "unit",
                              "gaps",
                              "min_overlap",
                              "tile",
                              "precision"});
    mutualinfo::checkNetworkOptions(declared, options);
    options.backend = request;
    const NumpyMatrix<double> expression = matrixOf<double>("X", onHost(X));
    const mutualinfo::ExpressionView view = expression.view;
    options.inference.regulators = regulatorsOf(keywords.object("regulators"), view.rows());
    keywords.finish();
    const mutualinfo::NetworkMethod method = options.inference.method;
    mutualinfo::MutualInformationOptions& information = options.information;
    information.variant = fromString<mutualinfo::Variant>(request.variant);
    mutualinfo::NetworkInference inference(options, view, view.rows());
    const double checkSeconds = unlocked([&](Progress&) {
        mutualinfo::checkInformation(view, information);
        if (!declared.isGiven("--spline-order"))
            inference.chooseOrder(mutualinfo::CommonSamples(view).haveGaps());
    });
    mutualinfo::Network found;
    std::vector<double> pValues;
    std::vector<std::string> warnings;
    mutualinfo::MutualInformationReport report;
    std::optional<RecountReport> recount;
    Computed computed = compute(
        request, [&](Backend& backend) { return inference.supports(backend); },
        [&](Backend& backend, Progress& progress) {
            inference.start(backend);
            inference.prepareGaps(progress);
            inference.findThreshold(warnings, progress);
            // The selection of regulators reads rows in place.
            const pairs::PairLayout layout{view.rows(), mutualinfo::selectsRegulators(method)
                                                            ? pairs::StoreLayout::Square
                                                            : pairs::StoreLayout::Triangle};
            pairs::PairStore store({.layout = layout, .type = inference.valueType()});
            report = inference.fill(store, progress);
            if (const auto how = inference.recountOfValues()) {
                const auto value = [&](std::size_t i, std::size_t j) { return store.value(i, j); };
                recount =
                    recountSome(backend, request, {layout, store.valueType(), value}, report, *how, progress);
            }
            found = inference.infer(store, progress);
            store.discard();
            pValues = inference.pValues(found, progress);
        });
    computed.seconds += checkSeconds;
    const std::size_t candidates = found.candidates, indirect = found.indirect;
    const py::list columns = columnsOf(std::move(found.edges), options.inference.regulators);
    py::dict run = describe(report, computed, recount);
    addItems(run, "inference_recount", toPython(inference.inferenceRecount()), "method", method, "order",
             information.splines.order, "candidates", candidates, "indirect", indirect, "threshold",
             options.inference.threshold, "warnings", warnings);
    return py::make_tuple(columns[0], columns[1], columns[2],
                          mutualinfo::isOfInformation(method) ? py::object(columns[3]) : py::none(),
                          options.p ? py::object(arrayOf(std::move(pValues))) : py::object(py::none()), run);
}

const Function informationFunctions[] = {{"mutual_information", &mutualInformation}, {"network", &network}};

}  // namespace

}  // namespace glycine::python
