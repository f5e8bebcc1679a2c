#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "app/distance/chromosome_options.hpp"
#include "app/distance/distance_commands.hpp"
#include "app/distance/distance_report.hpp"
#include "app/distance/pair_recount.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/distance/distance_algorithm.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/distance/pair_values.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/pairs/close_pairs.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

/// What the user wrote behind `glycine distance`.
struct RunOptions {
    std::string input;
    fs::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    std::string png;
    bool isClustered = false;  ///< order of the heat map
    InputOptions reading;
    ChromosomeOptions chromosomes;
    std::optional<Measure> measure;      ///< absent: the usual one for the data
    std::optional<MissingRule> missing;  ///< absent: the usual one for the measure
    std::optional<double> minOverlap;    ///< absent: the usual one for the measure
    bool isPlink = false;                ///< --measure plink, which stands for other options, too
    DistanceOptions distance;
    ResultFileOptions files;
    std::optional<pairs::ValueType> valueType;
    BackendRequest backend;
    bool restart = false;
    bool json = false;
};

/// One file to write.
struct Output {
    fs::path path;
    ResultFormat format;
};

constexpr NameTable<bool, 2> kOrders{{{false, "input"}, {true, "cluster"}}};
/// A VCF file whose genotypes are symbols, among what inputs are to options.
constexpr const char* kSymbolCalls = "calls as symbols";

void readMeasure(RunOptions& run, const std::string& name) {
    run.isPlink = name == "plink";
    try {
        run.measure = run.isPlink ? Measure::Allele : fromString<Measure>(name);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}, plink", error.what()));
    }
}

void declareMeasureOptions(Options& options, RunOptions& run) {
    Heading heading(options, "Measure");
    heading.decidesResults();
    std::vector<std::string_view> measures = namesOfAll<Measure>();
    measures.push_back("plink");
    options
        .parsed(
            "--measure M", [&run](const std::string& name) { readMeasure(run, name); },
            [&run] { return run.measure ? std::string(toString(*run.measure)) : ""; },
            "mismatch (default), proportion; for genotypes allele, ibs, 1-ibs, or plink: what `plink "
            "--distance` computes; for coordinates euclidean (default), sqeuclidean, manhattan, correlation")
        .suggests(measures);
    options
        .choice("--missing RULE", run.missing,
                "Attributes that one of a pair lacks: ignore (default for mismatch, proportion), flat "
                "(scale counts by M / N), weighted (by expected contributions, as PLINK; default for "
                "allele, ibs, 1-ibs), refuse")
        .readBy("data", {"genotypes", "dna", "protein"}, "genotypes and sequences");
    options
        .value("--min-overlap K", run.minOverlap,
               "Attributes that both of a pair must have, a number or (below 1) a share of all; a pair with "
               "fewer has no value (nan) and is neither close nor identical")
        .byDefault("half of all; at most 1000 for shares and scaled counts; 0 for plink")
        .notNegative()
        .readBy("data", {"genotypes", "dna", "protein"}, "genotypes and sequences");
}

/// What --min-overlap stands for: a share of the attributes below 1, else their number. Throws UsageError.
std::size_t overlapOf(double minOverlap, std::size_t attributes) {
    const auto all = static_cast<double>(attributes);
    if (!(minOverlap >= 0 && minOverlap <= all) || (minOverlap >= 1 && minOverlap != std::floor(minOverlap)))
        throw UsageError(fmt::format(
            "--min-overlap {}: expected a share of the attributes (0 to below 1) or a number of them, "
            "1 to {}",
            minOverlap, attributes));
    return static_cast<std::size_t>(minOverlap < 1 ? std::ceil(minOverlap * all) : minOverlap);
}

void declareComputationOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Computation");
    addBackendChoice(options, run.backend, {algorithm()});
    options.value("--tile N", run.distance.tile, "Side of the tiles in which the result is computed and kept")
        .byDefault("what suits the backend")
        .positive();
    options
        .choice(
            "--precision P", run.distance.precision,
            "Of coordinates: float64 (default for arrays of float64 and for tables, on reference, cpu and "
            "cuda) or float32 (default for arrays of float32, and on gl)")
        .decidesResult()
        .readBy("data", {"coordinates"});
    addRestartOption(options, run.restart);
}

void declareInputOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Input");
    options
        .choice("--data KIND", run.reading.kind,
                "auto, genotypes, dna, protein or coordinates: what the entries are")
        .decidesResult();
    options
        .choice("--gaps RULE", run.reading.gaps,
                "Gaps of sequences, and the allele * of VCF: missing, or state: a symbol of its own")
        .decidesResult()
        .readBy("input", {"sequences", kSymbolCalls}, "sequences, and VCF with mismatch or proportion");
    options
        .choice("--ambiguous RULE", run.reading.ambiguous,
                "N, X and other ambiguous letters: missing, or state: each a symbol of its own")
        .decidesResult()
        .readBy("input", {"sequences"});
    declareChromosomeOptions(options, run.chromosomes, run.reading);
    options
        .flag("--strict", run.reading.strict,
              "Sites that would be left out for their number of alleles are an error")
        .readBy("input", {"calls"}, "VCF and BCF");
    addTableOptions(options, {run.reading.header, run.reading.transpose},
                    "Tables: whether there is a header line: auto, yes, no",
                    "Tables and .npy: instances are columns");
}

void declareOutputOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Output");
    options
        .choice("--shape S", run.files.shape, "square, square0 (PLINK: zeros above the diagonal) or triangle")
        .byDefault("triangle for PLINK text, else square");
    options.flag("--molten", run.files.molten, ".tsv: one line a pair instead of a matrix");
    options.value("--max-distance D", run.files.maxDistance, "With --molten: only pairs up to this distance")
        .notNegative()
        .beside("--molten");
    options.choice("--dtype T", run.valueType,
                   "int32 (default for whole counts), float32 or float64 (default for all else)");
}

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value("IN", run.input,
               "Genotypes (.bed with .bim and .fam, .vcf, .bcf), aligned sequences (.fa, .fasta, .aln), or a "
               "table with a row for each instance (.npy, .csv, .tsv); all but .bed, .bcf and .npy also with "
               ".gz or .bgz; - is standard input")
        .required();
    options
        .value("-o,--output OUT", run.outputs,
               "What to write, by the ending: .npy (with .npy.names), .npz, .csv, .tsv (as snp-dists), .phy "
               "or .phylip, .dist, .mdist, .mibs (as PLINK, with .id), the same with .bin; - is .tsv to "
               "standard output; can be given several times")
        .repeated()
        .required()
        .notASetting();
    options.value("--png FILE", run.png, "Also draw the distances as a heat map: PNG, SVG or PDF")
        .notASetting();
    options
        .choice("--order ORDER", run.isClustered, kOrders,
                "Order of the heat map: input, or cluster (leaves of a UPGMA tree, which is written beside "
                "it as .nwk, with the order as .order.tsv)")
        .beside("--png");
    addJsonOption(options, run.json, "Print the report as one JSON object (instances count from 0)");
    declareMeasureOptions(options, run);
    declareComputationOptions(options, run);
    declareInputOptions(options, run);
    declareOutputOptions(options, run);
    addBackendOptions(options, run.backend.device);
    options.footer(
        "A run of more than one tile keeps finished tiles beside its first output; after a stop the same "
        "command goes on from there.\n\n"
        "Examples:\n"
        "  glycine distance cohort.bed -o cohort.dist --measure plink\n"
        "  glycine distance calls.vcf.gz -o mismatches.npy -o mismatches.tsv --png map.png --order cluster\n"
        "  glycine distance core.aln.gz -o pairs.tsv --molten --max-distance 20\n"
        "  glycine distance expression.csv -o d.phy --measure correlation --backend gl --variant packed");
}

/// Fills in what follows from the other options and the kind of file. Throws UsageError for options that this
/// run does not read.
void completeRunOptions(const Options& options, RunOptions& run) {
    const InputFamily family = inputFamily(run.file);
    run.distance.variant = fromString<Variant>(run.backend.variant);
    run.distance.measure = run.measure.value_or(Measure::Mismatch);
    run.reading.anyAlleles = !isForGenotypes(run.distance.measure);
    RunFacet input{"input", {std::string(family.name)}, fmt::format("{} is {}", run.input, family.words)};
    if (family.name == "calls" && run.reading.anyAlleles) input.values.emplace_back(kSymbolCalls);
    options.requireReaders(input);
    // What plink --distance, plink --distance ibs and plink --distance 1-ibs compute.
    const bool isPlinks =
        run.isPlink || run.distance.measure == Measure::Ibs || run.distance.measure == Measure::OneMinusIbs;
    const bool hasChromosomes = family.name == "plink" || family.name == "calls";
    completeChromosomeOptions(options, run.chromosomes, hasChromosomes && isPlinks, run.reading);
}

/// Fills in what depends on the data. Throws UsageError for options that do not fit them.
void completeForData(const Options& declared, RunOptions& run, const DataSet& data) {
    const bool isCoordinates = data.view().isCoordinates();
    declared.requireReaders(
        {"data",
         {std::string(toString(data.kind))},
         isCoordinates ? "coordinates have no missing entries" : "genotypes and sequences are counted"});
    run.reading.kind = data.kind;
    if (!run.measure) run.measure = isCoordinates ? Measure::Euclidean : Measure::Mismatch;
    if (!run.missing) run.missing = defaultMissingRule(*run.measure);
    run.distance.measure = *run.measure;
    run.distance.missing = *run.missing;
    run.distance.founders = data.founders;
    checkMeasure(data.view(), run.distance);
    const std::size_t attributes = data.view().attributes();
    if (run.minOverlap)
        run.distance.leastInCommon = overlapOf(*run.minOverlap, attributes);
    else if (!isCoordinates && !run.isPlink)
        run.distance.leastInCommon = usualOverlap(*run.measure, *run.missing, attributes);
    if (!isCoordinates && !data.discrete->shape().hasMissing) run.distance.leastInCommon = 0;
    if (!isCoordinates) run.minOverlap = static_cast<double>(run.distance.leastInCommon);
}

/// Throws UsageError as resultFormat does; the measure must be known where names of outputs tell it.
std::vector<Output> planOutputs(const RunOptions& run) {
    std::vector<Output> outputs;
    for (const std::string& path : run.outputs)
        outputs.push_back({path, resultFormat(path, run.files, run.distance.measure)});
    return outputs;
}

/// PLINK's own where what is wanted is PLINK's: its measure, or its kind of file.
WeightScale weightsFor(const RunOptions& run, const std::vector<Output>& outputs) {
    const bool isPlink =
        run.isPlink || std::ranges::any_of(outputs, [](const Output& output) {
            return output.format == ResultFormat::PlinkText || output.format == ResultFormat::PlinkBinary;
        });
    return isPlink ? WeightScale::Plink : WeightScale::Fine;
}

/// All files that are written, the picture included.
std::vector<fs::path> filesToWrite(const RunOptions& run, const std::vector<Output>& outputs) {
    std::vector<fs::path> files;
    for (const Output& output : outputs)
        for (const fs::path& file : resultFiles(output.path, output.format))
            // Text and binary of one measure share their .id file.
            if (file == output.path || std::find(files.begin(), files.end(), file) == files.end())
                files.push_back(file);
    if (!run.png.empty()) {
        picture::requirePictureFile("--png", run.png);
        for (fs::path& file : pictureFiles(run.png, run.isClustered)) files.push_back(std::move(file));
    }
    return files;
}

/// Whether all values are whole numbers that int32 holds.
bool isCount(const RunOptions& run, const DataSet& data) {
    return !data.view().isCoordinates() &&
           (run.distance.measure == Measure::Mismatch || run.distance.measure == Measure::Allele) &&
           (run.distance.missing == MissingRule::Ignore || !data.discrete->shape().hasMissing) &&
           data.view().attributes() < (std::size_t{1} << 30);
}

std::string identify(const Options& declared, const RunOptions& run, const DataSet& data,
                     const Backend& backend) {
    RunIdentity identity(declared);
    identity.add("instances", fmt::format("{}", data.view().instances()));
    identity.add("attributes", fmt::format("{}", data.view().attributes()));
    identity.addContents("contents of the input", inputFiles(run.file));
    identity.add("tile", fmt::format("{}", run.distance.tile));
    if (run.distance.missing == MissingRule::Weighted)
        identity.add("weights", std::string(toString(run.distance.weights)));
    // Counts are the same everywhere; sums of coordinates depend on their order.
    if (data.view().isCoordinates()) {
        identity.add("backend", backend.name());
        identity.add("variant", run.backend.variant);
    }
    return identity.text();
}

/// Whether no file holds more than the pairs up to --max-distance, so that the others need not be kept.
bool holdsClosePairsAlone(const RunOptions& run) {
    return run.files.maxDistance && run.png.empty();
}

/// Computes and writes pairs up to --max-distance.
void findClosePairs(const RunOptions& run, const std::vector<Output>& outputs, const DataSet& data,
                    pairs::ValueType type, const std::function<void(pairs::PairSink&)>& compute,
                    const PairRecount& recount, RunReport& report, Progress& progress) {
    const double diagonal = diagonalValue(run.distance.measure);
    pairs::ValueSummarizer summarizer(diagonal);
    std::map<std::size_t, double> sampled;  // of pairs that are far apart, nothing is kept
    pairs::ClosePairs close(data.view().instances(), type, *run.files.maxDistance,
                            [&](std::size_t row, std::size_t column, double value) {
                                summarizer.add(row, column, value);
                                if (recount.samples(row, column))
                                    sampled[PairRecount::number(row, column)] = value;
                            });
    Stopwatch watch;
    try {
        compute(close);
    } catch (const CancelledError&) {
        throw CancelledError(
            "stopped; nothing is kept of a run for the pairs up to --max-distance: the next one begins anew");
    }
    report.computeSeconds = watch.restart();
    report.recount = recount.compare(
        report.distances, report.computeSeconds, type,
        [&](std::size_t row, std::size_t column) { return sampled.at(PairRecount::number(row, column)); },
        progress);
    watch.restart();
    report.summary = summarizer.summary();
    for (const Output& output : outputs)
        pairs::writeMolten(output.path, close, data.names, diagonal, suitableLayout(output.format, run.files),
                           progress);
    report.writeSeconds = watch.seconds();
}

void writeOutputs(const pairs::PairOutput& values, const RunOptions& run, const std::vector<Output>& outputs,
                  const DataSet& data, const RunReport& report, Progress& progress) {
    const ResultLabels labels{data.names, data.familyIds, run.distance.measure};
    if (!run.png.empty())
        drawResult(run.png, values.store(), labels, run.isClustered, data.description,
                   fmt::format("{} {} on {}, {}", describeBuild(), report.distances.backend,
                               report.device.device, report.distances.variant),
                   progress);
    for (const Output& output : outputs) {
        if (values.becomes(output.path))
            writeNpyLabels(output.path, labels);
        else
            writeResult(output.path, output.format, values.store(), labels, run.files, progress);
    }
}

/// As the first file has its elements.
pairs::PairFormat storeFormat(const RunOptions& run, const Output& first, const DataSet& data,
                              pairs::ValueType type) {
    return {{data.view().instances(), suitableLayout(first.format, run.files)},
            type,
            diagonalValue(run.distance.measure)};
}

/// Throws MemoryError for what will not fit beside the data, before any of it is taken: the tiles that are
/// computed, and the values of all pairs where memory keeps them, then with the distances that are clustered.
void requireMemory(const RunOptions& run, const Output& first, const DataSet& data, pairs::ValueType type,
                   Backend& backend) {
    const std::size_t instances = data.view().instances();
    const double computing = hostBytesForDistances(backend, data.view(), run.distance);
    double kept = 0;
    double clustering = 0;
    if (!holdsClosePairsAlone(run)) {
        kept = static_cast<double>(pairs::PairOutput::bytesInMemory(
            first.path, storeFormat(run, first, data, type), run.distance.tile));
        if (run.isClustered) clustering = trees::bytesBelowDiagonal(instances);
    }
    requireHostMemory(fmt::format("computing distances of {}", formatCount(instances, "instance")),
                      kept + std::max(computing, clustering));
}

/// Computes and keeps all pairs, then writes the files.
void findAllPairs(const RunOptions& run, const std::vector<Output>& outputs, const DataSet& data,
                  pairs::ValueType type, const std::function<std::string()>& identity,
                  const std::function<void(pairs::PairSink&)>& compute, const PairRecount& recount,
                  RunReport& report, Progress& progress) {
    const Output& first = outputs.front();
    pairs::PairOutput values(first.path, storeFormat(run, first, data, type), run.distance.tile, identity,
                             run.restart);
    Stopwatch watch;
    values.fill(compute);
    report.computeSeconds = watch.restart();
    values.tellWhatIsKept([&] {
        discardIfWrong(values, [&] {
            report.recount = recount.compare(
                report.distances, report.computeSeconds, type,
                [&](std::size_t row, std::size_t column) { return values.store().value(row, column); },
                progress);
        });
        report.summary = pairs::summarizeValues(values.store(), diagonalValue(run.distance.measure));
        watch.restart();
        writeOutputs(values, run, outputs, data, report, progress);
    });
    values.finish();
    report.writeSeconds = watch.seconds();
}

int runDistance(CommandContext& context, const Options& declared, RunOptions& run) {
    checkBackendUse(declared, algorithm(), run.backend);
    io::PipedInputs pipes;
    run.file = pipes.fileOf(run.input);
    completeRunOptions(declared, run);
    // The measure may still depend on the data; contradictions between names and options do not.
    RunReport report;
    report.files = filesToWrite(run, planOutputs(run));
    checkOutputFiles(report.files, inputFiles(run.file));

    Stopwatch watch;
    const DataSet data = readDataSet(run.file, run.reading);
    report.readSeconds = watch.restart();
    context.progress().throwIfCancelled();
    completeForData(declared, run, data);
    const std::vector<Output> outputs = planOutputs(run);
    const ResultLabels labels{data.names, data.familyIds, run.distance.measure};
    for (const Output& output : outputs) checkLabels(output.path, output.format, labels);
    run.distance.weights = weightsFor(run, outputs);

    const BackendChoice choice = selectBackend(declared, run.backend, [&](Backend& backend) {
        return supportsDistances(backend, data.view(), run.distance);
    });
    if (data.view().isCoordinates())
        run.distance.precision = precisionOn(*choice.backend, data.view(), run.distance);
    run.distance.tile = tileSide(*choice.backend, data.view(), run.distance);
    report.options = &declared;
    report.device = describeDevice(*choice.backend);
    report.backendReason = choice.reason;
    report.input = data.description;
    report.leftOut = data.leftOut;
    report.notes = data.notes;
    report.names = data.names;
    report.measure = run.distance.measure;
    report.missing = run.distance.missing;
    report.hasMissing = !data.view().isCoordinates() && data.discrete->shape().hasMissing;
    report.isCoordinates = data.view().isCoordinates();
    report.leastInCommon = run.distance.leastInCommon;

    const pairs::ValueType type =
        run.valueType.value_or(isCount(run, data) ? pairs::ValueType::Int32 : pairs::ValueType::Float64);
    requireMemory(run, outputs.front(), data, type, *choice.backend);
    const auto compute = [&](pairs::PairSink& sink) {
        report.distances =
            computeDistances(*choice.backend, data.view(), run.distance, sink, context.progress());
        context.clearProgressLine();
    };
    const PairRecount recount(*choice.backend, run.backend, data, run.distance);
    if (holdsClosePairsAlone(run))
        findClosePairs(run, outputs, data, type, compute, recount, report, context.progress());
    else
        findAllPairs(
            run, outputs, data, type, [&] { return identify(declared, run, data, *choice.backend); }, compute,
            recount, report, context.progress());
    context.clearProgressLine();
    printRunReport(context, report, run.json);
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareRunOptions(options, *run);
    return [run, &options](CommandContext& context) { return runDistance(context, options, *run); };
}

}  // namespace glycine::distance
