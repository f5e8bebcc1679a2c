#include "app/mutualinfo/network_inference.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/mutualinfo/mutualinfo_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/network/partial_correlation.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"

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

/// Approximate seconds per mediator of a pair in the reference.
constexpr double kSecondsOfMediator = 1e-8;

class RecountedRun final : public PathRun {
  public:
    RecountedRun(std::unique_ptr<PathRun> run, const PathRequest& request, Recount& recount)
        : run_(std::move(run)), request_(request), recount_(recount) {}
    std::string_view variantName() const override { return run_->variantName(); }
    pairs::PairTimes times() const override { return run_->times(); }
    std::string note() const override { return run_->note(); }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        const Stopwatch watch;
        run_->compute(tile, results, progress);
        const double seconds = watch.seconds();
        const double each = kSecondsOfMediator * static_cast<double>(request_.information->instances());
        recount_.countSome(tile.pairs(), Recount::kMax, {.each = each, .run = seconds},
                           [&](std::size_t number) {
                               compare(tile, pairInTile(tile, number), results.front());
                               return std::size_t{1};
                           });
    }

  private:
    static pairs::PairTile pairInTile(const pairs::PairTile& tile, std::size_t number) {
        pairs::PairTile pair = pairs::pairNumber(number);
        if (!tile.isDiagonal()) {
            const std::size_t row = number / tile.columns.size();
            const std::size_t column = number % tile.columns.size();
            pair = {{row, row + 1}, {column, column + 1}};
        }
        return {{tile.rows.begin + pair.rows.begin, tile.rows.begin + pair.rows.end},
                {tile.columns.begin + pair.columns.begin, tile.columns.begin + pair.columns.end}};
    }

    void compare(const pairs::PairTile& tile, const pairs::PairTile& pair, MatrixView<double> found) {
        if (!reference_) reference_ = createImplementation<PathEngine>(recount_.reference())->start(request_);
        double expected = 0;
        const MatrixView<double> view(&expected, 1, 1);
        Progress unseen;
        reference_->compute(pair, {&view, 1}, unseen);
        recount_.compare(std::string(variantName()),
                         found(pair.rows.begin - tile.rows.begin, pair.columns.begin - tile.columns.begin),
                         expected, 0, [&] {
                             return fmt::format("strongest indirect path between genes {} and {}",
                                                pair.columns.begin + 1, pair.rows.begin + 1);
                         });
    }

    std::unique_ptr<PathRun> run_;
    PathRequest request_;
    Recount& recount_;
    std::unique_ptr<PathRun> reference_;
};

/// Approximate seconds per term of a sum in the reference.
constexpr double kSecondsOfTerm = 1e-8;

class RecountedTargets final : public SelectionRun {
  public:
    RecountedTargets(std::unique_ptr<SelectionRun> run, const SelectionRequest& request, Recount& recount)
        : run_(std::move(run)), request_(request), recount_(recount) {}
    std::string_view variantName() const override { return run_->variantName(); }

    void score(Range targets, MatrixView<double> scores, Progress& progress) override {
        const Stopwatch watch;
        run_->score(targets, scores, progress);
        const auto n = static_cast<double>(request_.information->instances());
        const double selections = std::min(n, static_cast<double>(request_.selections));
        recount_.countSome(targets.size(), Recount::kMax,
                           {.each = kSecondsOfTerm * n * selections, .run = watch.seconds()},
                           [&](std::size_t index) {
                               compare(targets.begin + index, scores.row(index));
                               return std::size_t{1};
                           });
    }

  private:
    void compare(std::size_t target, const double* found) {
        if (!reference_)
            reference_ = createImplementation<SelectionEngine>(recount_.reference())->start(request_);
        Matrix<double> expected(1, request_.information->instances());
        Progress unseen;
        reference_->score({target, target + 1}, expected.view(), unseen);
        for (std::size_t j = 0; j < expected.columns(); ++j)
            recount_.compare(std::string(variantName()), std::max(found[j], 0.0),
                             std::max(expected(0, j), 0.0), 0,
                             [&] { return fmt::format("score of gene {} for gene {}", j + 1, target + 1); });
    }

    std::unique_ptr<SelectionRun> run_;
    SelectionRequest request_;
    Recount& recount_;
    std::unique_ptr<SelectionRun> reference_;
};

}  // namespace

/// Searches indirect paths with another engine, and recounts some paths of each tile with the reference. Its
/// runs throw WrongResultError if the results differ.
class RecountedPaths final : public PathEngine {
  public:
    /// `backend` is the backend of `paths`.
    RecountedPaths(std::unique_ptr<PathEngine> paths, const Backend& backend, const BackendRequest& request)
        : paths_(std::move(paths)), recount_(backend, request, "path") {}
    Support supports(const PathShape& shape) const override { return paths_->supports(shape); }
    std::size_t preferredTile(std::size_t genes) const override { return paths_->preferredTile(genes); }
    /// The runs must not outlive this object.
    std::unique_ptr<PathRun> start(const PathRequest& request) override {
        return std::make_unique<RecountedRun>(paths_->start(request), request, recount_);
    }
    /// See Recount::report.
    std::optional<RecountReport> report() const { return recount_.report(); }

  private:
    std::unique_ptr<PathEngine> paths_;
    Recount recount_;
};

/// The same for selections of regulators: recounts some targets of each share, over all genes.
class RecountedSelection final : public SelectionEngine {
  public:
    RecountedSelection(std::unique_ptr<SelectionEngine> engine, const Backend& backend,
                       const BackendRequest& request)
        : engine_(std::move(engine)), recount_(backend, request, "target") {}
    Support supports(const PathShape& shape) const override { return engine_->supports(shape); }
    std::size_t preferredTargets(std::size_t genes) const override {
        return engine_->preferredTargets(genes);
    }
    std::unique_ptr<SelectionRun> start(const SelectionRequest& request) override {
        return std::make_unique<RecountedTargets>(engine_->start(request), request, recount_);
    }
    std::optional<RecountReport> report() const { return recount_.report(); }

  private:
    std::unique_ptr<SelectionEngine> engine_;
    Recount recount_;
};

NetworkInference::NetworkInference(NetworkOptions& options, ExpressionView expression, std::size_t genes)
    : options_(options), expression_(expression), genes_(genes) {
    SplineOptions& splines = options_.information.splines;
    if (options_.inference.method == NetworkMethod::Correlation)
        splines.estimator = splines.transform == Transform::None ? Estimator::Pearson : Estimator::Spearman;
}

NetworkInference::~NetworkInference() = default;

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

PathEngine* NetworkInference::paths() const {
    return paths_.get();
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
