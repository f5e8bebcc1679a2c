#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "app/mutualinfo/expression_options.hpp"
#include "app/mutualinfo/gap_report.hpp"
#include "app/mutualinfo/information_picture.hpp"
#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "app/mutualinfo/mutualinfo_report.hpp"
#include "app/mutualinfo/pair_recount.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/precision.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/mutualinfo/mutualinfo_algorithm.hpp"
#include "engine/mutualinfo/recount_information.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::mutualinfo {

namespace fs = std::filesystem;

namespace {

/// What the user wrote behind `glycine mutualinfo`.
struct RunOptions {
    std::string input;
    fs::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    io::ExpressionReading reading;
    MutualInformationOptions information;
    GapOptions gaps{.rule = GapRule::Raw};
    pairs::MatrixFileOptions files;
    std::optional<Precision> precision;
    std::optional<glycine::Precision> valueType;
    BackendRequest backend;
    std::string png;
    bool isClustered = true;  ///< order of the picture
    bool restart = false;
    bool json = false;
};

constexpr NameTable<bool, 2> kOrders{{{false, "input"}, {true, "cluster"}}};

void declareComputationOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Computation");
    addBackendChoice(options, run.backend, {algorithm()});
    options
        .value("--tile N", run.information.tile, "Side of the tiles in which the result is computed and kept")
        .byDefault("what suits the backend")
        .positive();
    options
        .choice("--precision P", run.precision,
                "Of weights: float64 (default, but for --backend gl), float32 (differs by up to 1e-5 bits, "
                "usually "
                "1e-7), or on cuda tf32 and fp16 (by up to 2e-4 bits with a few samples, 2e-5 from 500 on)")
        .decidesResult();
    addRestartOption(options, run.restart);
}

void declareOutputOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Output");
    options.choice("--shape S", run.files.shape, "square or triangle (each pair once)");
    options.flag("--molten", run.files.molten, ".tsv: one line a pair instead of a matrix");
    options.choice("--dtype T", run.valueType, "float64 or float32").byDefault("that of --precision");
    options.value("--png FILE", run.png, "Also draw the matrix as a heat map: PNG, SVG or PDF").notASetting();
    options
        .choice("--png-order ORDER", run.isClustered, kOrders,
                "Order of the heat map: input, or cluster (leaves of a UPGMA tree, which is written beside "
                "it as .nwk, with the order as .order.tsv)")
        .beside("--png");
}

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value(
            "EXPR", run.input,
            "Expression matrix with a row for each gene: .tsv, .csv, .txt (also GEO's series matrix), .exp "
            "(ARACNE), all of these also with .gz, .npy, .h5ad (AnnData), .h5 or .hdf5; - is standard input")
        .required();
    options
        .value(
            "-o,--output OUT", run.outputs,
            "What to write, by the ending: .npy (with .npy.names), .npz, .csv, .tsv; - is .tsv to standard "
            "output; can be given several times")
        .repeated()
        .required()
        .notASetting();
    addJsonOption(options, run.json, "Print the report as one JSON object (genes count from 0)");
    declareEstimatorOptions(options, run.information);
    declareGapOptions(options, run.gaps);
    declareComputationOptions(options, run);
    declareExpressionOptions(options, run.reading);
    declareOutputOptions(options, run);
    addBackendOptions(options, run.backend.device);
    options.footer(
        "The diagonal holds the entropy of each gene. Missing values (NA, N/A, NaN, NULL, a dot, nothing) "
        "are left out pair by pair, unless --missing says otherwise; then pairs of few common samples seem "
        "to "
        "share more than they do, which --gaps standardised corrects (as glycine network does). A run of "
        "more than one tile keeps "
        "finished tiles beside its first output; "
        "after a stop the same command goes on from there.\n\n"
        "Examples:\n"
        "  glycine mutualinfo expression.tsv.gz -o mi.npy\n"
        "  glycine mutualinfo GSE1159_series_matrix.txt.gz -o mi.tsv --rank --order 4\n"
        "  glycine mutualinfo cells.h5ad -o mi.npy --layer counts --rank\n"
        "  glycine mutualinfo arrays.exp -o pairs.tsv --molten --shape triangle --unit nats");
}

/// Throws MemoryError for expression that will not fit with what is made of it: the information where memory
/// keeps it, and the pairs that are clustered.
void requireMemory(const RunOptions& run, const io::ExpressionSize& size) {
    const fs::path first = run.outputs.front();
    const bool isNarrow = run.valueType ? *run.valueType == glycine::Precision::Float32
                                        : run.precision && *run.precision != Precision::Float64;
    // Tiles of a side that is not known yet: at least this much.
    const std::size_t tile = std::max<std::size_t>(run.information.tile, 1);
    const double kept = static_cast<double>(pairs::PairOutput::bytesInMemory(
        first,
        {.layout = {size.genes, pairs::layoutOf(pairs::matrixFormat(first, run.files), run.files)},
         .type = isNarrow ? pairs::ValueType::Float32 : pairs::ValueType::Float64},
        tile));
    const bool isDrawn = !run.png.empty() && run.isClustered;
    requireHostMemory(fmt::format("mutual information of {}", size.words(run.reading.transpose)),
                      bytesOfExpression(size) + kept + (isDrawn ? trees::bytesBelowDiagonal(size.genes) : 0));
}

std::string identify(const Options& declared, const RunOptions& run, const io::ExpressionTable& table,
                     const Backend& backend, const NullMoments* moments) {
    RunIdentity identity(declared);
    identity.add("genes", fmt::format("{}", table.values.rows()));
    identity.add("samples", fmt::format("{}", table.values.columns()));
    identity.addContents("contents of the input", {run.file});
    identity.add("tile", fmt::format("{}", run.information.tile));
    // Sums depend on their order.
    identity.add("backend", backend.name());
    identity.add("variant", run.backend.variant);
    addMoments(identity, moments);
    return identity.text();
}

int runMutualInformation(CommandContext& context, const Options& declared, RunOptions& run) {
    checkBackendUse(declared, algorithm(), run.backend);
    const std::string estimator(toString(run.information.splines.estimator));
    declared.requireReaders({"estimator", {estimator}, fmt::format("the estimator is {}", estimator)});
    run.information.splines = withImplied(run.information.splines);
    checkSplines(run.information.splines);
    io::PipedInputs pipes;
    run.file = pipes.fileOf(run.input);
    const io::ExpressionFamily family = io::expressionFamily(run.file);
    declared.requireReaders({"input", family.readers(), fmt::format("{} is {}", run.input, family.words)});
    run.information.variant = fromString<Variant>(run.backend.variant);
    RunReport report;
    report.files = pairs::filesToWrite(run.outputs, run.files, run.png, run.isClustered);
    checkOutputFiles(report.files, {run.file});

    run.reading.sizeKnown = [&run](const io::ExpressionSize& size) { requireMemory(run, size); };
    Stopwatch watch;
    const io::ExpressionTable table = io::readExpression(run.file, run.reading);
    report.readSeconds = watch.restart();
    pairs::checkNames(run.outputs, run.files, table.genes);
    context.progress().throwIfCancelled();
    const ExpressionView expression = table.values.view();
    const BackendChoice choice = selectBackend(declared, run.backend, [&](Backend& backend) {
        run.information.precision = precisionOn(backend, run.backend, run.precision);
        return supportsMutualInformation(backend, expression, run.information);
    });
    run.information.precision = precisionOn(*choice.backend, run.backend, run.precision);
    run.information.tile = tileSide(*choice.backend, expression, run.information);
    report.options = &declared;
    report.device = describeDevice(*choice.backend);
    report.backendReason = choice.reason;
    report.input = table.description;
    report.notes = table.notes;
    report.missing = table.missing;
    report.settings = run.information;
    report.names = table.genes;

    watch.restart();
    const ThreadsOf threads(*choice.backend);
    report.genes =
        summarizeGenes(expression, run.information.splines, run.information.unit, context.progress());
    const SplineOptions& splines = run.information.splines;
    run.gaps.minOverlap = overlapOf(run.gaps, splines, expression.columns());
    const SharedMoments moments =
        momentsFor(expression, splines, run.gaps.rule, {.least = *run.gaps.minOverlap}, context.progress());
    const double unit = isCorrelation(splines.estimator) ? 1 : perBit(run.information.unit);
    const GapCorrection correction(expression, *run.gaps.minOverlap, moments, unit);
    if (correction.isNeeded()) report.gaps.emplace(run.gaps, correction, moments.get(), run.information);
    const fs::path first = run.outputs.front();
    const bool isWide = run.valueType ? *run.valueType == glycine::Precision::Float64
                                      : run.information.precision == Precision::Float64;
    const pairs::ValueType type = isWide ? pairs::ValueType::Float64 : pairs::ValueType::Float32;
    pairs::PairOutput values(
        first,
        {.layout = {table.genes.size(), pairs::layoutOf(pairs::matrixFormat(first, run.files), run.files)},
         .type = type,
         .diagonals = report.genes.entropies},
        run.information.tile, [&] { return identify(declared, run, table, *choice.backend, moments.get()); },
        run.restart);
    values.fill([&](pairs::PairSink& sink) {
        CorrectedInformation corrected(sink, correction);
        report.run = computeMutualInformation(*choice.backend, expression, run.information, corrected,
                                              context.progress());
    });
    report.computeSeconds = watch.restart();
    values.tellWhatIsKept([&] {
        discardIfWrong(values, [&] {
            report.recount = recountPairs(*choice.backend, run.backend,
                                          {table, run.information, correction, report.run.variant,
                                           report.computeSeconds, values.store(), type},
                                          context.progress());
        });
        report.summary = pairs::summarizeValues(values.store(), std::numeric_limits<double>::quiet_NaN());
        watch.restart();
        pairs::writeMatrixFiles(values, run.outputs, run.files, table.genes,
                                {{"unit", std::string(toString(run.information.unit))}}, context.progress());
        if (!run.png.empty())
            drawInformation(run.png, values.store(), report, run.isClustered, context.progress());
    });
    values.finish();
    report.writeSeconds = watch.seconds();
    context.clearProgressLine();
    printRunReport(context, report, run.json);
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareRunOptions(options, *run);
    return [run, &options](CommandContext& context) { return runMutualInformation(context, options, *run); };
}

}  // namespace glycine::mutualinfo
