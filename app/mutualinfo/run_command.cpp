#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "app/mutualinfo/mutualinfo_options.hpp"
#include "app/mutualinfo/mutualinfo_report.hpp"
#include "app/pair_command.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/precision.hpp"
#include "engine/core/process_team.hpp"
#include "engine/io/arrays/mapped_npy.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/study/information_problem.hpp"
#include "engine/pairs/checked_sink.hpp"
#include "engine/pairs/files/expected_size.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::mutualinfo {

namespace fs = std::filesystem;

namespace {

/// Arguments of `glycine mutualinfo`.
struct RunOptions : PairArguments {
    RunOptions() { isClustered = files.hasPictures = true; }

    io::ExpressionReading reading;
    MutualInformationOptions information;
    GapOptions gaps = gapsOfMatrices();
    pairs::MatrixFileOptions files;
    std::optional<WeightPrecision> precision;
    std::optional<Precision> valueType;

    /// `usual`: precision if --dtype is not given.
    pairs::ValueType stored(Precision usual) const {
        return valueType.value_or(usual) == Precision::Float64 ? pairs::ValueType::Float64
                                                               : pairs::ValueType::Float32;
    }
    pairs::PairLayout layout(std::size_t genes) const {
        const auto format =
            outputs.empty() ? pairs::MatrixFormat::Npy : pairs::matrixFormat(outputs.front(), files);
        return {genes, pairs::layoutOf(format, files)};
    }
};

void declareComputationOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Computation");
    addBackendChoice(options, run.backend, {algorithm()}, true);
    addTileOptions(options, run.information.tile, run, [&] {
        options
            .choice("--precision P", run.precision,
                    "Precision of weights: float64 (default, except on gl), float32 (differs by up to 1e-5 "
                    "bits, usually 1e-7), or on cuda tf32 and fp16 (by up to 2e-4 bits with a few samples, "
                    "2e-5 from 500 on)")
            .decidesResult();
    });
}

void declareOutputOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Output");
    options.choice("--shape S", run.files.shape, "Shape: square or triangle (each pair once)");
    options.flag("--molten", run.files.molten, ".tsv: one line per pair instead of a matrix").basic();
    options.choice("--dtype T", run.valueType, "Number type: float64 or float32")
        .byDefault("that of --precision");
    addOrderOption(options, run);
    addPictureOptions(options, run);
}

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value("EXPR", run.input,
               "Expression matrix with one row per gene: .tsv, .csv, .txt (also GEO's series matrix), .exp "
               "(ARACNE), all of these also with .gz, .npy, .h5ad (AnnData), .loom, .h5 or .hdf5; - is "
               "standard input")
        .required();
    addPairOutputs(options, run,
                   ".npy, .npz, .csv, .tsv; a heat map: .png, .svg, .pdf\n(.npy comes with .npy.names; - is "
                   ".tsv to standard output; can be given several times)");
    addJsonOption(options, run.json, "Print the report as one JSON object (genes are numbered from 0)");
    {
        Heading heading(options, "Estimator");
        heading.decidesResults();
        options
            .choice(
                "--method E", run.information.splines.estimator,
                "Mutual information by B-splines (spline) or plain bins (bins: order 1); for comparison the "
                "correlation r of values (pearson) or of their ranks (spearman)")
            .formerly("--estimator")
            .basic();
    }
    declareEstimatorOptions(options, run.information);
    declareGapOptions(options, run.gaps);
    declareComputationOptions(options, run);
    declareExpressionOptions(options, run.reading);
    declareOutputOptions(options, run);
    addBackendOptions(options, run.backend.device);
    options.footer(
        "The diagonal holds the entropy of each gene. Unless --missing says otherwise, missing values\n"
        "(NA, N/A, NaN, NULL, a dot, nothing) are left out pair by pair. Pairs with few common samples\n"
        "then seem to share more information than they do; --gaps standardised corrects that, as in\n"
        "glycine network. A run of several tiles keeps finished tiles next to its first output; after\n"
        "a stop, the same command resumes.\n\n"
        "Examples:\n"
        "  glycine mutualinfo expression.tsv.gz -o mi.npy\n"
        "  glycine mutualinfo GSE1159_series_matrix.txt.gz -o mi.tsv --rank --spline-order 4\n"
        "  glycine mutualinfo cells.h5ad -o mi.npy --layer counts --rank\n"
        "  glycine mutualinfo arrays.exp -o pairs.tsv --molten --shape triangle --unit nats");
}

/// Throws MemoryError if the expression does not fit together with its results: the information, if it is
/// kept in memory, and the pairs to cluster.
void requireMemory(const RunOptions& run, const io::ExpressionSize& size) {
    const bool isNarrow = run.precision && *run.precision != WeightPrecision::Float64;
    // The tile size is not known yet: a lower limit.
    const double kept = static_cast<double>(pairs::PairOutput::bytesInMemory(
        run.first(),
        {.layout = run.layout(size.genes),
         .type = run.stored(isNarrow ? Precision::Float32 : Precision::Float64)},
        std::max<std::size_t>(run.information.tile, 1)));
    requireHostMemory(fmt::format("mutual information of {}", size.words(run.reading.transpose)),
                      bytesOfExpression(size) + kept +
                          (run.isDrawnClustered() ? trees::bytesBelowDiagonal(size.genes) : 0));
}

class InformationCommand final : public PairCommand {
  public:
    void declare(Options& options) { declareRunOptions(options, run_); }

  protected:
    PairArguments& arguments() override { return run_; }
    PairReport& report() override { return report_; }
    const Algorithm& algorithm() const override { return mutualinfo::algorithm(); }
    std::vector<StagePlacement> stages() const override {
        std::vector<StagePlacement> stages = stagesOfValues(splines().estimator);
        addGapStages(stages, *correction_, moments_.get());
        return stages;
    }

    void checkOptions(const Options& declared) override {
        requireReadersOf(declared, splines().estimator);
        run_.information.splines = withImplied(splines());
        checkSplines(splines());
    }
    std::vector<fs::path> planFiles(const Options& declared) override {
        requireReadersOf(declared, run_.file, run_.input);
        run_.information.variant = fromString<Variant>(run_.backend.variant);
        return pairs::filesToWrite(run_.outputs, run_.files, run_.png, run_.isClustered);
    }
    std::vector<fs::path> inputFiles() const override { return {run_.file}; }
    void read() override {
        run_.reading.sizeKnown = [this](const io::ExpressionSize& size) {
            mutualinfo::requireMemory(run_, size);
        };
        run_.reading.team = processTeam();
        table_ = io::readExpression(run_.file, run_.reading);
        pairs::checkNames(run_.outputs, run_.files, table_.genes);
        report_.input = table_.description;
        report_.notes = table_.notes;
        report_.missing = table_.missing;
        report_.names = table_.genes;
    }
    Support supports(Backend& backend) override {
        run_.information.precision = precisionOn(backend, run_.backend, run_.precision);
        return supportsMutualInformation(backend, table_.view(), run_.information);
    }
    double hostSeconds() const override {
        const auto genes = static_cast<double>(table_.view().rows());
        return hostSecondsFor(genes * genes / 2 * static_cast<double>(table_.view().columns()), 0.2e9,
                              run_.backend.device);
    }
    void completeForBackend(Backend& backend) override {
        run_.information.precision = precisionOn(backend, run_.backend, run_.precision);
        run_.information.tile = tileSide(backend, table_.view(), run_.information);
        report_.settings = run_.information;
    }
    void prepare(Progress& progress) override {
        const ExpressionView expression = table_.view();
        // Values that stay in the file are the same for all processes.
        ProcessTeam* const team = table_.inFile != nullptr ? run_.reading.team : nullptr;
        report_.genes = summarizeGenes(expression, splines(), run_.information.unit, progress, team);
        run_.gaps.minOverlap = overlapOf(run_.gaps, splines(), expression.columns());
        if (table_.missing > 0)
            moments_ =
                momentsFor(expression, splines(), run_.gaps.rule, {.least = *run_.gaps.minOverlap}, progress);
        const double unit = isCorrelation(splines().estimator) ? 1 : perBit(run_.information.unit);
        correction_.emplace(table_.missing > 0 ? CommonSamples(expression)
                                               : CommonSamples(expression.rows(), expression.columns()),
                            *run_.gaps.minOverlap, moments_, unit);
        if (correction_->isNeeded())
            report_.gaps.emplace(run_.gaps, *correction_, moments_.get(), run_.information);
    }

    pairs::PairFormat format() const override {
        const bool isWide = run_.information.precision == WeightPrecision::Float64;
        return {.layout = run_.layout(table_.genes.size()),
                .type = run_.stored(isWide ? Precision::Float64 : Precision::Float32),
                .diagonals = report_.genes.entropies};
    }
    std::size_t tile() const override { return run_.information.tile; }
    /// Already checked when the size became known.
    void requireMemory(Backend&, double, double) override {}
    std::string identity(const Options& declared, const Backend& backend) const override {
        RunIdentity identity(declared);
        identity.add("genes", fmt::format("{}", table_.view().rows()));
        identity.add("samples", fmt::format("{}", table_.view().columns()));
        identity.addContents("contents of the input", {run_.file});
        identity.add("tile", fmt::format("{}", run_.information.tile));
        // Sums depend on the order of addition.
        identity.add("backend", backend.name());
        identity.add("variant", run_.backend.variant);
        addMoments(identity, moments_.get());
        return identity.text();
    }
    void compute(Backend& backend, pairs::PairSink& sink, Progress& progress) override {
        std::optional<pairs::CheckedSink> checked;
        if (table_.inFile != nullptr) checked.emplace(sink, [this] { table_.inFile->requireUnchanged(); });
        CorrectedInformationSink corrected(checked ? *checked : sink, *correction_);
        report_.run = computeMutualInformation(backend, table_.view(), run_.information, corrected, progress);
    }

    const pairs::RunOutcome& outcome() const override { return report_.run; }
    std::optional<RecountReport> recount(const FoundPairs& found, Progress& progress) override {
        return recountPairs(found, recountOf(table_.view(), run_.information, *correction_), run_.backend,
                            progress);
    }

    std::vector<storage::ExpectedFile> expectedFiles() const override {
        return pairs::expectedFiles(run_.outputs, run_.files, {table_.genes, format().type});
    }
    void write(const pairs::PairOutput& values, Progress& progress) override {
        pairs::writeMatrixFiles(values, run_.outputs, run_.files, table_.genes,
                                {{"unit", std::string(toString(run_.information.unit))}}, progress);
    }
    void draw(const pairs::PairStore& values, Progress& progress) override {
        const Estimator estimator = splines().estimator;
        const bool areCorrelations = isCorrelation(estimator);
        // Entropies on the diagonal would leave few colours for the pairs; correlations have a fixed range.
        pairs::PairPicture picture =
            pictureOf({.minimum = areCorrelations ? -1 : 0,
                       .maximum = areCorrelations ? std::optional(1.0) : std::nullopt},
                      report_.input);
        picture.quantity = !areCorrelations
                               ? fmt::format("mutual information, {}", toString(run_.information.unit))
                           : estimator == Estimator::Pearson ? "Pearson's correlation"
                                                             : "Spearman's correlation";
        picture.instance = "gene";
        picture.isSimilarity = true;
        picture.hasDiagonal = areCorrelations;
        pairs::drawPairs(run_.png, values, report_.names, picture, progress);
    }

  private:
    const SplineOptions& splines() const { return run_.information.splines; }

    RunOptions run_;
    RunReport report_;
    io::ExpressionTable table_;
    SharedMoments moments_;
    std::optional<GapCorrection> correction_;
};

}  // namespace

CommandAction declareRun(Options& options) {
    auto command = std::make_shared<InformationCommand>();
    command->declare(options);
    return [command, &options](CommandContext& context) { return command->run(context, options); };
}

}  // namespace glycine::mutualinfo

namespace glycine {

void register_mutualinfo();
void register_mutualinfo() {
    using namespace mutualinfo;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "mutualinfo", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add({"", "network", "Algorithms", "Infer a gene network from expression or mutual information",
                  declareNetwork});
    commands.add({"generate", "expression", "", "Simulate a gene network and its expression, for mutualinfo",
                  declareGenerate});
    study::addSubject(subject());
}

}  // namespace glycine
