#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "app/mutualinfo/mutualinfo_options.hpp"
#include "app/mutualinfo/mutualinfo_report.hpp"
#include "app/mutualinfo/network_inference.hpp"
#include "app/mutualinfo/network_report.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/names.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/input/gene_lists.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/partial_correlation.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"
#include "engine/mutualinfo/results/network_files.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/unfinished.hpp"

namespace glycine::mutualinfo {

namespace fs = std::filesystem;

namespace {

/// One call of `glycine network`, in stages.
class NetworkRun {
  public:
    NetworkRun(CommandContext& context, const Options& declared, NetworkOptions& options)
        : context_(context),
          declared_(declared),
          options_(options),
          progress_(context.progress()),
          times_(context.times()) {}

    int run();

  private:
    void readInput();
    void readLists();
    void chooseBackend();
    void prepareGaps();
    void openInformation();
    void findThreshold();
    /// Prepares the null moments, threshold and store of bootstraps. Foreign files are rejected before
    /// anything is computed.
    void prepareBootstraps();
    void fillInformation();
    /// Lists in the report where the stages of a device's run take place.
    void listStages(const pairs::RunOutcome& information);
    void infer();
    void inferFromBootstraps();
    /// Warns of a gene that has a large share of the edges.
    void findHub();
    void compareAndWrite();

    /// The header lines of an .adj file.
    std::vector<NetworkTable::Fact> describeForAracne() const;
    /// Recounts a few pairs of a run on gl or cuda. Throws WrongResultError.
    void recount();
    std::string identify() const;
    std::size_t genes() const { return names_.size(); }
    /// Whether the method needs every value of every gene.
    bool needsValues() const { return isOfValues(options_.inference.method); }
    ExpressionView expression() const { return table_.values.view(); }
    /// Bytes of the stored information of all pairs.
    double bytesOfPairs(std::size_t genes) const;
    /// Minimum memory in bytes for `genes` genes, in addition to their expression.
    double extraBytes(std::size_t genes) const;
    /// Path next to which bootstraps are kept.
    fs::path keptBootstraps() const { return storage::resolveLink(first()) += ".bootstraps"; }
    fs::path first() const { return options_.outputs.empty() ? options_.png : options_.outputs.front(); }

    CommandContext& context_;
    const Options& declared_;
    NetworkOptions& options_;
    Progress& progress_;
    NetworkReport report_;
    TimeLine& times_;
    double informationSeconds_ = 0;

    io::PipedInputs pipes_;
    io::ExpressionTable table_;
    std::optional<pairs::MatrixReader> matrix_;
    std::vector<std::string> names_;
    std::optional<TruthList> truth_;
    pairs::InstanceGroups groups_;  ///< of the genes; may be empty

    std::unique_ptr<Backend> backend_;
    std::optional<NetworkInference> inference_;
    std::optional<ThreadsOf> threads_;
    std::optional<pairs::PairOutput> information_;
    std::unique_ptr<storage::TileStore> bootstraps_;
    Network network_;
};

/// Rejects a symmetric table, which cannot be expression. Throws InputError.
void refuseInformation(const io::ExpressionTable& table, const std::string& input) {
    const Matrix<double>& values = table.values;
    if (values.rows() != values.columns() || values.rows() < 3) return;
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const bool isSame =
                values(i, j) == values(j, i) || (std::isnan(values(i, j)) && std::isnan(values(j, i)));
            if (!isSame) return;
        }
    throw InputError(
        fmt::format("{}: the {} × {} values are symmetric, like mutual information and unlike expression; "
                    "give --matrix to read them as mutual information",
                    input, values.rows(), values.columns()));
}

void NetworkRun::readInput() {
    options_.file = pipes_.fileOf(options_.input);
    for (std::string* const list : {&options_.regulators, &options_.truth, &options_.groups})
        pipes_.replace(*list);
    options_.png = takePicture(options_.outputs);
    if (declared_.isGiven("--drawn-edges") && options_.png.empty())
        throw UsageError("--drawn-edges is about a picture; add one: -o FILE.png");
    report_.files.assign(options_.outputs.begin(), options_.outputs.end());
    for (const std::string& path : options_.outputs) networkFormat(path);
    std::vector<fs::path> inputs{options_.file};
    const auto isGraph = [](const std::string& path) {
        return networkFormat(path) == NetworkFormat::GraphMl;
    };
    if (!options_.groups.empty() && options_.png.empty() && std::ranges::none_of(options_.outputs, isGraph))
        throw UsageError("--groups is for pictures and .graphml; add one: -o FILE.png");
    for (const std::string& list : {options_.regulators, options_.truth, options_.groups})
        if (!list.empty()) inputs.emplace_back(list);
    if (!options_.png.empty()) report_.files.emplace_back(options_.png);
    checkOutputFiles(report_.files, inputs, {keptBootstraps()});
    // Checked now, because they are opened only after the information has been computed.
    if (options_.bootstraps.count > 0 && !storage::isStandardOutput(first()))
        for (const fs::path& file : storage::workingFiles(keptBootstraps())) storage::OwnFile::check(file);
    if (options_.isMatrix) {
        declared_.requireReaders(
            {"input", {"matrix"}, fmt::format("{} is mutual information (--matrix)", options_.input)});
        matrix_.emplace(informationMatrix(options_.file));
        report_.input = matrix_->head().description;
        names_ = matrix_->head().names;
        inference_.emplace(options_, ExpressionView(), genes());
        requireHostMemory(fmt::format("a network of {}", formatCount(genes(), "gene")), extraBytes(genes()));
        return;
    }
    const io::ExpressionFamily family = io::expressionFamily(options_.file);
    declared_.requireReaders(
        {"input", {std::string(family.name)}, fmt::format("{} is {}", options_.input, family.words)});
    options_.reading.sizeKnown = [this](const io::ExpressionSize& size) {
        // A bootstrap needs its own samples and information.
        const double resampled =
            options_.bootstraps.count > 0 ? bytesOfExpression(size) + bytesOfPairs(size.genes) : 0;
        requireHostMemory(fmt::format("a network of {}", size.words(options_.reading.transpose)),
                          bytesOfExpression(size) + std::max(extraBytes(size.genes), resampled));
    };
    table_ = io::readExpression(options_.file, options_.reading);
    refuseInformation(table_, options_.input);
    names_ = table_.genes;
    report_.input = table_.description;
    report_.notes = table_.notes;
    if (table_.missing > 0)
        report_.notes.push_back(formatCount(table_.missing, "value") +
                                " missing; a pair counts the samples that both have");
    inference_.emplace(options_, expression(), genes());
    if (!declared_.isGiven("--spline-order")) inference_->chooseOrder(table_.missing > 0);
    report_.samples = table_.values.columns();
    if (isOfInformation(options_.inference.method)) report_.unit = toString(options_.information.unit);
    if (const auto few = fewSamples(report_.samples, options_.information.splines); few && !needsValues())
        report_.warnings.push_back(*few);
}

double NetworkRun::bytesOfPairs(std::size_t genes) const {
    const bool isNarrow = options_.precision && *options_.precision != WeightPrecision::Float64;
    return static_cast<double>(
        pairs::storedBytes({genes, pairs::StoreLayout::Square},
                           isNarrow ? pairs::ValueType::Float32 : pairs::ValueType::Float64));
}

double NetworkRun::extraBytes(std::size_t genes) const {
    const double kept = storage::isStandardOutput(first()) ? bytesOfPairs(genes) : 0;
    // With named regulators there are fewer scores, and their number is not known yet.
    const bool areAllScored = options_.regulators.empty();
    return kept + (areAllScored ? bytesOfScores(options_.inference.method, genes) : 0);
}

void NetworkRun::readLists() {
    if (!options_.regulators.empty()) {
        RegulatorList list = readRegulators(options_.regulators, names_);
        if (list.unknown > 0)
            report_.notes.push_back(fmt::format("{}: {} of {} are no genes of the input", options_.regulators,
                                                list.unknown,
                                                formatCount(list.unknown + list.known, "regulator")));
        report_.regulators = list.known;
        options_.inference.regulators = std::move(list.regulators);
    }
    groups_ = pairs::readInstanceGroups(options_.groups, names_, report_.notes);
    if (options_.truth.empty()) return;
    truth_ = readTruth(options_.truth, names_);
    if (truth_->unknown > 0)
        report_.notes.push_back(fmt::format("{}: {} with a gene that the input does not have", options_.truth,
                                            formatCount(truth_->unknown, "line")));
}

void NetworkRun::chooseBackend() {
    BackendChoice choice = selectBackend(declared_, options_.backend,
                                         [&](Backend& backend) { return inference_->supports(backend); });
    backend_ = std::move(choice.backend);
    inference_->start(*backend_);
    report_.estimator = inference_->estimator();
    report_.backendReason = choice.reason;
    report_.device = describeDevice(*backend_);
    threads_.emplace(*backend_);
}

void NetworkRun::listStages(const pairs::RunOutcome& information) {
    std::vector<StagePlacement>& stages = report_.stages;
    if (!options_.isMatrix) {
        stages = stagesOfValues(options_.information.splines.estimator);
        if (const GapCorrection* const correction = inference_->correction())
            addGapStages(stages, *correction, inference_->moments().get());
        addHostStages(stages, information);
    }
    if (const InformationNull* const null = inference_->null()) {
        const std::string_view reason = null->isOfPermutations() ? "" : kStageInDouble;
        stages.push_back({"null distribution", reason, reason});
    }
    if (const std::string_view stage = inference_->deviceStage(); stage.empty()) {
        stages.push_back({"inference of edges", kStageWithoutKernel, kStageWithoutKernel});
    } else {
        const std::string_view reason = inference_->reasonForProcessor();
        stages.push_back({stage, reason, reason});
        stages.push_back({"ranking", kStageWithoutKernel, kStageWithoutKernel});
    }
    if (options_.bootstraps.count > 0) {
        stages.push_back({"information of bootstraps", "", ""});
        stages.push_back({"support of edges", kStageWithoutKernel, kStageWithoutKernel});
    } else if (options_.p) {
        stages.push_back({"P-values of edges", kStageInDouble, kStageInDouble});
    }
}

std::string NetworkRun::identify() const {
    RunIdentity identity(declared_);
    identity.add("genes", fmt::format("{}", genes()));
    identity.addContents("contents of the input", {options_.file});
    identity.add("tile", fmt::format("{}", options_.information.tile));
    identity.add("backend", backend_->name());
    identity.add("variant", options_.backend.variant);
    const NetworkMethod method = options_.inference.method;
    if (!isOfInformation(method)) identity.add("values", toString(method));
    if (method == NetworkMethod::Forest) {
        identity.add("forest", fmt::format("{} trees, {} candidates, seed {}", options_.forest.trees,
                                           options_.forest.candidates, options_.forest.seed));
        if (!options_.regulators.empty()) identity.addContents("contents of --tf", {options_.regulators});
    }
    addMoments(identity, inference_->moments().get());
    return identity.text();
}

void NetworkRun::prepareGaps() {
    if (options_.isMatrix) {
        report_.notes.emplace_back(
            "a matrix does not say how many samples its pairs have: nothing is corrected for gaps");
        return;
    }
    if (needsValues() && table_.missing > 0)
        throw InputError(fmt::format(
            "{}: {} missing, which --method {} cannot use; expected --missing mean, median, drop-samples or "
            "drop-genes",
            options_.input, formatCount(table_.missing, "value"), toString(options_.inference.method)));
    inference_->prepareGaps(progress_);
    const GapCorrection& correction = *inference_->correction();
    if (!correction.isNeeded()) return;
    report_.gaps.emplace(options_.gaps, correction, inference_->moments().get(), options_.information);
    if (const auto sparse = report_.gaps->warning(names_, "no edges")) report_.warnings.push_back(*sparse);
}

void NetworkRun::openInformation() {
    if (!options_.isMatrix) {
        const std::size_t idle = genes() - varyingGenes(expression()).size();
        if (idle > 0)
            report_.warnings.push_back(
                fmt::format("{} without different values: no edges", formatCount(idle, "gene")));
    }
    information_.emplace(
        first(),
        pairs::PairFormat{.layout = {genes(), pairs::StoreLayout::Square}, .type = inference_->valueType()},
        options_.information.tile, [&] { return identify(); }, options_.restart);
}

void NetworkRun::fillInformation() {
    std::vector<TimedStage> stages;
    information_->fill([&](pairs::PairSink& kept) {
        if (options_.isMatrix) {
            TiedInformationSink sink(kept);
            matrix_->read(options_.information.tile, sink, progress_);
            report_.variant = "none: information is read";
            listStages({});
            return;
        }
        const MutualInformationReport run = inference_->fill(kept, progress_);
        report_.estimator = inference_->estimator();
        report_.variant = run.variant;
        report_.tiles = run.tiles;
        report_.tilesResumed = run.tilesResumed;
        listStages(run);
        if (needsValues()) return;
        stages = {{"pack", run.times.pack},
                  {"upload", run.times.upload},
                  {"download", run.times.download},
                  {"store", run.storeSeconds, run.overlapSeconds}};
    });
    informationSeconds_ = times_.divide(std::move(stages), options_.isMatrix ? "read" : "information");
}

void NetworkRun::recount() {
    const std::optional<PairRecount> how = inference_->recountOfValues();
    if (!how) return;
    discardIfWrong(*information_, [&] {
        const pairs::PairStore& store = information_->store();
        report_.recount = recountPairs(
            {.backend = *backend_,
             .variant = report_.variant,
             .names = table_.genes,
             .seconds = informationSeconds_,
             .valueOf = [&](std::size_t row, std::size_t column) { return store.value(row, column); },
             .type = inference_->valueType()},
            *how, options_.backend, progress_);
    });
}

void NetworkRun::findThreshold() {
    inference_->findThreshold(report_.warnings, progress_);
    report_.threshold = options_.threshold;
    if (!options_.p) return;
    report_.p = options_.p;
    report_.nullModel = inference_->null()->description();
    report_.threshold = options_.inference.threshold;
}

void NetworkRun::infer() {
    report_.method = options_.inference.method;
    report_.tolerance = options_.inference.tolerance;
    if (options_.bootstraps.count > 0) {
        inferFromBootstraps();
        return;
    }
    network_ = inference_->infer(information_->store(), progress_);
    report_.candidates = network_.candidates;
    report_.indirect = network_.indirect;
}

void NetworkRun::prepareBootstraps() {
    BootstrapPlan& plan = options_.bootstraps;
    if (plan.count == 0) return;
    plan.seed = options_.seed;
    plan.minOverlap = options_.gaps.minOverlap.value();
    plan.moments = momentsFor(expression(), options_.information.splines, options_.gaps.rule,
                              {.least = plan.minOverlap, .isResampled = true}, progress_);
    double threshold = options_.inference.threshold;
    if (options_.p && options_.nullModel != NullModel::Aracne) {
        const auto null = permutedNull(*backend_, expression(), options_, true, progress_);
        threshold = null->threshold(*options_.p) * perBit(options_.information.unit);
    }
    report_.bootstrapThreshold = threshold;
    const std::size_t bytes = bootstrapBytes(genes(), plan.count);
    if (storage::isStandardOutput(first())) {
        bootstraps_ = std::make_unique<storage::TileStore>(bytes);
    } else {
        RunIdentity identity(declared_);
        identity.addContents("contents of the input", {options_.file});
        identity.add("backend", backend_->name());
        identity.add("variant", options_.backend.variant);
        identity.add("method", toString(options_.inference.method));
        identity.add("threshold", fmt::format("{:a}", threshold));
        identity.add("tolerance", fmt::format("{:a}", options_.inference.tolerance));
        if (!options_.regulators.empty()) identity.addContents("contents of --tf", {options_.regulators});
        identity.add("seed", fmt::format("{}", plan.seed));
        identity.add("bootstraps", fmt::format("{}", plan.count));
        addMoments(identity, plan.moments.get());
        bootstraps_ = std::make_unique<storage::TileStore>(
            keptBootstraps(), identity.text(), bytes, bootstrapPieces(genes(), plan.count), options_.restart);
    }
}

void NetworkRun::inferFromBootstraps() {
    const BootstrapPlan& plan = options_.bootstraps;
    // The network of the original data, for the report.
    InferenceOptions best = options_.inference;
    best.most = 1;
    const Network own = inferNetwork(information_->store(), best, inference_->paths(), progress_);
    report_.candidates = own.candidates;
    report_.indirect = own.indirect;

    InferenceOptions resampled = options_.inference;
    resampled.threshold = report_.bootstrapThreshold;
    try {
        report_.consensus =
            inferConsensus(*backend_, expression(), options_.information, resampled, inference_->paths(),
                           plan, information_->store(), *bootstraps_, progress_);
    } catch (const CancelledError&) {
        if (!bootstraps_->outlivesStop()) throw;
        throw storage::resumableStop("bootstraps", keptBootstraps());
    }
    report_.bootstraps = plan;
    network_.edges = report_.consensus->edges;
}

std::vector<NetworkTable::Fact> NetworkRun::describeForAracne() const {
    const bool isAracne = report_.method == NetworkMethod::Aracne;
    std::vector<NetworkTable::Fact> facts{
        {"Input file", options_.input},
        {"ADJ file", options_.isMatrix ? options_.input : ""},
        {"Algorithm", fmt::format("{}, {}", toString(report_.method),
                                  report_.estimator.empty() ? "information is read" : report_.estimator)},
        {"No. bins", options_.isMatrix ? "" : fmt::format("{}", options_.information.splines.bins)},
        {"MI threshold", fmt::format("{}", report_.threshold.value_or(0))},
        {"MI P-value", fmt::format("{}", report_.p.value_or(1))},
        // 1: the inequality removes no edge.
        {"DPI tolerance", fmt::format("{}", isAracne ? report_.tolerance : 1.0)},
        {"TF annotation", options_.regulators}};
    if (!report_.unit.empty()) facts.push_back({"MI unit", report_.unit});
    return facts;
}

void NetworkRun::findHub() {
    // In small networks, each gene has a tenth of the edges.
    constexpr double kShare = 0.1;
    constexpr std::size_t kFewest = 10;
    constexpr double kOfMean = 5;
    std::vector<std::size_t> edges(genes());
    for (const Edge& edge : network_.edges) ++edges[edge.row], ++edges[edge.column];
    const std::size_t hub = static_cast<std::size_t>(std::ranges::max_element(edges) - edges.begin());
    const auto all = static_cast<double>(network_.edges.size());
    const std::size_t owners = options_.inference.regulators.count(genes());
    const double mean =
        (owners < genes() ? 1.0 : 2.0) / static_cast<double>(std::max<std::size_t>(owners, 1));
    if (edges.empty() || edges[hub] < kFewest ||
        static_cast<double>(edges[hub]) <= all * std::max(kShare, kOfMean * mean))
        return;
    const GapCorrection* const correction = inference_->correction();
    const std::string values =
        correction != nullptr && correction->isNeeded()
            ? fmt::format(", with {} of {} values", correction->common().of(hub), report_.samples)
            : "";
    report_.warnings.push_back(fmt::format("{} of {} belong to one gene, '{}'{}", formatCount(edges[hub]),
                                           formatCount(network_.edges.size(), "edge"), names_[hub], values));
}

void NetworkRun::compareAndWrite() {
    report_.genes = genes();
    report_.edges = network_.edges.size();
    findHub();
    if (truth_)
        report_.truth =
            compareWithTruth(network_.edges, truth_->pairs, genes(), options_.inference.regulators);
    NetworkTable table{.edges = network_.edges,
                       .genes = names_,
                       .regulators = &options_.inference.regulators,
                       .method = std::string(toString(options_.inference.method)),
                       .hasInformation = isOfInformation(options_.inference.method)};
    if (!groups_.empty()) table.groups = &groups_;
    if (report_.consensus) table.support = &report_.consensus->support;
    std::vector<double> pValues;
    if (options_.p && !report_.consensus) {
        pValues = inference_->pValues(network_, progress_);
        table.pValues = &pValues;
    }
    table.about = describeForAracne();
    times_.end("compare");
    for (const std::string& path : options_.outputs) writeNetwork(path, table);
    times_.end("write");
    if (!options_.png.empty()) drawNetwork(options_.png, table, options_.drawnEdges, report_);
    times_.end("draw");
}

int NetworkRun::run() {
    checkBackendUse(declared_, algorithm(), options_.backend);
    checkNetworkOptions(declared_, options_);
    checkSplines(options_.information.splines);
    options_.information.variant = fromString<Variant>(options_.backend.variant);
    report_.options = &declared_;
    report_.times = &times_;
    times_.end("startUp");
    readInput();
    readLists();
    times_.end("read");
    progress_.throwIfCancelled();
    chooseBackend();
    times_.end("startUp");
    prepareGaps();
    times_.end("prepare");
    openInformation();
    times_.end("open");
    findThreshold();
    prepareBootstraps();
    times_.end("null");
    fillInformation();
    information_->runKeepingValues([&] {
        recount();
        times_.end("recount");
        infer();
        report_.inferenceRecount = inference_->inferenceRecount();
        times_.divide({{"recount", report_.inferenceRecount ? report_.inferenceRecount->seconds : 0}},
                      "network");
        compareAndWrite();
    });
    if (bootstraps_) bootstraps_->discard();
    information_->finish();
    times_.end("write");
    context_.clearProgressLine();
    printRunReport(context_, report_, options_.json);
    return 0;
}

}  // namespace

CommandAction declareNetwork(Options& options) {
    auto run = std::make_shared<NetworkOptions>();
    declareNetworkOptions(options, *run);
    return [run, &options](CommandContext& context) { return NetworkRun(context, options, *run).run(); };
}

}  // namespace glycine::mutualinfo
