#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/distance/chromosome_options.hpp"
#include "app/distance/distance_commands.hpp"
#include "app/distance/distance_report.hpp"
#include "app/pair_command.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/distance/distance_algorithm.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/distance/measures.hpp"
#include "engine/distance/recount_distances.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

/// What the user wrote behind `glycine distance`.
struct RunOptions : PairArguments {
    InputOptions reading;
    ChromosomeOptions chromosomes;
    std::optional<Measure> measure;      ///< absent: the usual one for the data
    std::optional<MissingRule> missing;  ///< absent: the usual one for the measure
    std::optional<double> minOverlap;    ///< absent: the usual one for the measure
    bool isPlink = false;                ///< --measure plink, which stands for other options, too
    DistanceOptions distance;
    ResultFileOptions files;
    std::optional<pairs::ValueType> valueType;
};

/// One file to write.
struct Output {
    fs::path path;
    ResultFormat format;
};

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
            fmt::format(
                "{}; for genotypes {}, or plink: what `plink --distance` computes; for coordinates {}",
                measureNames(Attributes::Symbols, ", ", " (default)"), measureNames(Attributes::Genotypes),
                measureNames(Attributes::Coordinates, ", ", " (default)")))
        .suggests(measures);
    options
        .choice(
            "--missing RULE", run.missing,
            fmt::format("Attributes that one of a pair lacks: ignore (default for {}), flat (scale counts "
                        "by M / N), weighted (by expected contributions, as PLINK; default for {}), refuse",
                        measureNames(Attributes::Symbols), measureNames(Attributes::Genotypes)))
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
    addTileOptions(options, run.distance.tile, run, [&] {
        options
            .choice("--precision P", run.distance.precision,
                    "Of coordinates: float64 (default for arrays of float64 and for tables, on reference, "
                    "cpu and "
                    "cuda) or float32 (default for arrays of float32, and on gl)")
            .decidesResult()
            .readBy("data", {"coordinates"});
    });
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
    addPairOutputs(
        options, run,
        ".npy (with .npy.names), .npz, .csv, .tsv (as snp-dists), .phy or .phylip, .dist, .mdist, "
        ".mibs (as PLINK, with .id), the same with .bin; - is .tsv to standard output; can be given "
        "several times");
    addPictureOptions(options, run, "distances", "--order");
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
    run.distance.measure = run.measure.value_or(usualMeasure(false));
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
    if (!run.measure) run.measure = usualMeasure(isCoordinates);
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
    return !data.view().isCoordinates() && !traitsOf(run.distance.measure).isShare &&
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

class DistanceCommand final : public PairCommand {
  public:
    void declare(Options& options) { declareRunOptions(options, run_); }

  protected:
    PairArguments& arguments() override { return run_; }
    PairReport& report() override { return report_; }
    const Algorithm& algorithm() const override { return distance::algorithm(); }

    std::vector<fs::path> planFiles(const Options& declared) override {
        completeRunOptions(declared, run_);
        return filesToWrite(run_, planOutputs(run_));
    }
    std::vector<fs::path> inputFiles() const override { return distance::inputFiles(run_.file); }
    void read() override { data_ = readDataSet(run_.file, run_.reading); }

    void completeForData(const Options& declared) override {
        distance::completeForData(declared, run_, data_);
        outputs_ = planOutputs(run_);
        const ResultLabels labels{data_.names, data_.familyIds, run_.distance.measure};
        for (const Output& output : outputs_) checkLabels(output.path, output.format, labels);
        run_.distance.weights = weightsFor(run_, outputs_);
        type_ = run_.valueType.value_or(isCount(run_, data_) ? pairs::ValueType::Int32
                                                             : pairs::ValueType::Float64);
        const DataView view = data_.view();
        report_.input = data_.description;
        report_.leftOut = data_.leftOut;
        report_.notes = data_.notes;
        report_.names = data_.names;
        report_.measure = run_.distance.measure;
        report_.missing = run_.distance.missing;
        report_.hasMissing = !view.isCoordinates() && data_.discrete->shape().hasMissing;
        report_.isCoordinates = view.isCoordinates();
        report_.leastInCommon = run_.distance.leastInCommon;
    }
    Support supports(Backend& backend) override {
        return supportsDistances(backend, data_.view(), run_.distance);
    }
    void completeForBackend(Backend& backend) override {
        if (data_.view().isCoordinates())
            run_.distance.precision = precisionOn(backend, data_.view(), run_.distance);
        run_.distance.tile = tileSide(backend, data_.view(), run_.distance);
    }

    pairs::PairFormat format() const override {
        return {{data_.view().instances(), suitableLayout(outputs_.front().format, run_.files)},
                type_,
                diagonal()};
    }
    std::size_t tile() const override { return run_.distance.tile; }
    double diagonal() const override { return diagonalValue(run_.distance.measure); }
    void requireMemory(Backend& backend, double kept, double clustering) override {
        const double computing = hostBytesForDistances(backend, data_.view(), run_.distance);
        requireHostMemory(
            fmt::format("computing distances of {}", formatCount(data_.view().instances(), "instance")),
            kept + std::max(computing, clustering));
    }
    std::optional<double> largestWanted() const override {
        return run_.png.empty() ? run_.files.maxDistance : std::nullopt;
    }
    std::string identity(const Options& declared, const Backend& backend) const override {
        return identify(declared, run_, data_, backend);
    }
    void compute(Backend& backend, pairs::PairSink& sink, Progress& progress) override {
        report_.distances = computeDistances(backend, data_.view(), run_.distance, sink, progress);
    }

    const pairs::RunOutcome& outcome() const override { return report_.distances; }
    std::optional<RecountReport> recount(const FoundPairs& found, Progress& progress) override {
        const RecountCost cost = costOfRecount(data_.view(), run_.distance);
        const auto again = [this](Backend& reference, std::span<const std::size_t> numbers,
                                  Progress& counting, const std::function<bool(const RecountedPair&)>& take) {
            countAgain(reference, data_.view(), run_.distance, report_.distances, numbers, counting, take);
        };
        return recountPairs(found,
                            {.quantity = std::string(toString(run_.distance.measure)),
                             .time = {.each = cost.each, .once = cost.once},
                             .countAgain = again},
                            run_.backend, progress);
    }

    void write(const pairs::PairOutput& values, Progress& progress) override {
        const ResultLabels labels{data_.names, data_.familyIds, run_.distance.measure};
        if (!run_.png.empty())
            drawResult(run_.png, values.store(), labels, run_.isClustered, data_.description, footer(),
                       progress);
        for (const Output& output : outputs_) {
            if (values.becomes(output.path))
                writeNpyLabels(output.path, labels);
            else
                writeResult(output.path, output.format, values.store(), labels, run_.files, progress);
        }
    }
    void writeClose(pairs::ClosePairs& close, Progress& progress) override {
        for (const Output& output : outputs_)
            pairs::writeMolten(output.path, close, data_.names, diagonal(),
                               suitableLayout(output.format, run_.files), progress);
    }

  private:
    RunOptions run_;
    RunReport report_;
    DataSet data_;
    std::vector<Output> outputs_;
    pairs::ValueType type_ = pairs::ValueType::Float64;
};

}  // namespace

CommandAction declareRun(Options& options) {
    auto command = std::make_shared<DistanceCommand>();
    command->declare(options);
    return [command, &options](CommandContext& context) { return command->run(context, options); };
}

}  // namespace glycine::distance
