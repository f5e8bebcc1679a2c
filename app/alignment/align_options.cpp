#include "app/alignment/align_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "engine/alignment/method.hpp"
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/alignment/results/alignment_picture.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::align {

void declareAlignOptions(Options& options, AlignRun& run) {
    options.value(
        "IN", run.input,
        "Sequences: FASTA, or aligned as Clustal, PHYLIP, Stockholm or MSF (gaps are removed), plain "
        "or .gz; - is standard input");
    options
        .value("-o,--output OUT", run.outputs,
               fmt::format("Output, by file ending: .fa, .aln, .phy, .sto, .msf; .html, .png, .svg or .pdf "
                           "coloured as in Clustal X; the guide tree: .dnd or .nwk; distances of all pairs: "
                           ".npy, .tsv; the confidence of --method accuracy in each residue, 0 to 1: "
                           ".confidence.tsv\n(all endings of alignments: {}; distances also .npz, .csv, and "
                           "with --stage pairwise .phy; .confidence.npz; - is FASTA to standard output; can "
                           "be given several times)",
                           alignmentEndings()))
        .repeated()
        .required()
        .notASetting()
        .formerly("--tree-out", "-o FILE.dnd or .nwk")
        .formerly("--distances-out", "-o FILE.npy, .npz, .csv or .tsv")
        .formerly("--confidence", "-o FILE.confidence.tsv or .confidence.npz");
    addDrawOption(options, run.drawn,
                  {{kIdentities, "of all pairs, clustered; also writes the order and its tree"}})
        .formerly("--heat-map", fmt::format("--draw {}=FILE", kIdentities));
    options.value("--groups FILE", run.groups, "Table of names and labels: colours of --draw identities")
        .onlyWith("--draw")
        .notASetting()
        .advanced();
    addJsonOption(options, run.json);
    {
        const Heading heading(options, "Method");
        // The method that auto chooses is part of the run's identity.
        options
            .choice(
                "--method M", run.options.method,
                "auto: the best method whose work fits --budget; accuracy: posteriors of all pairs of "
                "residues, consistency, refinement; fast: for thousands of sequences and more; clustalw: as "
                "ClustalW 2.1, with its rules and defaults\n; thesis: Khaladkar's scheme (equal letters 1, "
                "others -1, each letter of a gap -2; sums of pairs). auto selects accuracy, accuracy with "
                "less or no consistency, or fast, which aligns no pairs and joins groups by their profiles")
            .formerly("--auto", "--method auto")
            .formerly("--accurate", "--method accuracy")
            .formerly("--fast", "--method fast")
            .formerly("--clustalw", "--method clustalw")
            .formerly("--thesis", "--method thesis")
            .basic();
        options
            .value("--budget S", run.options.budgetSeconds,
                   "Seconds of work on two cores for --method auto\n, estimated and not timed, so that an "
                   "input gets the same method on every machine")
            .positive()
            .basic();
    }
    {
        Heading heading(options, "Alignment");
        heading.decidesResults();
        options.choice("--alphabet A", run.reading.alphabet, "Alphabet: protein, dna or rna")
            .byDefault("detected");
        options
            .choice("--guide-tree METHOD", run.options.treeMethod,
                    "nj: neighbour joining, with the method's root; upgma: average linkage")
            .byDefault("upgma; nj for clustalw and thesis");
        options.value("--tree-in FILE", run.treeIn,
                      "Guide tree in Newick format, its leaves named as the sequences; clustalw and thesis "
                      "then align no pairs");
        options.value("--distances-in FILE", run.distancesIn,
                      "Distances of all pairs, as -o writes them, in any order, for the guide tree; clustalw "
                      "and thesis then align no pairs");
        options.flag("--quicktree", run.isQuick,
                     "With --method clustalw: distances by k-tuple matches near the best diagonals, as "
                     "ClustalW's quick pairwise mode; no pairs are aligned");
    }
    {
        Heading heading(options, "Adding");
        heading.decidesResults();
        options.value("--add NEW", run.add, "Sequences to add, instead of IN").onlyWith("--to").basic();
        options
            .value("--to ALIGNMENT", run.to,
                   "Alignment that keeps its columns: IN is added to it\n, one sequence after another, by "
                   "ClustalW's profiles")
            .basic();
        options.flag("--profile", run.isProfile, "Add IN, which is also an alignment, as a whole")
            .onlyWith("--to");
    }
    {
        const Heading heading(options, "Computation");
        options
            .choice("--stage STAGE", run.stage, kStages,
                    "all; pairwise: distances only, -o as in glycine pairwise; tree: guide tree only, -o "
                    ".dnd or .nwk; progressive: alignment by the tree of --tree-in")
            .notASetting();
        addBackendChoice(options, run.backend, {alignAlgorithm(), pairwise::pairwiseAlgorithm()});
        options.lacks(
            "--part",
            "its joins follow one another. Distances of all pairs have parts: for --method clustalw, "
            "glycine pairwise INPUT --method clustalw --measure distance -o D.npy --part K/N (for "
            "thesis: --method thesis --measure mismatch), glycine merge D.npy.part-*, then glycine "
            "align INPUT --method clustalw --distances-in D.npy");
        options.value("--tile N", run.options.tile, "Side of the tiles in which pairs are aligned and stored")
            .byDefault("depends on the backend")
            .positive();
        addRestartOption(options, run.restart);
    }
    {
        const Heading heading(options, "Output");
        options.choice("--order ORDER", run.order, "Order of the rows: input, or aligned (order of joining)")
            .byDefault("input; aligned for clustalw, as in ClustalW")
            .basic();
    }
    addBackendOptions(options, run.backend.device);
    options.footer(
        "accuracy: posteriors of all residue pairs by a hidden Markov model and a partition function,\n"
        "a guide tree, consistency (two rounds up to 50 sequences, one up to 400), the alignment of\n"
        "maximum expected accuracy, refinement. By default, auto selects accuracy if its work fits\n"
        "--budget, else fewer rounds of consistency, else fast; the report says which and why. fast: a\n"
        "guide tree from longest common subsequences, groups joined by posteriors of their columns.\n"
        "clustalw and thesis: distances of all pairs, a guide tree by neighbour joining, progressive\n"
        "alignment; all backends give the same result. Posteriors that take more than some seconds,\n"
        "and pairs of several tiles, are kept next to the first output until all is written; after a\n"
        "stop, the same command resumes.\n\n"
        "Examples:\n"
        "  glycine align family.fa -o family.aln -o family.html\n"
        "  glycine align family.fa.gz -o family.sto -o family.msf --order aligned\n"
        "  glycine align family.fa -o family.aln --method accuracy\n"
        "  glycine align thousands.fa -o thousands.afa --method fast\n"
        "  glycine align family.fa -o family.aln -o family.dnd --method clustalw\n"
        "  glycine align family.fa -o guide.dnd --method clustalw --stage tree\n"
        "  glycine align family.fa -o family.aln --stage progressive --tree-in guide.dnd\n"
        "  glycine align --add new.fa --to family.aln -o larger.aln\n"
        "  glycine align others.sto --profile --to family.aln -o both.html");
}

namespace {

/// Whether the file's extension means a distance matrix rather than an alignment.
bool isDistanceFile(const std::string& file) {
    const std::string name = lowerCase(file);
    return std::ranges::any_of(std::array{".npy", ".npz", ".csv", ".tsv", ".phylip.dist"},
                               [&](const char* ending) { return name.ends_with(ending); });
}

/// Moves trees, distances and confidences from the outputs to their own lists. Throws UsageError for
/// extensions that the stage does not write.
void takeOutputs(AlignRun& run) {
    std::vector<std::string> alignments;
    run.confidenceFile = takeOutput(run.outputs, isConfidenceFile, "files of confidences");
    for (std::string& file : run.outputs) {
        const bool isAlignment = alignmentFormat(file) || picture::isPictureFile(file) || isHtmlFile(file);
        if (run.stage == Stage::Pairwise && !(isTreeFile(file) && !storage::isStandardOutput(file)))
            run.distanceFiles.push_back(std::move(file));
        else if (isTreeFile(file) && (run.stage == Stage::Tree || !storage::isStandardOutput(file)))
            run.treeFiles.push_back(std::move(file));
        else if (isDistanceFile(file))
            run.distanceFiles.push_back(std::move(file));
        else if (run.stage == Stage::Tree)
            throw UsageError(fmt::format("{}: {}", file, treeEndingExpected()));
        else if (isAlignment)
            alignments.push_back(std::move(file));
        else
            throw UsageError(
                fmt::format("{}: the ending stands for no alignment; known: {}, pictures: .png, .svg, "
                            ".pdf, .html, trees: .dnd, .nwk, and distances: .npy, .npz, .csv, .tsv",
                            file, alignmentEndings()));
    }
    run.outputs = std::move(alignments);
}

}  // namespace

void refuseLackedOptions(const Options& declared, const AlignRun& run) {
    if (run.options.method != AlignMethod::Auto && declared.isGiven("--budget"))
        throw UsageError(
            fmt::format("--budget is for --method auto; {} has no limit on its time", run.method().flag));
    for (const LackedOption& lacked : run.method().lacks)
        if (declared.isGiven(lacked.option))
            throw UsageError(fmt::format("{} {}", lacked.option, lacked.reason));
}

void checkAlignOptions(const Options& declared, AlignRun& run) {
    if (run.input.empty() == run.add.empty())
        throw UsageError(run.add.empty() ? "IN, the sequences, is missing"
                                         : "IN and --add are the same: give one of them");
    if (run.input.empty()) run.input = run.add;
    takeOutputs(run);
    if (!run.to.empty())
        for (const char* option : {"--method", "--budget", "--stage", "--guide-tree", "--tree-in",
                                   "--distances-in", "--quicktree", "--draw", "--restart"})
            if (declared.isGiven(option))
                throw UsageError(
                    fmt::format("{} is for new alignments; --to adds sequences to an existing one", option));
    // Sequences are added with ClustalW's profiles.
    if (!run.to.empty()) run.options.method = AlignMethod::ClustalW;
    if (!run.to.empty() && !run.distanceFiles.empty())
        throw UsageError(
            fmt::format("-o {}: distances come with new alignments; --to adds sequences to an existing one",
                        run.distanceFiles.front()));
    refuseLackedOptions(declared, run);
    run.options.endsWithTree = run.stage == Stage::Pairwise || run.stage == Stage::Tree;
    if (run.options.endsWithTree && !run.method().hasTreeMethods)
        throw UsageError(
            fmt::format("--stage {} is not for {}", nameOf(run.stage, kStages), run.method().flag));
    if (run.options.method == AlignMethod::Fast && run.needsDistances())
        throw UsageError(fmt::format("{} is not for {}: it aligns no pairs",
                                     run.drawn.empty() ? "-o " + run.distanceFiles.front() : "--draw",
                                     run.method().flag));
    if (!run.confidenceFile.empty() && (!run.hasAlignment() || !run.method().hasPosteriors))
        throw UsageError(fmt::format(
            "-o {}: confidences need an alignment by posteriors; {} has none. Use --method accuracy",
            run.confidenceFile, run.hasAlignment() ? run.method().flag : "a run without an alignment"));
    if (run.to.empty() && !declared.isGiven("--order")) run.order = run.method().defaultOrder;
    run.options.variant = fromString<pairwise::Variant>(run.backend.variant);
    if (declared.isGiven("--guide-tree") && (run.stage == Stage::Pairwise || !run.treeIn.empty()))
        throw UsageError(fmt::format("--guide-tree chooses how the guide tree is made; {} makes none",
                                     run.treeIn.empty() ? "--stage pairwise" : "a run with --tree-in"));
    if (run.stage == Stage::Progressive && run.treeIn.empty())
        throw UsageError("--stage progressive needs the guide tree: --tree-in FILE");
    if (!run.treeIn.empty()) {
        if (!run.hasAlignment())
            throw UsageError(fmt::format("--tree-in is for the progressive stage; this is --stage {}",
                                         nameOf(run.stage, kStages)));
        if (!run.distancesIn.empty())
            throw UsageError(
                "--tree-in and --distances-in exclude each other: the tree comes from the distances");
    }
    if (run.isQuick && run.options.method != AlignMethod::ClustalW)
        throw UsageError("--quicktree is ClustalW's; it needs --method clustalw");
    if (run.isQuick && !(run.treeIn.empty() && run.distancesIn.empty()))
        throw UsageError(fmt::format("--quicktree and {} exclude each other: each determines the guide tree",
                                     run.treeIn.empty() ? "--distances-in" : "--tree-in"));
    const std::string_view inPlace = run.isQuick ? "--quicktree" : "--distances-in";
    if (run.stage == Stage::Pairwise && (run.isQuick || !run.distancesIn.empty()))
        throw UsageError(fmt::format("{} replaces --stage pairwise; give one of them", inPlace));
    if (!run.treeIn.empty() || run.isQuick || !run.distancesIn.empty()) {
        const std::string_view given = run.treeIn.empty() ? inPlace : "--tree-in";
        if (run.needsDistances())
            throw UsageError(fmt::format("{} needs aligned pairs; {} aligns none",
                                         run.drawn.empty() ? "-o " + run.distanceFiles.front() : "--draw",
                                         given));
    }
    if (run.stage == Stage::Pairwise && !run.treeFiles.empty())
        throw UsageError(
            fmt::format("-o {}: --stage pairwise ends before the guide tree", run.treeFiles.front()));
    if (!run.hasAlignment() && declared.isGiven("--order"))
        throw UsageError("--order is for alignments; this stage makes none");
    if (run.hasAlignment() && run.outputs.empty())
        throw UsageError(
            "-o names no alignment: for the guide tree alone there is --stage tree, for distances "
            "--stage pairwise");
}

std::vector<fs::path> filesOf(const AlignRun& run) {
    std::vector<fs::path> files(run.outputs.begin(), run.outputs.end());
    files.insert(files.end(), run.treeFiles.begin(), run.treeFiles.end());
    if (!run.confidenceFile.empty()) files.emplace_back(run.confidenceFile);
    for (fs::path& file : pairs::filesToWrite(run.distanceFiles, kDistanceFiles, {}, false))
        files.push_back(std::move(file));
    for (const auto& [kind, drawing] : run.drawn)
        for (fs::path& file : pairs::pictureFiles(drawing, true)) files.push_back(std::move(file));
    return files;
}

}  // namespace glycine::align
