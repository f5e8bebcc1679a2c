#include "app/distance/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/measures.hpp"
#include "engine/pairs/files/cluster_files.hpp"
#include "engine/pairs/files/coordinate_files.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

/// Value of the facet "input" for a VCF file whose genotypes are read as symbols.
constexpr const char* kSymbolCalls = "calls as symbols";

}  // namespace

void declareMeasureOptions(Options& options, DistanceRequest& request) {
    Heading heading(options, "Measure");
    heading.decidesResults();
    std::vector<std::string_view> measures = namesOfAll<Measure>();
    measures.push_back("plink");
    options
        .parsed(
            "--measure M", [&request](const std::string& name) { request.readMeasure(name); },
            [&request] { return request.measure ? std::string(toString(*request.measure)) : ""; },
            fmt::format(
                "{}; for genotypes {}, plink; for coordinates {}\n"
                "(king: kinship, as `plink2 --make-king`; grm: relationship, as `plink --make-rel`; jaccard "
                "also for tables of 0 and 1; plink: what `plink --distance` computes)",
                measureNames(Attributes::Symbols, ", ", " (default)"), measureNames(Attributes::Genotypes),
                measureNames(Attributes::Coordinates, ", ", " (default)")))
        .suggests(measures)
        .basic();
    options
        .choice(
            "--missing RULE", request.missing,
            fmt::format(
                "Attributes that are missing in one of a pair: ignore (default for {}), flat (scale counts "
                "by M / N), weighted (by expected contributions, as PLINK; default for {}), refuse",
                measureNames(Attributes::Symbols), "allele, ibs, 1-ibs"))
        .readBy("data", {"genotypes", "dna", "protein"}, "genotypes and sequences");
    options
        .value("--min-overlap K", request.minOverlap,
               "Minimum number or (below 1) share of attributes common to a pair; a pair with fewer has no "
               "value (nan) and is neither close nor identical")
        .byDefault("half of all; at most 1000 for shares and scaled counts; 0 for plink, king and grm")
        .notNegative()
        .readBy("data", {"genotypes", "dna", "protein"}, "genotypes and sequences");
}

void declarePrecisionOption(Options& options, DistanceOptions& distance) {
    options
        .choice("--precision P", distance.precision,
                "Precision of coordinates: float64 (default for arrays of float64 and for tables, on "
                "reference, cpu and cuda) or float32 (default for arrays of float32, and on gl)")
        .decidesResult()
        .readBy("data", {"coordinates"});
}

namespace {

void declareComputationOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Computation");
    addBackendChoice(options, run.backend, {algorithm()}, true);
    addTileOptions(options, run.distance.tile, run, [&] { declarePrecisionOption(options, run.distance); });
}

}  // namespace

void declareInputOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Input");
    options
        .choice("--data KIND", run.reading.kind,
                "Kind of the entries: auto, genotypes, dna, protein or coordinates")
        .decidesResult();
    options
        .choice("--gaps RULE", run.reading.gaps,
                "Gaps in sequences, and the allele * in VCF: missing, or state (a symbol of its own)")
        .decidesResult()
        .readBy("input", {"sequences", kSymbolCalls}, "sequences, and VCF with mismatch or proportion");
    options
        .choice("--ambiguous RULE", run.reading.ambiguous,
                "N, X and other ambiguous letters: missing, or state (each a symbol of its own)")
        .decidesResult()
        .readBy("input", {"sequences"});
    options
        .value("--keep LIST", run.keep,
               "Keep only the instances in this file: a name, or PLINK's family and individual, per line")
        .decidesResult()
        .basic();
    options.value("--remove LIST", run.remove, "Remove the instances in this file").decidesResult();
    options
        .value("--against FILE", run.against,
               "Compare each instance of IN with each in this file\n(with the same attributes), and no other "
               "pairs")
        .decidesResult()
        .basic();
    options
        .value("--extract LIST", run.reading.extract,
               "Keep only the variants whose identifiers are in this file")
        .decidesResult()
        .readBy("input", {"plink", "calls"}, ".bed and VCF files");
    options
        .value("--maf F", run.limits.maf,
               "Keep only variants with at least this minor-allele frequency among founders, as in PLINK")
        .within(0, 0.5)
        .decidesResult()
        .readBy("data", {"genotypes"});
    options
        .value("--geno F", run.limits.geno, "Keep only variants with at most this share of missing genotypes")
        .within(0, 1)
        .decidesResult()
        .readBy("data", {"genotypes"});
    declareChromosomeOptions(options, run.chromosomes, run.reading);
    options
        .flag("--strict", run.reading.strict,
              "Fail if a site would be left out because of its number of alleles")
        .readBy("input", {"calls"}, "VCF and BCF");
    addTableOptions(options, {run.reading.header, run.reading.transpose},
                    "Tables: presence of a header line: auto, yes or no",
                    "Tables and .npy: instances are columns");
}

namespace {

void declareOutputOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Output");
    options
        .choice("--shape S", run.files.shape,
                "Shape: square, square0 (PLINK: zeros above the diagonal) or triangle")
        .byDefault("triangle for PLINK text, else square");
    options.flag("--molten", run.files.molten, ".tsv: one line per pair instead of a matrix").basic();
    options.value("--max-distance D", run.files.maxDistance, "With --molten: only pairs up to this distance")
        .notNegative()
        .onlyWith("--molten")
        .basic();
    options
        .value("--nearest K", run.files.nearest,
               "With --molten: only the K nearest neighbours of each instance\n(or the most similar ones; "
               "nearest first)")
        .positive()
        .onlyWith("--molten")
        .basic();
    options.flag("--sorted", run.files.isSorted, "With --molten: each pair once, nearest first")
        .onlyWith("--molten");
    options.flag("--header-line", run.files.hasHeader, "With --molten: add a first line of column names")
        .onlyWith("--molten");
    options
        .value("--min-kinship K", run.leastKinship,
               "With --measure king: minimum kinship of the pairs\nin .kin0 (default: all) and "
               ".relatives.tsv (default: 0.0442, third degree)")
        .within(-100, 0.5);
    options
        .value("--clusters D", run.clusterDistance,
               "Write clusters of instances within this distance instead of distances: .tsv (name, cluster, "
               "size), .graphml, or a picture (.png, .svg, .pdf)")
        .notNegative()
        .basic();
    options
        .choice("--linkage RULE", run.linkage,
                "Linkage of clusters: single (within D of some member), complete (of all members) or average")
        .onlyWith("--clusters");
    options
        .value("--coordinates K", run.coordinates,
               "Write K principal coordinates instead of distances: .tsv, or a scatter plot (.png, …)\n(of "
               "the first two; with grm: principal components)")
        .positive()
        .basic();
    options
        .choice(
            "--tree METHOD", run.tree,
            "Write a tree instead of distances, by nj or upgma: .nwk, .tree, or a picture\n(nj: neighbour "
            "joining; .nwk, .tree: Newick)")
        .basic();
    addPictureOptions(options, run, "\n, and a column in coordinates");
    options.choice("--dtype T", run.valueType,
                   "Number type: int32 (default for whole counts), float32 or float64 (default otherwise)");
}

}  // namespace

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value("IN", run.input,
               "Genotypes (.bed with .bim and .fam, .vcf, .bcf), aligned sequences (.fa, .aln, .phy, .sto, "
               ".msf, …), or a table with one row per instance (.npy, .csv, .tsv)\n(all but .bed, .bcf and "
               ".npy also with .gz or .bgz; - is standard input)")
        .required();
    addPairOutputs(
        options, run,
        ".tsv, .csv, .npy, .phy, .dist, .kin0, …; a heat map: .png, .svg, .pdf\n(.npy comes with .npy.names; "
        "also .npz; .tsv as from snp-dists; .phy or .phylip; .dist, .mdist, .mibs, .rel as from PLINK, with "
        ".id, also as .bin; .grm.bin as from PLINK and GCTA; text also with .gz; with --measure king also "
        ".kin0 (as PLINK 2 --make-king-table) and .relatives.tsv (counts, kinship, degree); - is .tsv to "
        "standard output; can be given several times)");
    addOrderOption(options, run);
    addJsonOption(options, run.json, "Print the report as one JSON object (instances are numbered from 0)");
    declareMeasureOptions(options, run);
    declareComputationOptions(options, run);
    declareInputOptions(options, run);
    declareOutputOptions(options, run);
    addBackendOptions(options, run.backend.device);
    options.footer(
        "A run of several tiles keeps finished tiles next to its first output; after a stop, the same\n"
        "command resumes.\n\n"
        "Examples:\n"
        "  glycine distance cohort.bed -o cohort.dist --measure plink\n"
        "  glycine distance calls.vcf.gz -o mismatches.npy -o mismatches.tsv -o map.png --order cluster\n"
        "  glycine distance core.aln.gz -o pairs.tsv --molten --max-distance 20\n"
        "  glycine distance new.fa --against known.fa -o nearest.tsv --molten --nearest 1\n"
        "  glycine distance cohort.bed -o pca.tsv -o pca.svg --measure grm --coordinates 10 --groups p.tsv\n"
        "  glycine distance expression.csv -o d.phy --measure correlation --backend gl --variant packed");
}

void requireReadersOf(const Options& declared, const RunOptions& run) {
    const InputFamily family = inputFamily(run.file);
    RunFacet input{"input", {std::string(family.name)}, fmt::format("{} is {}", run.input, family.words)};
    if (family.name == "calls" && run.reading.anyAlleles) input.values.emplace_back(kSymbolCalls);
    declared.requireReaders(input);
}

void completeRunOptions(const Options& options, RunOptions& run) {
    const InputFamily family = inputFamily(run.file);
    run.distance.variant = fromString<Variant>(run.backend.variant);
    run.distance.measure = run.measure.value_or(defaultMeasure(false));
    run.reading.anyAlleles =
        !isForGenotypes(run.distance.measure) && run.against.empty() && !run.limits.areGiven();
    // Measures that compare numbers as such. For hamming, a table may contain genotypes with missing values.
    if (run.measure && isForCoordinates(*run.measure) && run.reading.kind == DataKind::Automatic &&
        (family.name == "array" || (family.name == "table" && run.measure != Measure::Hamming)))
        run.reading.kind = DataKind::Coordinates;
    requireReadersOf(options, run);
    // The computations of plink --distance, plink --distance ibs and plink --distance 1-ibs.
    const bool isPlinks = run.isPlink || run.distance.measure == Measure::Ibs ||
                          run.distance.measure == Measure::OneMinusIbs ||
                          run.distance.measure == Measure::King || run.distance.measure == Measure::Grm;
    const bool hasChromosomes = family.name == "plink" || family.name == "calls";
    completeChromosomeOptions(options, run.chromosomes, hasChromosomes && isPlinks, run.reading);
}

void requireReadersOf(const Options& declared, DataKind kind) {
    declared.requireReaders({"data",
                             {std::string(toString(kind))},
                             kind == DataKind::Coordinates ? "coordinates have no missing entries"
                                                           : "genotypes and sequences are counted"});
}

void completeForData(const Options& declared, RunOptions& run, const DataSet& data) {
    requireReadersOf(declared, data.kind);
    run.reading.kind = data.kind;
    run.distance.founders = data.founders;
    applyDefaults(run, run.distance, data.view());
}

namespace {

/// Throws UsageError, naming the first two options that contradict each other.
void requireOneResult(const RunOptions& run) {
    std::vector<std::string_view> given;
    if (run.clusterDistance) given.emplace_back("--clusters");
    if (run.coordinates) given.emplace_back("--coordinates");
    if (run.tree) given.emplace_back("--tree");
    if (given.empty()) return;
    if (!run.against.empty()) given.emplace_back("--against");
    if (run.files.molten) given.emplace_back("--molten");
    if (given.size() > 1)
        throw UsageError(
            fmt::format("{0} cannot be combined with {1}: {0} decides what is written; {1} is for "
                        "a run of its own",
                        given[0], given[1]));
}

}  // namespace

std::vector<Output> planOutputs(const RunOptions& run) {
    std::vector<Output> outputs;
    const auto isList = [](const std::string& path) {
        const std::string_view name = withoutPacking(path);
        return name.ends_with(".kin0") || name.ends_with(".relatives.tsv");
    };
    if (run.leastKinship && std::ranges::none_of(run.outputs, isList))
        throw UsageError("--min-kinship is for .kin0 and .relatives.tsv files");
    if (run.files.nearest && (run.files.maxDistance || run.files.shape))
        throw UsageError("--nearest cannot be combined with --max-distance or --shape");
    if (run.files.nearest && run.files.isSorted)
        throw UsageError("--nearest has the nearest of each instance first; --sorted is for runs without it");
    requireOneResult(run);
    if (run.coordinates || run.tree) {
        if (run.tree && traitsOf(run.distance.measure).isSimilarity)
            throw UsageError(
                fmt::format("--tree needs a distance; '{}' is a similarity", toString(run.distance.measure)));
        for (const fs::path path : run.outputs) {
            const std::string ending =
                storage::isStandardOutput(path) ? ".nwk" : lowerCase(path.extension().string());
            if (run.coordinates)
                pairs::requireCoordinateFile(path, *run.coordinates);
            else if (ending != ".nwk" && ending != ".tree" && !picture::isPictureFile(path))
                throw UsageError(fmt::format(
                    "{}: the ending stands for no file of a tree; known: .nwk, .tree, .png, .svg, .pdf",
                    path.string()));
            outputs.push_back({path, run.coordinates ? ResultFormat::Coordinates : ResultFormat::Tree});
        }
        return outputs;
    }
    if (run.clusterDistance) {
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
    const auto isRectangular = [](ResultFormat format) {
        using enum ResultFormat;
        return format == Npy || format == Tsv || format == Csv || format == Molten;
    };
    for (const Output& output : outputs)
        if (!run.against.empty() && (!isRectangular(output.format) || run.files.shape || !run.png.empty()))
            throw UsageError(
                fmt::format("{}: --against writes rectangles as .npy, .tsv and .csv, without --shape "
                            "and pictures",
                            output.path.string()));
    const auto lists = static_cast<std::size_t>(
        std::ranges::count_if(outputs, isKinshipList, [](const Output& output) { return output.format; }));
    if (lists > 0 && (lists < outputs.size() || !run.png.empty()))
        throw UsageError(
            ".kin0 and .relatives.tsv files come from a run of their own, without others and pictures");
    return outputs;
}

WeightScale weightsFor(const RunOptions& run, const std::vector<Output>& outputs) {
    const bool isPlink =
        run.isPlink || std::ranges::any_of(outputs, [](const Output& output) {
            return output.format == ResultFormat::PlinkText || output.format == ResultFormat::PlinkBinary;
        });
    return isPlink ? WeightScale::Plink : WeightScale::Fine;
}

std::vector<fs::path> filesToWrite(const RunOptions& run, const std::vector<Output>& outputs) {
    std::vector<fs::path> files;
    for (const Output& output : outputs)
        for (const fs::path& file : resultFiles(output.path, output.format))
            // The text and binary outputs of one measure share an .id file.
            if (file == output.path || std::find(files.begin(), files.end(), file) == files.end())
                files.push_back(file);
    if (!run.png.empty())
        for (fs::path& file : pictureFiles(run.png, run.isClustered)) files.push_back(std::move(file));
    return files;
}

}  // namespace glycine::distance
