#include "app/mutualinfo/network_inference.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "app/mutualinfo/mutualinfo_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/network/partial_correlation.hpp"

namespace glycine::mutualinfo {

std::unique_ptr<InformationNull> permutedNull(Backend& backend, ExpressionView expression,
                                              const NetworkOptions& options, bool isResampled,
                                              Progress& progress) {
    constexpr double kFewest = 1e5;
    constexpr double kMax = 2e7;
    const double wanted = std::max(kFewest, std::ceil(10 / *options.p));
    if (!options.nullPairs && wanted > kMax)
        throw UsageError(fmt::format(
            "P = {} needs {} of permuted genes{}; confirm the number with --null-pairs, or give a larger P{}",
            *options.p, formatCount(static_cast<std::uint64_t>(wanted), "pair"),
            isResampled ? " for bootstraps" : "",
            isResampled ? ", or --threshold" : ", or --rank, whose null distribution is known"));
    return permutationNull(
        backend, expression, options.information,
        {.pairs = options.nullPairs.value_or(static_cast<std::size_t>(wanted)),
         .seed = options.seed,
         .isResampled = isResampled,
         .fillsGaps = options.gaps.rule == GapRule::Standardised,
         .fewestValues = overlapOf(options.gaps, options.information.splines, expression.columns())},
        progress);
}

namespace {

/// The null distribution that P refers to: the requested one, or one that suits the data. Adds reservations
/// to `warnings`. Throws UsageError if it is not available.
std::unique_ptr<InformationNull> nullDistribution(Backend& backend, ExpressionView expression,
                                                  const NetworkOptions& options,
                                                  std::vector<std::string>& warnings, Progress& progress) {
    const bool isRanked = options.information.splines.transform != Transform::None;
    const bool isEven = isRanked && haveEvenRanks(expression);
    // Standardised estimates correspond to all samples, which the analytic distribution assumes.
    const bool isStandardised = options.gaps.rule == GapRule::Standardised;
    const NullModel model = options.nullModel.value_or(isEven ? NullModel::Analytic : NullModel::Permutation);
    if (options.nullPairs && model != NullModel::Permutation && options.bootstraps.count == 0)
        throw UsageError("--null-pairs is for --null permutation, which these ranks do not need");
    switch (model) {
        case NullModel::Analytic:
            if (!isEven && !(isStandardised && haveFewTies(expression)))
                warnings.push_back(fmt::format(
                    "some genes have {}one value often: the analytic null distribution does not know of "
                    "them, --null permutation does",
                    isStandardised ? "" : "missing values, or "));
            return rankNull(options.information.splines, expression.columns());
        case NullModel::Aracne:
            warnings.push_back(
                "ARACNE's constants were fitted for another estimator: this P means nothing for B-splines");
            return aracneNull(expression.columns());
        case NullModel::Permutation:
            break;
    }
    return permutedNull(backend, expression, options, false, progress);
}

}  // namespace

NetworkInference::NetworkInference(NetworkOptions& options, ExpressionView expression, std::size_t genes)
    : options_(options), expression_(expression), genes_(genes) {
    SplineOptions& splines = options_.information.splines;
    if (options_.inference.method == NetworkMethod::Correlation)
        splines.estimator = splines.transform == Transform::None ? Estimator::Pearson : Estimator::Spearman;
}

void NetworkInference::chooseOrder(bool haveGaps) {
    SplineOptions& splines = options_.information.splines;
    if (splines.estimator == Estimator::Splines)
        splines.order = defaultOrder(splines, options_.gaps.rule, haveGaps);
}

Support NetworkInference::supports(Backend& backend) {
    const NetworkMethod method = options_.inference.method;
    const bool isHost = dynamic_cast<HostBackend*>(&backend) != nullptr;
    if (needsValues())
        return isHost ? Support::yes()
                      : Support::no(
                            fmt::format("the method '{}' is computed on the processor", toString(method)));
    options_.information.precision = precisionOn(backend, options_.backend, options_.precision);
    if (!options_.isMatrix) return supportsMutualInformation(backend, expression_, options_.information);
    if (!deviceStage().empty()) return supportsStage(backend);
    return isHost ? Support::yes()
                  : Support::no(fmt::format("--matrix with --method {} leaves nothing to be done on a device",
                                            toString(method)));
}

Support NetworkInference::supportsStage(Backend& backend) const {
    const PathShape shape{genes_, valueType()};
    return needsPaths() ? supportsPaths(backend, shape) : supportsSelection(backend, shape);
}

void NetworkInference::start(Backend& backend) {
    backend_ = &backend;
    options_.information.precision = precisionOn(backend, options_.backend, options_.precision);
    constexpr std::size_t kSide = 1024;
    std::size_t& tile = options_.information.tile;
    if (options_.isMatrix)
        tile = std::min(genes_, tile > 0 ? tile : kSide);
    else
        tile = needsValues() ? std::min(genes_, kSide) : tileSide(backend, expression_, options_.information);
    if (!options_.isMatrix) estimator_ = describeEstimator(options_.information);
    if (deviceStage().empty()) return;
    Backend& used = stageBackend_.emplace(backend, supportsStage(backend)).get();
    if (needsPaths())
        paths_ =
            std::make_unique<RecountedPaths>(createImplementation<PathEngine>(used), used, options_.backend);
    else
        selection_ = std::make_unique<RecountedSelection>(createImplementation<SelectionEngine>(used), used,
                                                          options_.backend);
    options_.inference.selection = selection_.get();
}

std::string_view NetworkInference::deviceStage() const {
    if (needsPaths()) return "indirect paths";
    return selectsRegulators(options_.inference.method) ? "selection of regulators" : "";
}

void NetworkInference::prepareGaps(Progress& progress) {
    const SplineOptions& splines = options_.information.splines;
    const std::size_t overlap = overlapOf(options_.gaps, splines, expression_.columns());
    options_.gaps.minOverlap = overlap;
    moments_ = momentsFor(expression_, splines, options_.gaps.rule, {.least = overlap}, progress);
    correction_.emplace(expression_, overlap, moments_, unit());
    if (moments_) options_.inference.unknown = moments_->whole().mean * unit();
}

void NetworkInference::findThreshold(std::vector<std::string>& warnings, Progress& progress) {
    options_.inference.threshold = options_.threshold.value_or(0);
    if (!options_.p) return;
    null_ = nullDistribution(*backend_, expression_, options_, warnings, progress);
    options_.inference.threshold = null_->threshold(*options_.p) * unit();
}

pairs::ValueType NetworkInference::valueType() const {
    const bool isWide = options_.isMatrix || options_.information.precision == WeightPrecision::Float64;
    return isWide ? pairs::ValueType::Float64 : pairs::ValueType::Float32;
}

MutualInformationReport NetworkInference::fill(pairs::PairSink& sink, Progress& progress) {
    if (!needsValues()) {
        TiedInformationSink tied(sink);
        AbsoluteValuesSink absolute(tied);
        const bool areCorrelations = isCorrelation(options_.information.splines.estimator);
        CorrectedInformationSink corrected(areCorrelations ? static_cast<pairs::PairSink&>(absolute) : tied,
                                           *correction_);
        return computeMutualInformation(*backend_, expression_, options_.information, corrected, progress);
    }
    MutualInformationReport report;
    report.backend = backend_->name();
    report.device = backend_->device();
    report.variant = toString(options_.inference.method);
    const std::size_t side = options_.information.tile;
    if (options_.inference.method == NetworkMethod::Forest) {
        forestImportance(expression_, options_.inference.regulators, options_.forest, side, sink, progress);
        estimator_ = fmt::format("{} a target, seed {}", formatCount(options_.forest.trees, "tree"),
                                 options_.forest.seed);
    } else {
        const Transform transform = options_.information.splines.transform;
        const PartialCorrelation partial(expression_, transform);
        partial.store(side, sink, progress);
        estimator_ =
            fmt::format("correlations {}, shrunk by λ = {}", transform == Transform::None ? "r" : "of ranks",
                        formatNumber(partial.shrinkage()));
    }
    return report;
}

std::optional<PairRecount> NetworkInference::recountOfValues() const {
    if (options_.isMatrix || needsValues()) return std::nullopt;
    return recountOfTied(expression_, options_.information, *correction_);
}

Network NetworkInference::infer(const pairs::PairStore& values, Progress& progress) {
    return inferNetwork(values, options_.inference, paths_.get(), progress);
}

std::optional<RecountReport> NetworkInference::inferenceRecount() const {
    if (paths_) return paths_->report();
    return selection_ ? selection_->report() : std::nullopt;
}

std::vector<double> NetworkInference::pValues(const Network& network, Progress& progress) const {
    if (!null_) return {};
    std::vector<double> values(network.edges.size());
    progress.begin("P-values", static_cast<double>(values.size()));
    parallelFor(omp_get_max_threads(), values.size(), [&](std::size_t i, std::size_t) {
        values[i] = null_->pValue(network.edges[i].information / unit());
        progress.advance(1);
    });
    return values;
}

}  // namespace glycine::mutualinfo
