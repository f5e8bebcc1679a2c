#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "app/distance/commands.hpp"
#include "app/distance/run_report.hpp"
#include "engine/algorithms/distance/input/input_data.hpp"
#include "engine/algorithms/distance/pair_values.hpp"
#include "engine/algorithms/distance/results/result_files.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/default_backend.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/storage/content_hash.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

struct RunOptions {
    std::string input;
    std::vector<std::string> outputs;
    std::string png;
    std::string order = "input";
    std::string measure;
    std::string missing;
    std::string backend;
    std::string variant = "default";
    std::string kind = "auto";
    std::string gaps = "missing";
    std::string ambiguous = "missing";
    std::string chromosomes;
    std::string header = "auto";
    bool strict = false;
    bool transpose = false;
    std::string shape;
    bool molten = false;
    std::optional<double> maxDistance;
    std::string valueType;
    std::size_t tile = 0;
    bool restart = false;
    bool json = false;
    BackendOptions device;
};

void addOptions(CLI::App& command, RunOptions& options) {
    command
        .add_option(
            "IN", options.input,
            "Genotypes (.bed with .bim and .fam, .vcf, .vcf.gz, .bcf), aligned sequences (.fa, .fasta, "
            ".aln, also .gz), or a table with a row for each instance (.npy, .csv, .tsv, also .gz)")
        ->required();
    command
        .add_option(
            "-o,--output", options.outputs,
            "What to write, by the ending: .npy, .tsv (as snp-dists), .phy or .phylip, .dist, .mdist, "
            ".mibs (as PLINK, with .id), the same with .bin; can be given several times")
        ->type_name("OUT")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->required();
    command.add_option("--png", options.png, "Also draw the distances as a heat map: PNG, SVG or PDF")
        ->type_name("FILE.png");
    command
        .add_option("--order", options.order,
                    "Order of the heat map: input (default), or cluster (leaves of a UPGMA tree)")
        ->type_name("ORDER");
    command.add_flag("--json", options.json, "Print the report as one JSON object (instances count from 0)");

    const char* what = "Measure";
    command
        .add_option("--measure", options.measure,
                    "mismatch (default), proportion; for genotypes allele, ibs, 1-ibs, or plink: what `plink "
                    "--distance` computes; for coordinates euclidean (default), sqeuclidean, manhattan, "
                    "correlation")
        ->type_name("M")
        ->group(what);
    command
        .add_option("--missing", options.missing,
                    "Attributes that one of a pair lacks: ignore (default for mismatch, proportion), flat "
                    "(scale counts by M / N), weighted (by expected contributions, as PLINK; default for "
                    "allele, ibs, 1-ibs), refuse")
        ->type_name("RULE")
        ->group(what);

    const char* how = "Computation";
    addBackendChoice(command, options.backend, options.variant);
    command
        .add_option("--tile", options.tile,
                    "Side of the tiles in which the result is computed and kept (default: what suits the "
                    "backend)")
        ->type_name("N")
        ->check(isPositive())
        ->group(how);
    command
        .add_flag("--restart", options.restart,
                  "Forget what a stopped run has left (default: go on from there)")
        ->group(how);

    const char* reading = "Input";
    command
        .add_option("--data", options.kind,
                    "auto (default), genotypes, dna, protein or coordinates: what the entries are")
        ->type_name("KIND")
        ->group(reading);
    command
        .add_option("--gaps", options.gaps,
                    "Gaps of sequences: missing (default), or state: a symbol of its own")
        ->type_name("RULE")
        ->group(reading);
    command
        .add_option("--ambiguous", options.ambiguous,
                    "N, X and other ambiguous letters: missing (default), or state: each a symbol of its own")
        ->type_name("RULE")
        ->group(reading);
    command
        .add_option("--chromosomes", options.chromosomes,
                    "Variants of a .bed file: all (default), or autosomes (default for --measure plink)")
        ->type_name("WHICH")
        ->group(reading);
    command.add_flag("--strict", options.strict, "Multi-allelic sites are an error, not skipped and counted")
        ->group(reading);
    command
        .add_option("--header", options.header,
                    "Tables: whether there is a header line: auto (default), yes, no")
        ->type_name("H")
        ->group(reading);
    command.add_flag("--transpose", options.transpose, "Tables and .npy: instances are columns")
        ->group(reading);

    const char* writing = "Output";
    command
        .add_option("--shape", options.shape,
                    "square, square0 (PLINK: zeros above the diagonal) or triangle (default: triangle for "
                    "PLINK text, else square)")
        ->type_name("S")
        ->group(writing);
    command.add_flag("--molten", options.molten, ".tsv: one line a pair instead of a matrix")->group(writing);
    command
        .add_option("--max-distance", options.maxDistance, "With --molten: only pairs up to this distance")
        ->type_name("D")
        ->group(writing);
    command
        .add_option("--dtype", options.valueType,
                    "int32 (default for whole counts), float32 or float64 (default for all else)")
        ->type_name("T")
        ->group(writing);
    addBackendOptions(command, options.device);
    command.footer(
        "A run of more than one tile keeps finished tiles beside its first output; after a stop the same "
        "command goes on from there.\n\n"
        "Examples:\n"
        "  glycine distance cohort.bed -o cohort.dist --measure plink\n"
        "  glycine distance calls.vcf.gz -o mismatches.npy -o mismatches.tsv --png map.png --order cluster\n"
        "  glycine distance core.aln.gz -o pairs.tsv --molten --max-distance 20\n"
        "  glycine distance expression.csv -o d.phy --measure correlation --backend gl --variant packed");
}

template <class Value>
Value choose(const char* option, const std::string& text,
             std::initializer_list<std::pair<const char*, Value>> known) {
    std::string names;
    for (const auto& [name, value] : known) {
        if (text == name) return value;
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    throw UsageError(fmt::format("{}: unknown '{}'; known: {}", option, text, names));
}

/// What the options ask for, apart from the data.
struct Plan {
    InputOptions input;
    DistanceOptions distance;
    bool hasMeasure = false;  ///< else the usual one for the data
    bool hasMissingRule = false;
    bool isClustered = false;
    ResultFileOptions files;
    std::optional<pairs::ValueType> valueType;
};

/// `plink` is a measure on the command line only: it stands for other options, too.
Measure parseMeasureOption(const std::string& name) {
    try {
        return parseMeasure(name);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}, plink", error.what()));
    }
}

Plan planRun(const RunOptions& options) {
    Plan plan;
    plan.input.kind = parseDataKind(options.kind);
    plan.input.gaps = parseLetterRule(options.gaps);
    plan.input.ambiguous = parseLetterRule(options.ambiguous);
    plan.input.strict = options.strict;
    plan.input.transpose = options.transpose;
    plan.input.header = choose<std::optional<bool>>("--header", options.header,
                                                    {{"auto", std::nullopt}, {"yes", true}, {"no", false}});
    const bool isPlink = options.measure == "plink";
    plan.input.autosomesOnly = isPlink;
    if (!options.chromosomes.empty())
        plan.input.autosomesOnly =
            choose<bool>("--chromosomes", options.chromosomes, {{"all", false}, {"autosomes", true}});
    plan.hasMeasure = !options.measure.empty();
    if (isPlink)
        plan.distance.measure = Measure::Allele;
    else if (plan.hasMeasure)
        plan.distance.measure = parseMeasureOption(options.measure);
    plan.hasMissingRule = !options.missing.empty();
    if (plan.hasMissingRule) plan.distance.missing = parseMissingRule(options.missing);
    plan.distance.variant = parseVariant(options.variant);
    plan.distance.tile = options.tile;
    plan.isClustered = choose<bool>("--order", options.order, {{"input", false}, {"cluster", true}});
    if (!options.shape.empty()) plan.files.shape = parseShape(options.shape);
    plan.files.molten = options.molten;
    plan.files.maxDistance = options.maxDistance;
    if (!options.valueType.empty()) plan.valueType = pairs::parseValueType(options.valueType);
    return plan;
}

/// One file to write.
struct Output {
    fs::path path;
    ResultFormat format;
};

std::vector<Output> planOutputs(const RunOptions& options, const Plan& plan) {
    std::vector<Output> outputs;
    for (const std::string& path : options.outputs)
        outputs.push_back({path, resultFormat(path, plan.files, plan.distance.measure)});
    return outputs;
}

std::vector<fs::path> filesToWrite(const RunOptions& options, const std::vector<Output>& outputs) {
    std::vector<fs::path> files;
    for (const Output& output : outputs)
        for (const fs::path& file : resultFiles(output.path, output.format))
            // Text and binary of one measure share their .id file.
            if (file == output.path || std::find(files.begin(), files.end(), file) == files.end())
                files.push_back(file);
    if (!options.png.empty()) {
        picture::requirePictureFile("--png", options.png);
        files.emplace_back(options.png);
    }
    return files;
}

/// How the values are kept while tiles come in.
struct StorePlan {
    pairs::ValueType type = pairs::ValueType::Float64;
    pairs::StoreLayout layout = pairs::StoreLayout::Square;
    std::size_t tileSide = 0;
    std::size_t tiles = 0;
    bool isNpy = false;  ///< the kept file becomes the first output
};

StorePlan planStore(const Plan& plan, const std::vector<Output>& outputs, const DataSet& data,
                    std::size_t tileSide) {
    StorePlan store;
    const bool isWhole =
        !data.view().isCoordinates() &&
        (plan.distance.measure == Measure::Mismatch || plan.distance.measure == Measure::Allele) &&
        (plan.distance.missing == MissingRule::Ignore || !data.discrete->shape().hasMissing) &&
        data.view().attributes() < (std::size_t{1} << 30);
    store.type = plan.valueType.value_or(isWhole ? pairs::ValueType::Int32 : pairs::ValueType::Float64);
    const std::size_t n = data.view().instances();
    store.tileSide = tileSide;
    store.tiles = tilesBelowDiagonal(n, tileSide).size();
    // As the first file has its elements; where that is a .npy file, the kept file becomes it.
    store.layout = suitableLayout(outputs.front().format, plan.files);
    store.isNpy = store.tiles > 1 && outputs.front().format == ResultFormat::Npy;
    return store;
}

std::string identify(const RunOptions& options, const Plan& plan, const StorePlan& store, const DataSet& data,
                     const Backend& backend) {
    std::string text = fmt::format("glycine: {}\n", buildInfo().version);
    const auto add = [&text](std::string_view name, const auto& value) {
        text += fmt::format("{}: {}\n", name, value);
    };
    add("instances", data.view().instances());
    add("attributes", data.view().attributes());
    add("data", toString(data.kind));
    add("contents of the input", fmt::format("{:016x}", storage::contentHash(inputFiles(options.input))));
    add("gaps", options.gaps);
    add("ambiguous", options.ambiguous);
    add("chromosomes", plan.input.autosomesOnly ? "autosomes" : "all");
    add("header", options.header);
    add("transpose", options.transpose);
    add("measure", toString(plan.distance.measure));
    add("missing", toString(plan.distance.missing));
    add("tile", store.tileSide);
    // Counts are the same everywhere; sums of coordinates depend on their order.
    if (data.view().isCoordinates()) {
        add("backend", backend.name());
        add("variant", options.variant);
    }
    return text;
}

int runDistance(CommandContext& context, const CLI::App& command, const RunOptions& options) {
    Plan plan = planRun(options);
    requireInputKind(options.input);
    checkBackendUse(command, registeredAlgorithm(), options.backend, options.variant);
    // The measure may still depend on the data; contradictions between names and options do not.
    std::vector<Output> outputs = planOutputs(options, plan);
    const std::vector<fs::path> files = filesToWrite(options, outputs);
    checkOutputFiles(files, inputFiles(options.input));
    if (options.png.empty() && command.count("--order") > 0)
        throw UsageError("--order is about the heat map: it needs --png");

    RunReport report;
    Stopwatch watch;
    const DataSet data = readDataSet(options.input, plan.input);
    report.readSeconds = watch.restart();
    context.progress().throwIfCancelled();
    if (!plan.hasMeasure)
        plan.distance.measure = data.view().isCoordinates() ? Measure::Euclidean : Measure::Mismatch;
    if (!plan.hasMissingRule) plan.distance.missing = defaultMissingRule(plan.distance.measure);
    if (data.view().isCoordinates() && plan.hasMissingRule)
        throw UsageError("--missing is for genotypes and sequences; coordinates have no missing entries");
    plan.distance.founders = data.founders;
    checkMeasure(data.view(), plan.distance);
    outputs = planOutputs(options, plan);

    const BackendChoice choice = selectBackend(
        command, options.backend, options.device,
        [&](Backend& backend) { return supportsDistances(backend, data.view(), plan.distance); });
    Backend& backend = *choice.backend;
    plan.distance.tile = tileSide(backend, data.view(), plan.distance);
    const StorePlan storePlan = planStore(plan, outputs, data, plan.distance.tile);
    const double diagonal = diagonalValue(plan.distance.measure);
    const pairs::PairFormat format{{data.view().instances(), storePlan.layout}, storePlan.type, diagonal};
    const bool isKept = storePlan.tiles > 1;
    const auto store =
        isKept ? std::make_unique<pairs::PairStore>(
                     outputs.front().path, identify(options, plan, storePlan, data, backend), format,
                     storePlan.isNpy ? pairs::npyHeader(format.layout, format.type) : "", options.restart)
               : std::make_unique<pairs::PairStore>(format);

    watch.restart();
    try {
        report.distances = computeDistances(backend, data.view(), plan.distance, *store, context.progress());
    } catch (const CancelledError&) {
        if (!isKept) throw;
        throw CancelledError(fmt::format(
            "stopped; finished tiles are kept in {}.unfinished: the same command goes on from there",
            outputs.front().path.string()));
    }
    report.computeSeconds = watch.restart();
    context.clearProgressLine();

    report.input = data.description;
    report.notes = data.notes;
    report.device =
        describeDevice(backend, backend.name() == "gl" ? std::string(toString(options.device.dialect)) : "");
    report.backendReason = choice.reason;
    report.measure = plan.distance.measure;
    report.missing = plan.distance.missing;
    report.hasMissing = !data.view().isCoordinates() && data.discrete->shape().hasMissing;
    report.names = data.names;
    report.summary = summarizeValues(*store, diagonal);

    watch.restart();
    const ResultLabels labels{data.names, data.familyIds, plan.distance.measure};
    if (!options.png.empty())
        drawResult(options.png, *store, labels, plan.isClustered, data.description,
                   fmt::format("{} {} on {}, {}", describeBuild(), report.distances.backend,
                               report.device.device, report.distances.variant),
                   context.progress());
    for (const Output& output : outputs)
        if (!(storePlan.isNpy && &output == &outputs.front()))
            writeResult(output.path, output.format, *store, labels, plan.files, context.progress());
    if (storePlan.isNpy)
        store->becomeOutput();
    else
        store->discard();
    context.clearProgressLine();
    report.writeSeconds = watch.seconds();
    report.files = files;

    if (options.json)
        printJson(context.out(), toJson(report));
    else
        printRunReport(context.out(), report, terminalWidth());
    return 0;
}

}  // namespace

CommandAction addRunTask(CLI::App& command) {
    auto options = std::make_shared<RunOptions>();
    addOptions(command, *options);
    return [options, &command](CommandContext& context) { return runDistance(context, command, *options); };
}

}  // namespace glycine::distance
