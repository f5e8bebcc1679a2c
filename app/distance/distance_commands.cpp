#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/distance/chromosome_options.hpp"
#include "app/distance/distance_commands.hpp"
#include "app/pair_command.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/distance_request.hpp"
#include "engine/distance/input/chosen_instances.hpp"
#include "engine/distance/input/genotype_files.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/distance/measures.hpp"
#include "engine/distance/pair_engine.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/distance/recount_distances.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/distance/results/kinship_files.hpp"
#include "engine/distance/study/distance_problem.hpp"
#include "engine/io/text/json.hpp"
#include "engine/pairs/clusters.hpp"
#include "engine/pairs/files/cluster_files.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

/// Everything that `glycine distance` tells about a run.
struct RunReport final : PairReport {
    void print(std::ostream& out) const override;
    /// JSON: instance indices count from 0.
    Json json() const override;

    std::vector<LeftOutSites> leftOut;  ///< told before anything else
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    bool hasMissing = false;
    bool isCoordinates = false;
    std::size_t leastInCommon = 0;  ///< attributes that a pair must have in common; 0: any number
    DistanceReport distances;
    std::map<Degree, std::size_t> relatives;  ///< pairs of third degree and closer
    bool hasRelatives = false;                ///< whether they were looked for
    std::optional<pairs::Clusters> clusters;
    std::string clusterRule;  ///< "within 12, single linkage"

  private:
    std::string describeDistances() const;
};

/// N² · M, every ordered pair and each instance beside itself, as the paper's loop compares them.
double comparisons(const DistanceReport& distances) {
    const double n = static_cast<double>(distances.instances);
    return n * n * static_cast<double>(distances.attributes);
}

/// Whether the rate means something: nothing was taken over from an earlier run.
bool hasRate(const DistanceReport& distances) {
    return distances.tilesResumed == 0 && distances.times.compute > 0;
}

std::string describeRate(const DistanceReport& distances) {
    if (!hasRate(distances)) return "";
    return fmt::format("; computing at {} G/s, all N² pairs counted",
                       formatNumber(comparisons(distances) / distances.times.compute / 1e9));
}

std::string describeUndefined(const RunReport& report) {
    const std::string pairs = formatCount(report.summary.undefined, "pair");
    if (report.measure == Measure::King && report.leastInCommon == 0)
        return fmt::format(
            "{} with an instance that has no heterozygote: written as nan, in .kin0 as PLINK "
            "2 writes them",
            pairs);
    if (report.leastInCommon == 0)
        return fmt::format("{} without an attribute that both have: written as nan", pairs);
    return fmt::format(
        "{} with fewer than {} of {} attributes in common (--min-overlap): written as nan, taken neither for "
        "close nor for identical",
        pairs, formatCount(report.leastInCommon), formatCount(report.distances.attributes));
}

std::string describeMeasure(const RunReport& report) {
    std::string text(toString(report.measure));
    if (report.hasMissing) text += fmt::format(", missing entries: {}", toString(report.missing));
    return text;
}

/// What the rounding of coordinates can change a distance by.
double largestChange(const RunReport& report) {
    return changeOf(report.measure, report.distances.rounding, std::max(0.0, report.summary.largest));
}

/// What the precision of coordinates cost; empty where there is nothing to say.
std::string describePrecision(const RunReport& report) {
    const DistanceReport& distances = report.distances;
    if (!report.isCoordinates) return {};
    if (distances.rounding.largest == 0)
        return distances.precision == Precision::Float64 ? std::string(toString(distances.precision)) : "";
    return fmt::format(
        "{}: {} were rounded by up to {:.2g}, which can change a distance by up to {:.2g}; --precision "
        "float64 rounds nothing (reference, cpu, cuda)",
        toString(distances.precision),
        traitsOf(report.measure).preparation == Preparation::Standardise ? "standardised rows"
                                                                         : "coordinates, less their medians,",
        distances.rounding.largest, largestChange(report));
}

std::string RunReport::describeDistances() const {
    if (summary.pairs == 0) return "none: a single instance, or no pair with enough attributes in common";
    std::string text = describeValues();
    if (summary.identical > 0) text += fmt::format("; {} identical", formatCount(summary.identical));
    return text;
}

/// Related pairs, "107 pairs: 1 duplicate or identical twins, 13 first degree; closest a – b (0.251)".
std::string describeRelatives(const RunReport& report) {
    if (report.relatives.empty()) return "no pair of third degree or closer";
    std::vector<std::string> parts;
    std::size_t pairs = 0;
    for (const auto& [degree, count] : report.relatives) {
        pairs += count;
        parts.push_back(fmt::format("{} {}", formatCount(count),
                                    degree == Degree::Duplicate
                                        ? "duplicate or identical twins"
                                        : fmt::format("{} degree", toString(degree))));
    }
    const auto& [one, other] = report.summary.largestPair;
    return fmt::format("{}: {}; closest {} – {} ({:.3f})", formatCount(pairs, "pair"), fmt::join(parts, ", "),
                       report.names.at(one), report.names.at(other), report.summary.largest);
}

std::string describeClusters(const RunReport& report) {
    const pairs::Clusters& clusters = *report.clusters;
    const std::size_t linked = clusters.linked();
    const auto members = std::accumulate(
        clusters.sizes.begin(), clusters.sizes.begin() + static_cast<std::ptrdiff_t>(linked), std::size_t{0});
    return fmt::format("{} of two or more ({}), with {} of {}; the largest has {}", formatCount(linked),
                       report.clusterRule, formatCount(members), formatCount(clusters.of.size(), "instance"),
                       formatCount(clusters.sizes.front()));
}

void RunReport::print(std::ostream& out) const {
    Fields fields;
    for (const LeftOutSites& sites : leftOut) fields.emplace_back("Left out", sites.text());
    fields.emplace_back("Input", input);
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Measure", describeMeasure(*this));
    addDeviceFields(fields, *this, distances.variant);
    if (const std::string precision = describePrecision(*this); !precision.empty())
        fields.emplace_back("Precision", precision);
    addTimeField(fields, *this, describeRate(distances));
    addRun(fields, distances);
    fields.emplace_back("Distances", describeDistances());
    if (hasRelatives) fields.emplace_back("Relatives", describeRelatives(*this));
    if (clusters) fields.emplace_back("Clusters", describeClusters(*this));
    if (summary.undefined > 0) fields.emplace_back("Warning", describeUndefined(*this));
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json RunReport::json() const {
    Json json = runHeadJson("distance", *this);
    json["input"] = input;
    json["notes"] = notes;
    for (const LeftOutSites& sites : leftOut)
        json["leftOut"].push_back(
            {{"sites", sites.sites}, {"of", sites.of}, {"share", sites.share()}, {"reason", sites.reason}});
    json["instances"] = distances.instances;
    json["attributes"] = distances.attributes;
    json["measure"] = toString(measure);
    json["missing"] = toString(missing);
    json["hasMissing"] = hasMissing;
    json["backend"] = distances.backend;
    json["variant"] = distances.variant;
    if (isCoordinates)
        json["precision"] = {{"numbers", toString(distances.precision)},
                             {"largestRounding", distances.rounding.largest},
                             {"largestChange", largestChange(*this)}};
    addRun(json, distances);
    if (hasRate(distances)) json["comparisonsPerSecond"] = comparisons(distances) / distances.times.compute;
    Json& values = json["distances"];
    values = {{"pairs", summary.pairs}, {"undefined", summary.undefined}, {"identical", summary.identical}};
    if (hasMissing) values["leastInCommon"] = leastInCommon;
    addValues(values);
    for (const auto& [degree, count] : relatives) json["relatives"][std::string(toString(degree))] = count;
    if (clusters)
        json["clusters"] = {{"rule", clusterRule}, {"of", clusters->of}, {"sizes", clusters->sizes}};
    json["files"] = fileNames(files);
    return json;
}

/// What the user wrote behind `glycine distance`.
struct RunOptions : PairArguments, DistanceRequest {
    InputOptions reading;
    ChromosomeOptions chromosomes;
    DistanceOptions distance;
    ResultFileOptions files;
    std::optional<pairs::ValueType> valueType;
    std::optional<double> leastKinship;
    std::optional<double> clusterDistance;
    trees::Linkage linkage = trees::Linkage::Single;
    std::string keep, remove;

    /// The input's files, and the lists of instances.
    std::vector<fs::path> filesToRead() const {
        std::vector<fs::path> paths = inputFiles(file);
        for (const std::string& list : {keep, remove})
            if (!list.empty()) paths.emplace_back(list);
        return paths;
    }
};

/// One file to write.
struct Output {
    fs::path path;
    ResultFormat format;
};

/// A VCF file whose genotypes are symbols, among what inputs are to options.
constexpr const char* kSymbolCalls = "calls as symbols";

void declareMeasureOptions(Options& options, RunOptions& run) {
    Heading heading(options, "Measure");
    heading.decidesResults();
    std::vector<std::string_view> measures = namesOfAll<Measure>();
    measures.push_back("plink");
    options
        .parsed(
            "--measure M", [&run](const std::string& name) { run.readMeasure(name); },
            [&run] { return run.measure ? std::string(toString(*run.measure)) : ""; },
            fmt::format(
                "{}; for genotypes {} (kinship, as `plink2 --make-king`), or plink: what `plink --distance` "
                "computes; for coordinates {}",
                measureNames(Attributes::Symbols, ", ", " (default)"), measureNames(Attributes::Genotypes),
                measureNames(Attributes::Coordinates, ", ", " (default)")))
        .suggests(measures)
        .basic();
    options
        .choice(
            "--missing RULE", run.missing,
            fmt::format("Attributes that one of a pair lacks: ignore (default for {}), flat (scale counts "
                        "by M / N), weighted (by expected contributions, as PLINK; default for {}), refuse",
                        measureNames(Attributes::Symbols), "allele, ibs, 1-ibs"))
        .readBy("data", {"genotypes", "dna", "protein"}, "genotypes and sequences");
    options
        .value("--min-overlap K", run.minOverlap,
               "Attributes that both of a pair must have, a number or (below 1) a share of all; a pair with "
               "fewer has no value (nan) and is neither close nor identical")
        .byDefault("half of all; at most 1000 for shares and scaled counts; 0 for plink and king")
        .notNegative()
        .readBy("data", {"genotypes", "dna", "protein"}, "genotypes and sequences");
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
    options
        .value("--keep LIST", run.keep,
               "Only the instances of this file: a line each, a name, or PLINK's family and individual")
        .decidesResult()
        .basic();
    options.value("--remove LIST", run.remove, "All instances but those of this file")
        .decidesResult()
        .basic();
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
    options.flag("--molten", run.files.molten, ".tsv: one line a pair instead of a matrix").basic();
    options.value("--max-distance D", run.files.maxDistance, "With --molten: only pairs up to this distance")
        .notNegative()
        .beside("--molten")
        .basic();
    options
        .value(
            "--nearest K", run.files.nearest,
            "With --molten: only the K nearest (most similar) others of each instance\n, the nearest first")
        .positive()
        .beside("--molten")
        .basic();
    options
        .value("--min-kinship K", run.leastKinship,
               "With --measure king: only pairs of at least this kinship\nin .kin0 (default: all) and "
               ".relatives.tsv (default: 0.0442, third degree)")
        .within(-100, 0.5)
        .basic();
    options
        .value("--clusters D", run.clusterDistance,
               "Write clusters of instances within this distance instead of distances: .tsv (name, cluster, "
               "size), .graphml, or a picture (.png, .svg, .pdf)")
        .notNegative()
        .basic();
    options
        .choice("--linkage RULE", run.linkage,
                "Of clusters: single (linked to some instance within D), complete (to each) or average")
        .beside("--clusters");
    options.choice("--dtype T", run.valueType,
                   "int32 (default for whole counts), float32 or float64 (default for all else)");
}

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value(
            "IN", run.input,
            "Genotypes (.bed with .bim and .fam, .vcf, .bcf), aligned sequences (.fa, .fasta, .aln), or a "
            "table with a row for each instance (.npy, .csv, .tsv)\n(all but .bed, .bcf and .npy also with "
            ".gz or .bgz; - is standard input)")
        .required();
    addPairOutputs(options, run,
                   ".tsv, .csv, .npy, .phy, .dist, .kin0, …; a heat map: .png, .svg, .pdf\n(.npy has "
                   ".npy.names beside it; "
                   "also .npz; .tsv is as of snp-dists; .phy or .phylip; .dist, .mdist, .mibs as PLINK, with "
                   ".id, and with "
                   ".bin; with --measure king also .kin0 (as PLINK 2 --make-king-table) and .relatives.tsv "
                   "(counts, kinship, "
                   "degree); - is .tsv to standard output; can be given several times)");
    addOrderOption(options, run);
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
        "  glycine distance calls.vcf.gz -o mismatches.npy -o mismatches.tsv -o map.png --order cluster\n"
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
    const bool isPlinks = run.isPlink || run.distance.measure == Measure::Ibs ||
                          run.distance.measure == Measure::OneMinusIbs ||
                          run.distance.measure == Measure::King;
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
    run.distance.founders = data.founders;
    settle(run, run.distance, data.view());
}

/// Throws UsageError as resultFormat does; the measure must be known where names of outputs tell it.
std::vector<Output> planOutputs(const RunOptions& run) {
    std::vector<Output> outputs;
    const auto isList = [](const std::string& path) {
        return path.ends_with(".kin0") || path.ends_with(".relatives.tsv");
    };
    if (run.leastKinship && std::ranges::none_of(run.outputs, isList))
        throw UsageError("--min-kinship is for .kin0 and .relatives.tsv files");
    if (run.files.nearest && (run.files.maxDistance || run.files.shape))
        throw UsageError("--nearest goes with neither --max-distance nor --shape");
    if (run.clusterDistance) {
        if (run.files.molten)
            throw UsageError("--clusters writes clusters alone; --molten is for another run");
        if (traitsOf(run.distance.measure).isSimilarity)
            throw UsageError(fmt::format("--clusters needs a distance; '{}' is a similarity",
                                         toString(run.distance.measure)));
        for (const std::string& path : run.outputs) {
            pairs::requireClusterFile(path);
            outputs.push_back({path, ResultFormat::Clusters});
        }
        return outputs;
    }
    for (const std::string& path : run.outputs)
        outputs.push_back({path, resultFormat(path, run.files, run.distance.measure)});
    const auto lists = static_cast<std::size_t>(
        std::ranges::count_if(outputs, isKinshipList, [](const Output& output) { return output.format; }));
    if (lists > 0 && (lists < outputs.size() || !run.png.empty()))
        throw UsageError(
            ".kin0 and .relatives.tsv files come from a run of their own, without others and pictures");
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
    if (!run.png.empty())
        for (fs::path& file : pictureFiles(run.png, run.isClustered)) files.push_back(std::move(file));
    return files;
}

std::string identify(const Options& declared, const RunOptions& run, const DataSet& data,
                     const Backend& backend) {
    RunIdentity identity(declared);
    identity.add("instances", fmt::format("{}", data.view().instances()));
    identity.add("attributes", fmt::format("{}", data.view().attributes()));
    identity.addContents("contents of the input", run.filesToRead());
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
    std::vector<StageWhere> stages() const override {
        return {{"packing", kStageOfInput, kStageOfInput},
                {"counts and sums of pairs", "", ""},
                {"sums over blocks of attributes", "more than a pass or a float holds", ""},
                {"missing weights", kStageInDouble, kStageInDouble},
                {"values", kStageInDouble, kStageInDouble}};
    }

    bool drawsItself() const override { return run_.clusterDistance.has_value(); }
    std::vector<fs::path> planFiles(const Options& declared) override {
        completeRunOptions(declared, run_);
        return filesToWrite(run_, planOutputs(run_));
    }
    std::vector<fs::path> inputFiles() const override { return run_.filesToRead(); }
    void read() override {
        data_ = readDataSet(run_.file, run_.reading);
        if (!run_.keep.empty() || !run_.remove.empty()) chooseInstances(data_, run_.keep, run_.remove);
    }

    void completeForData(const Options& declared) override {
        distance::completeForData(declared, run_, data_);
        outputs_ = planOutputs(run_);
        const ResultLabels labels = this->labels();
        for (const Output& output : outputs_) checkLabels(output.path, output.format, labels);
        run_.distance.weights = weightsFor(run_, outputs_);
        type_ = run_.valueType.value_or(areCounts(data_.view(), run_.distance) ? pairs::ValueType::Int32
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
    double hostSeconds() const override {
        const auto instances = static_cast<double>(data_.view().instances());
        const double work = instances * instances / 2 * static_cast<double>(data_.view().attributes());
        const bool isDiscrete = !data_.view().isCoordinates();
        return hostSecondsFor(isDiscrete ? work * data_.view().discrete->shape().planes : work,
                              isDiscrete ? 60e9 : 1e9, run_.backend.device);
    }
    void completeForBackend(Backend& backend) override {
        if (data_.view().isCoordinates())
            run_.distance.precision = precisionOn(backend, data_.view(), run_.distance);
        run_.distance.tile = tileSide(backend, data_.view(), run_.distance);
    }

    pairs::PairFormat format() const override {
        return {{data_.view().instances(), suitableLayout(firstFormat(), run_.files)}, type_, diagonal()};
    }
    std::size_t tile() const override { return run_.distance.tile; }
    double diagonal() const override { return diagonalValue(run_.distance.measure); }
    void requireMemory(Backend& backend, double kept, double clustering) override {
        const double computing = hostBytesForDistances(backend, data_.view(), run_.distance);
        const auto n = static_cast<double>(data_.view().instances());
        if (run_.linkage == trees::Linkage::Average)
            kept += n * (n - 1) / 2 * (sizeof(pairs::ClosePair) + sizeof(double));
        if (isKinshipList(firstFormat()) && leastListed() < 0) kept += n * (n - 1) * sizeof(KinshipPair);
        requireHostMemory(
            fmt::format("computing distances of {}", formatCount(data_.view().instances(), "instance")),
            kept + std::max(computing, clustering));
    }
    std::optional<double> largestWanted() const override {
        if (isKinshipList(firstFormat())) return -std::numeric_limits<double>::infinity();
        if (run_.clusterDistance)
            return run_.linkage == trees::Linkage::Average ? std::numeric_limits<double>::infinity()
                                                           : *run_.clusterDistance;
        return run_.png.empty() ? run_.files.maxDistance : std::nullopt;
    }
    std::string whyNotInParts() const override {
        return isKinshipList(outputs_.front().format) ? "lists of relatives need more of a pair than its "
                                                        "kinship, which parts keep; expected a matrix"
                                                      : "";
    }
    std::string identity(const Options& declared, const Backend& backend) const override {
        return identify(declared, run_, data_, backend);
    }
    void compute(Backend& backend, pairs::PairSink& sink, Progress& progress) override {
        KinshipTable table;
        const bool isList = isKinshipList(firstFormat());
        if (isList) {
            run_.distance.kinships = &table;
            table.least = std::min(leastListed(), kLeastKinshipOfRelatives);
        }
        report_.distances = computeDistances(backend, data_.view(), run_.distance, sink, progress);
        run_.distance.kinships = nullptr;
        if (!isList) return;
        kinships_ = std::move(table.pairs);
        std::ranges::sort(kinships_, {},
                          [](const KinshipPair& pair) { return std::pair(pair.row, pair.column); });
        report_.hasRelatives = true;
        for (const KinshipPair& pair : kinships_)
            if (pair.kinship() >= kLeastKinshipOfRelatives) ++report_.relatives[degreeOf(pair.kinship())];
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

    double prepareSeconds() const override { return report_.distances.prepareSeconds; }
    void write(const pairs::PairOutput& values, Progress& progress) override {
        const ResultLabels labels = this->labels();
        for (const Output& output : outputs_) {
            if (values.becomes(output.path))
                writeNpyLabels(output.path, labels);
            else
                writeResult(output.path, output.format, values.store(), labels, run_.files, progress);
        }
    }
    void draw(const pairs::PairStore& values, Progress& progress) override {
        drawResult(run_.png, values, labels(), run_.isClustered, data_.description, footer(), progress);
    }
    void writeClose(pairs::ClosePairs& close, Progress& progress) override {
        if (report_.hasRelatives) return writeKinships();
        if (run_.clusterDistance) return writeClusters(close, progress);
        for (const Output& output : outputs_)
            pairs::writeMolten(output.path, close, data_.names, diagonal(),
                               suitableLayout(output.format, run_.files), progress);
    }

  private:
    /// Of the file whose elements the run keeps; of a picture alone, an array's.
    ResultFormat firstFormat() const {
        return outputs_.empty() ? ResultFormat::Npy : outputs_.front().format;
    }
    /// Least kinship in any file.
    double leastListed() const {
        const bool hasTable = std::ranges::count(outputs_, ResultFormat::Kinship, &Output::format) > 0;
        return run_.leastKinship.value_or(hasTable ? -std::numeric_limits<double>::infinity()
                                                   : kLeastKinshipOfRelatives);
    }
    void writeKinships() const {
        const bool hasFamilies = inputFamily(run_.file).name == "plink";
        for (const Output& output : outputs_) {
            const bool isTable = output.format == ResultFormat::Kinship;
            std::vector<KinshipPair> listed = kinships_;
            if (run_.leastKinship || !isTable)
                std::erase_if(listed, [least = run_.leastKinship.value_or(kLeastKinshipOfRelatives)](
                                          const KinshipPair& pair) { return pair.kinship() < least; });
            if (isTable)
                writeKinshipTable(output.path, listed, labels(), hasFamilies);
            else
                writeRelatives(output.path, std::move(listed), labels());
        }
    }
    void writeClusters(pairs::ClosePairs& close, Progress& progress) {
        const double within = *run_.clusterDistance;
        report_.clusters =
            pairs::clustersWithin(data_.names.size(), close.sorted(), within, run_.linkage, progress);
        report_.clusterRule = fmt::format("within {}, {} linkage", within, toString(run_.linkage));
        for (const Output& output : outputs_)
            pairs::writeClusters(
                output.path,
                {*report_.clusters, close.sorted(), data_.names, within,
                 fmt::format("{}: clusters {}", data_.description, report_.clusterRule), footer()});
    }
    ResultLabels labels() const { return {data_.names, data_.familyIds, run_.distance.measure}; }

    RunOptions run_;
    RunReport report_;
    DataSet data_;
    std::vector<Output> outputs_;
    std::vector<KinshipPair> kinships_;
    pairs::ValueType type_ = pairs::ValueType::Float64;
};

struct GenerateOptions {
    RandomGenotypesOptions genotypes;
    std::string output;
    bool json = false;
};

std::string describe(const RandomGenotypesOptions& options) {
    std::string text = fmt::format(
        "{} × {}, {}, seed {}", formatCount(options.instances, "instance"),
        formatCount(options.attributes, "variant"),
        options.uniform ? "0, 1, 2 with equal probability" : "Hardy-Weinberg proportions", options.seed);
    if (options.missing > 0) text += fmt::format(", {} missing", formatShare(options.missing, 1));
    return text;
}

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    requireGenotypeFile(options.output);
    const std::vector<std::filesystem::path> files = genotypeFiles(options.output);
    checkOutputFiles(files, {});
    writeGenotypes(options.output, *randomGenotypes(options.genotypes), context.progress());
    context.clearProgressLine();
    printGenerated(context, options.json, "distance", declared, files, describe(options.genotypes));
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto command = std::make_shared<DistanceCommand>();
    command->declare(options);
    return [command, &options](CommandContext& context) { return command->run(context, options); };
}

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    RandomGenotypesOptions& genotypes = generated->genotypes;
    options.value("--instances N", genotypes.instances, "Number of instances (samples)")
        .positive()
        .required();
    options.value("--attributes M", genotypes.attributes, "Number of attributes (variants)")
        .positive()
        .required();
    options
        .value("-o,--output FILE", generated->output,
               "The file to write: .bed (with .bim and .fam), .vcf, .npy (int8, missing: -1) or .csv; - is "
               ".vcf to "
               "standard output")
        .required()
        .notASetting();
    options.value("--missing SHARE", genotypes.missing, "Share of the genotypes that is missing")
        .within(0, 1);
    options.flag("--uniform", genotypes.uniform,
                 "0, 1 and 2 with equal probability, as in the paper (default: Hardy-Weinberg proportions "
                 "with allele frequencies between 0.05 and 0.5)");
    options.value("--seed S", genotypes.seed, "The same seed gives the same file");
    addJsonOption(options, generated->json);
    options.footer(
        "Every genotype follows from the seed and its place alone. Files of any size are written block by "
        "block.\n\n"
        "Examples:\n"
        "  glycine generate genotypes --instances 2000 --attributes 100000 -o cohort.bed\n"
        "  glycine generate genotypes --instances 112 --attributes 512 --uniform --seed 7 -o paper.npy\n"
        "  glycine generate genotypes --instances 500 --attributes 20000 --missing 0.01 -o gaps.vcf");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::distance

namespace glycine {

void register_distance();
void register_distance() {
    using namespace distance;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "distance", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add(
        {"generate", "genotypes", "", "Make random genotypes of any size, for distance", declareGenerate});
    study::addSubject(subject());
}

}  // namespace glycine
