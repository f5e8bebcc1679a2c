#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "app/alignment/align_commands.hpp"
#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/pairs/files/instance_groups.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "engine/pairs/files/tree_picture.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/rooting.hpp"
#include "engine/trees/tree.hpp"
#include "engine/trees/tree_algorithm.hpp"
#include "engine/trees/tree_engine.hpp"

namespace glycine::align {

namespace fs = std::filesystem;

namespace {

using trees::TreeMethod;
constexpr NameTable<bool, 2> kRoots{{{false, "none"}, {true, "midpoint"}}};

constexpr pairs::MatrixFileOptions kMatrices{.areDistances = true};

/// Arguments of `glycine tree`.
struct TreeRun {
    std::string input;
    fs::path file;
    std::vector<std::string> outputs;
    std::optional<Alphabet> alphabet;
    TreeMethod method = TreeMethod::NeighbourJoining;
    AlignmentDistanceOptions distances;
    bool isMidpoint = false;
    std::size_t bootstraps = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> distanceFiles;  ///< removed from the outputs
    std::string png;                         ///< likewise
    std::string groups;                      ///< a table of names and labels
    BackendRequest backend;
    bool json = false;
};

struct TreeReport final : RunHead {
    void print(std::ostream& out) const override {
        Fields fields;
        fields.emplace_back("Input", input);
        for (const std::string& note : notes) fields.emplace_back("", note);
        addDeviceFields(fields, *this, variant);
        fields.emplace_back("Tree", tree);
        addTimeField(fields, *this);
        addRecountField(fields, recount);
        addFileFields(fields, files);
        printFields(out, fields, terminalWidth());
    }
    Json json() const override {
        Json json = runHeadJson("tree", *this);
        json["variant"] = variant;
        json["input"] = input;
        json["notes"] = notes;
        json["leaves"] = leaves;
        if (leastSupport) json["leastSupport"] = *leastSupport;
        json["files"] = fileNames(files);
        return json;
    }

    std::string input;
    std::vector<std::string> notes;
    std::string variant;
    std::string tree;
    std::size_t leaves = 0;
    std::optional<double> leastSupport;  ///< smallest support of a branch between inner nodes
};

void declareTreeOptions(Options& options, TreeRun& run) {
    options
        .value(
            "IN", run.input,
            "Aligned sequences (FASTA, Clustal, PHYLIP, Stockholm, MSF; also .gz; - is standard input), or "
            "their distances (.npy, .npz, .csv, .tsv, .dst, .phy)")
        .required();
    options
        .value("-o,--output OUT", run.outputs,
               "Trees in Newick format: .nwk, .tree; .ph, .dnd as ClustalW 2.1 writes them; the distances: "
               ".npy, .npz, .csv, .tsv, .phy (PHYLIP); a picture of the tree: .png, .svg, .pdf\n(- writes a "
               "tree to standard output; can be given several times)")
        .repeated()
        .required()
        .notASetting()
        .formerly("--distances-out", "-o FILE.tsv, .npy, …");
    options
        .value("--groups FILE", run.groups,
               "Table of names and labels, such as species: colours of the picture")
        .notASetting();
    addJsonOption(options, run.json);
    {
        Heading heading(options, "Tree");
        heading.basic();
        options.choice("--method METHOD", run.method,
                       "nj: neighbour joining; upgma: average linkage, all leaves at one depth");
        options.choice("--root ROOT", run.isMidpoint, kRoots,
                       "Root: none, or midpoint (the middle of the longest path between two leaves)");
        options
            .value("--bootstrap N", run.bootstraps,
                   "Number of trees of resampled columns; inner nodes get the percentage of trees with their "
                   "branch")
            .positive()
            .readBy("input", {"alignment"}, "alignments")
            .byDefault("none");
        options.value("--seed S", run.seed, "Random seed of the bootstrap").onlyWith("--bootstrap");
    }
    {
        Heading heading(options, "Distances");
        heading.basic();
        const auto isForAlignments = [](Option& option) {
            option.readBy("input", {"alignment"}, "alignments");
        };
        isForAlignments(options.choice("--correction NAME", run.distances.correction,
                                       "none: share of differing letters; kimura: substitutions per site, "
                                       "for proteins -ln(1 - k - k²/5), for nucleotides by two parameters"));
        isForAlignments(options.flag("--leave-out-gaps", run.distances.leavesOutGaps,
                                     "Leave out columns with a gap in any row, for all pairs"));
        isForAlignments(options.choice("--alphabet A", run.alphabet, "Alphabet: protein, dna or rna")
                            .byDefault("detected"));
    }
    addBackendChoice(options, run.backend, {trees::treeAlgorithm()});
    options.lacks(
        "--part",
        "its joins follow one another. Distances have parts: glycine distance or pairwise -o D.npy --part "
        "K/N, glycine merge D.npy.part-*, then glycine tree D.npy");
    addBackendOptions(options, run.backend.device);
    options.footer(
        "Trees are built on cpu or cuda, which give the same; distances of rows are computed on the\n"
        "processor.\n\n"
        "Examples:\n"
        "  glycine tree family.aln -o family.nwk --correction kimura --bootstrap 1000\n"
        "  glycine tree family.sto -o family.nwk -o family.svg --root midpoint\n"
        "  glycine pairwise family.fa -o d.phy && glycine tree d.phy -o family.nwk --method upgma");
}

/// The input of a tree.
struct TreeInput {
    std::vector<std::string> names;
    std::vector<double> distances;               ///< below the diagonal
    std::optional<MultipleAlignment> alignment;  ///< only if the input was an alignment
};

/// A PHYLIP alignment begins with two numbers, a distance matrix with one.
bool isMatrix(const fs::path& file) {
    if (!pairs::MatrixReader::isMatrixFile(file)) return false;
    return !formatOfFile(file);
}

TreeInput readMatrix(const TreeRun& run, TreeReport& report, Progress& progress) {
    pairs::MatrixReader reader(run.file);
    const std::size_t n = reader.head().instances;
    if (n < 2) throw InputError(fmt::format("{}: has 1 sequence; expected at least 2", run.input));
    pairs::PairStore store({.layout = {n, pairs::StoreLayout::Triangle}});
    constexpr std::size_t kSide = 512;
    reader.read(kSide, store, progress);
    TreeInput input{.names = reader.head().names, .distances = {}, .alignment = {}};
    std::vector<double> row(n);
    for (std::size_t j = 1; j < n; ++j) {
        store.readRow(j, 0, j, row.data());
        for (std::size_t i = 0; i < j; ++i)
            if (std::isnan(row[i]))
                throw InputError(
                    fmt::format("{}: the distance of '{}' and '{}' is not known; expected those "
                                "of all pairs",
                                run.input, excerpt(input.names[i]), excerpt(input.names[j])));
        input.distances.insert(input.distances.end(), row.begin(),
                               row.begin() + static_cast<std::ptrdiff_t>(j));
    }
    report.input = reader.head().description;
    return input;
}

/// Reads the rows; their distances are computed later.
TreeInput readRows(const TreeRun& run, TreeReport& report) {
    ReadAlignment read = readAlignment(run.file, {.alphabet = run.alphabet, .fewest = 2});
    const MultipleAlignment& alignment = read.alignment;
    requireHostMemory(fmt::format("the distances of {} rows", alignment.size()),
                      static_cast<double>(alignment.size()) * static_cast<double>(alignment.size()) * 4);
    report.notes = std::move(read.notes);
    report.input = fmt::format("{}: {} ({}) × {}, {}", run.input, formatCount(alignment.size(), "sequence"),
                               toString(alignment.alphabet), formatCount(alignment.columns(), "column"),
                               toString(read.format));
    return {.names = alignment.names, .distances = {}, .alignment = std::move(read.alignment)};
}

/// The backend that builds the tree. Without --backend, devices are left alone unless a tree of this size
/// gains more by one than its start takes.
BackendChoice chooseBackend(const Options& declared, const TreeRun& run, std::size_t leaves) {
    BackendRequest request = run.backend;
    std::string reason;
    if (request.backend.empty() && request.variant == "default") reason = trees::reasonForHost(leaves);
    if (!reason.empty()) request.backend = "cpu";
    BackendChoice choice = selectBackend(
        declared, request, [&](Backend& backend) { return trees::supportsTrees(backend, request.variant); });
    if (reason.empty()) return choice;
    checkBackendOptions(declared, {request.backend});
    choice.reason = std::move(reason);
    return choice;
}

/// Bootstrap: each replicate draws as many columns as there are, with replacement.
trees::SplitCounts resample(const TreeRun& run, const MultipleAlignment& alignment, trees::TreeDevice& device,
                            Progress& progress) {
    trees::SplitCounts counts;
    for (std::size_t round = 0; round < run.bootstraps; ++round) {
        RandomSequence random(derivedSeed(run.seed, round));
        std::vector<std::uint32_t> weights(alignment.columns(), 0);
        for (std::size_t k = 0; k < weights.size(); ++k) ++weights[random.below(weights.size())];
        counts.add(
            trees::treeOfDistances(run.method, alignment.size(),
                                   alignmentDistances(alignment, run.distances, weights, silentProgress()),
                                   silentProgress(), &device));
        if (round == 0) progress.begin("bootstrap", static_cast<double>(run.bootstraps));
        progress.advance(1);
    }
    return counts;
}

/// The names of the leaves, and with `counts` of bootstraps for each inner node the percentage of trees with
/// its branch. Notes the smallest in the report.
std::vector<std::string> labelsOf(const trees::Tree& tree, std::vector<std::string> names,
                                  const std::optional<trees::SplitCounts>& counts, TreeReport& report) {
    if (!counts) return names;
    const std::vector<double> support = trees::supportOf(tree, *counts);
    names.resize(tree.nodes.size());
    for (std::size_t node = tree.leaves; node < tree.nodes.size(); ++node) {
        if (support[node] < 0) continue;
        names[node] = fmt::format("{:.0f}", 100 * support[node]);
        report.leastSupport = std::min(report.leastSupport.value_or(1), support[node]);
    }
    return names;
}

void writeDistances(const TreeRun& run, const TreeInput& input, Progress& progress) {
    const std::size_t n = input.names.size();
    pairs::PairStore store({.layout = {n, pairs::StoreLayout::Triangle}});
    for (std::size_t j = 1; j < n; ++j)
        store.store({{j, j + 1}, {0, j}}, {input.distances.data() + j * (j - 1) / 2, 1, j});
    for (const std::string& file : run.distanceFiles)
        pairs::writeMatrixFile(file, kMatrices, {store, input.names, progress}, {{"measure", "distance"}});
}

int runTree(CommandContext& context, const Options& declared, TreeRun& run) {
    checkBackendUse(declared, trees::treeAlgorithm(), run.backend);
    io::PipedInputs pipes;
    run.file = pipes.fileOf(run.input);
    TreeReport report;
    report.options = &declared;
    TimeLine& times = context.times();
    report.times = &times;
    std::vector<std::string> trees;
    run.png = takePicture(run.outputs);
    if (!run.groups.empty() && run.png.empty())
        throw UsageError("--groups is for pictures; add one: -o FILE.png");
    for (const std::string& output : run.outputs) {
        if (!isTreeFile(output) && !pairs::MatrixReader::isMatrixFile(output))
            throw UsageError(
                fmt::format("{}: {}, of pictures .png, .svg, .pdf, and of distances .npy, .npz, "
                            ".csv, .tsv, .phy",
                            output, treeEndingExpected()));
        (isTreeFile(output) ? trees : run.distanceFiles).push_back(output);
    }
    run.outputs = std::move(trees);
    report.files.assign(run.outputs.begin(), run.outputs.end());
    for (fs::path& file : pairs::filesToWrite(run.distanceFiles, kMatrices, {}, false))
        report.files.push_back(std::move(file));
    if (!run.png.empty()) report.files.emplace_back(run.png);
    std::vector<fs::path> inputs{run.file};
    if (!run.groups.empty()) inputs.emplace_back(run.groups);
    checkOutputFiles(report.files, inputs);

    std::optional<DeviceAhead> ahead;
    if (!run.backend.backend.empty()) ahead.emplace(run.backend);
    Progress& progress = context.progress();
    times.end("startUp");
    const bool hasMatrix = isMatrix(run.file);
    declared.requireReaders({"input",
                             {hasMatrix ? "matrix" : "alignment"},
                             fmt::format("{} is a matrix of distances", run.input)});
    TreeInput input = hasMatrix ? readMatrix(run, report, progress) : readRows(run, report);
    pairs::InstanceGroups groups = pairs::readInstanceGroups(run.groups, input.names, report.notes);
    times.end("read");
    report.leaves = input.names.size();
    pairs::checkNames(run.distanceFiles, kMatrices, input.names);
    progress.throwIfCancelled();
    const BackendChoice choice = chooseBackend(declared, run, report.leaves);
    const ThreadsOf threads(*choice.backend);
    report.device = describeDevice(*choice.backend);
    report.backendReason = choice.reason;
    report.variant = trees::treeVariantOn(*choice.backend);
    Recount recount(*choice.backend, run.backend, "round", "on the host");
    trees::TreeDevice device(*choice.backend, &recount);
    // A device that was named, or chosen by the rule, builds trees of any size.
    device.takeSmallTrees();
    times.end("startUp");
    if (input.alignment) {
        input.distances = alignmentDistances(*input.alignment, run.distances, {}, progress);
        times.end("distances");
    }
    trees::Tree tree = trees::treeOfDistances(run.method, report.leaves, input.distances, progress, &device);
    if (input.alignment) report.stages.push_back({"distances", kStageWithoutKernel, kStageWithoutKernel});
    report.stages.push_back({"tree", device.reason(), device.reason()});
    if (run.isMidpoint) tree = trees::rootAtMidpoint(tree);
    std::optional<trees::SplitCounts> counts;
    if (run.bootstraps > 0) {
        counts = resample(run, *input.alignment, device, progress);
        report.stages.push_back({"distances of bootstraps", kStageWithoutKernel, kStageWithoutKernel});
        report.stages.push_back({"trees of bootstraps", device.reason(), device.reason()});
    }
    const std::vector<std::string> labels = labelsOf(tree, input.names, counts, report);
    times.end("compute");
    report.recount = recount.report();
    report.tree = fmt::format(
        "{}{}{}", run.method == TreeMethod::Upgma ? "UPGMA" : "neighbour joining",
        run.isMidpoint ? ", root at the midpoint" : "",
        run.bootstraps == 0 ? ""
        : report.leastSupport
            ? fmt::format(", {}; the branch with least support is in {} of them",
                          formatCount(run.bootstraps, "bootstrap"), formatShare(*report.leastSupport, 1))
            : ", no branch that a bootstrap could support");
    for (const std::string& output : run.outputs)
        if (std::string note = writeTree(output, tree, labels, isClustalWTree(output)); !note.empty())
            report.notes.push_back(std::move(note));
    if (!run.distanceFiles.empty()) writeDistances(run, input, progress);
    times.end("write");
    if (!run.png.empty()) {
        const bool isRooted = run.isMidpoint || run.method == TreeMethod::Upgma;
        const trees::Tree drawn = isRooted ? tree : trees::rootAtMidpoint(tree);
        pairs::writeTreePicture(
            run.png, drawn, isRooted ? labels : labelsOf(drawn, input.names, counts, report),
            {.title = report.input.starts_with(run.input)
                          ? fs::path(run.input).filename().string() + report.input.substr(run.input.size())
                          : report.input,
             .footer = {report.tree + (isRooted ? "" : ", drawn from the middle of the longest path"),
                        fmt::format("{} {}", describeBuild(), report.device.backend)},
             .unit = run.distances.correction == DistanceCorrection::Kimura ? "substitutions per site"
                     : input.alignment                                      ? "differences per site"
                                                                            : "distance",
             .groups = std::move(groups)});
        times.end("draw");
    }
    context.clearProgressLine();
    printRunReport(context, report, run.json);
    return 0;
}

}  // namespace

CommandAction declareTree(Options& options) {
    auto run = std::make_shared<TreeRun>();
    declareTreeOptions(options, *run);
    return [run, &options](CommandContext& context) { return runTree(context, options, *run); };
}

}  // namespace glycine::align
