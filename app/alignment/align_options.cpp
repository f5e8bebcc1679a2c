#include "app/alignment/align_options.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "engine/alignment/method.hpp"
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/alignment/results/alignment_picture.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/error.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::align {

void declareAlignOptions(Options& options, AlignRun& run) {
    options.value(
        "IN", run.input,
        "Sequences: FASTA, or aligned as Clustal, PHYLIP, Stockholm or MSF (gaps are removed), plain "
        "or .gz; - is standard input");
    options
        .value("-o,--output OUT", run.outputs,
               fmt::format("What to write, by the ending: {}; coloured as Clustal X does .png, .svg, .pdf or "
                           ".html; - is FASTA to standard output; can be given several times",
                           alignmentEndings()))
        .repeated()
        .required()
        .notASetting();
    addJsonOption(options, run.json);
    {
        // What --auto chooses is part of a run's identity, and neither it nor --accurate by themselves.
        const Heading heading(options, "Method");
        options.flag(
            "--auto", run.isAuto,
            "The default: the best method whose work fits --budget, of --accurate, the same with less "
            "consistency or none, and --fast");
        options
            .value(
                "--budget S", run.options.budgetSeconds,
                "Of --auto: seconds of work on two cores, counted and not timed, so that the same input has "
                "the same method on every machine")
            .positive();
        options.flag("--accurate", run.isAccurate,
                     "Posteriors of all pairs of residues, consistency, refinement, however long they take");
        options
            .flag("--fast", run.isFast,
                  "For thousands of sequences and more: no alignments of pairs, groups joined by their "
                  "profiles")
            .decidesResult();
        options.flag("--clustalw", run.isClustal, "As ClustalW 2.1 aligns, by its rules and defaults")
            .decidesResult();
        options
            .flag("--thesis", run.isThesis,
                  "Khaladkar's scheme: equal letters 1, others -1, each letter of a gap -2; sums of pairs")
            .decidesResult();
    }
    {
        Heading heading(options, "Alignment");
        heading.decidesResults();
        options.choice("--alphabet A", run.reading.alphabet, "protein, dna or rna").byDefault("recognised");
        options
            .choice("--guide-tree METHOD", run.options.treeMethod,
                    "nj: neighbour joining, with the method's root; upgma: average linkage")
            .byDefault("upgma; with --clustalw and --thesis nj");
        options.value(
            "--tree-in FILE", run.treeIn,
            "Guide tree in Newick's form, its leaves named as the sequences; with --clustalw and --thesis "
            "no pairs are aligned");
        options.value(
            "--distances-in FILE", run.distancesIn,
            "Distances of all pairs, as --distances-out writes them, in any order, for the guide tree; with "
            "--clustalw and --thesis no pairs are aligned");
        options.flag(
            "--quicktree", run.isQuick,
            "With --clustalw: distances by equal k-tuples near the best diagonals, as ClustalW's quick "
            "pairs; no pairs are aligned");
    }
    {
        Heading heading(options, "Adding");
        heading.decidesResults();
        options.value("--add NEW", run.add, "Sequences to be added, in place of IN").beside("--to");
        options.value(
            "--to ALIGNMENT", run.to,
            "Aligned sequences that keep their columns: IN is added to them, one sequence after the "
            "other, by ClustalW's profiles");
        options.flag("--profile", run.isProfile, "IN is aligned, too, and added as a whole").beside("--to");
    }
    {
        const Heading heading(options, "Computation");
        options
            .choice(
                "--stage STAGE", run.stage, kStages,
                "all; pairwise: distances alone, -o as of glycine pairwise; tree: the guide tree alone, -o "
                ".dnd or .nwk; progressive: with the tree of --tree-in")
            .notASetting();
        addBackendChoice(options, run.backend, {alignAlgorithm(), pairwise::pairwiseAlgorithm()});
        options.value("--tile N", run.options.tile, "Side of the tiles in which pairs are aligned and kept")
            .byDefault("what suits the backend")
            .positive();
        addRestartOption(options, run.restart);
    }
    {
        const Heading heading(options, "Output");
        options
            .choice("--order ORDER", run.order, "Order of the rows: input, or aligned (as they were joined)")
            .byDefault("input; with --clustalw aligned, as there");
        options.value("--tree-out FILE", run.treeOut, "Also write the guide tree: .dnd or .nwk (Newick)")
            .notASetting();
        options
            .value("--distances-out FILE", run.distancesOut,
                   "Also write the distances of all pairs: .npy, .npz, .csv, .tsv, .phy (PHYLIP)")
            .notASetting();
        options
            .value(
                "--heat-map FILE", run.heatMap,
                "Also draw the identities of all pairs, clustered: PNG, SVG or PDF (with the order and its "
                "tree beside it)")
            .notASetting();
    }
    addBackendOptions(options, run.backend.device);
    options.footer(
        "With --accurate: posteriors of all residue pairs by a hidden Markov model "
        "and a "
        "partition function, a guide tree, consistency (two rounds up to 50 sequences, one up to 400), the "
        "alignment of maximum expected accuracy, refinement. By default --auto takes that as long as its "
        "work fits "
        "--budget, then fewer rounds of consistency, then --fast; the report says which and why. With "
        "--fast: a guide tree from longest common "
        "subsequences, groups joined by posteriors of their columns. With --clustalw and --thesis: distances "
        "of all pairs, a guide tree "
        "by neighbour joining, progressive alignment; all backends find the same. Posteriors that take more "
        "than some seconds and pairs of more than one tile are kept beside the first output until all is "
        "written: after a stop the same command goes on from there.\n\n"
        "Examples:\n"
        "  glycine align family.fa -o family.aln -o family.html\n"
        "  glycine align family.fa.gz -o family.sto -o family.msf --order aligned\n"
        "  glycine align family.fa -o family.aln --accurate\n"
        "  glycine align thousands.fa -o thousands.afa --fast\n"
        "  glycine align family.fa -o family.aln --clustalw --tree-out family.dnd\n"
        "  glycine align family.fa -o guide.dnd --clustalw --stage tree\n"
        "  glycine align family.fa -o family.aln --stage progressive --tree-in guide.dnd\n"
        "  glycine align --add new.fa --to family.aln -o larger.aln\n"
        "  glycine align others.sto --profile --to family.aln -o both.html");
}

void checkAlignOptions(const Options& declared, AlignRun& run) {
    if (run.input.empty() == run.add.empty())
        throw UsageError(run.add.empty() ? "IN, the sequences, is missing"
                                         : "IN and --add are the same: give one of them");
    if (run.input.empty()) run.input = run.add;
    const std::pair<const char*, bool> methods[] = {{"--thesis", run.isThesis},
                                                    {"--clustalw", run.isClustal},
                                                    {"--fast", run.isFast},
                                                    {"--accurate", run.isAccurate},
                                                    {"--auto", run.isAuto}};
    for (const auto& one : methods)
        for (const auto* other = &one + 1; other != std::end(methods); ++other)
            if (one.second && other->second)
                throw UsageError(fmt::format("{} and {} exclude each other", one.first, other->first));
    if (!run.to.empty())
        for (const char* option :
             {"--thesis", "--fast", "--accurate", "--auto", "--budget", "--stage", "--guide-tree",
              "--tree-in", "--distances-in", "--quicktree", "--distances-out", "--heat-map", "--restart"})
            if (declared.isGiven(option))
                throw UsageError(
                    fmt::format("{} is for sequences that are aligned anew; --to adds them to an "
                                "alignment",
                                option));
    // What is added is added by ClustalW's profiles.
    run.options.method = run.isThesis                       ? AlignMethod::Thesis
                         : run.isFast                       ? AlignMethod::Fast
                         : run.isClustal || !run.to.empty() ? AlignMethod::ClustalW
                         : run.isAccurate                   ? AlignMethod::Accuracy
                         : run.isAuto                       ? AlignMethod::Auto
                                                            : kUsualMethod;
    if (run.options.method != AlignMethod::Auto && declared.isGiven("--budget"))
        throw UsageError(fmt::format("--budget is for --auto; {} takes what it takes", run.method().flag));
    run.options.endsWithTree = run.stage == Stage::Pairwise || run.stage == Stage::Tree;
    if (run.options.endsWithTree && !run.method().hasTreeMethods)
        throw UsageError(
            fmt::format("--stage {} is not for {}", nameOf(run.stage, kStages), run.method().flag));
    for (const LackedOption& lacked : run.method().lacks)
        if (declared.isGiven(lacked.option))
            throw UsageError(fmt::format("{} {}", lacked.option, lacked.reason));
    if (run.to.empty() && !declared.isGiven("--order")) run.order = run.method().usualOrder;
    run.options.variant = fromString<pairwise::Variant>(run.backend.variant);
    if (declared.isGiven("--guide-tree") && (run.stage == Stage::Pairwise || !run.treeIn.empty()))
        throw UsageError(fmt::format("--guide-tree is for trees that are made; {} makes none",
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
        throw UsageError("--quicktree is ClustalW's; it needs --clustalw");
    if (run.isQuick && !(run.treeIn.empty() && run.distancesIn.empty()))
        throw UsageError(fmt::format("--quicktree and {} exclude each other: each gives the guide tree",
                                     run.treeIn.empty() ? "--distances-in" : "--tree-in"));
    const std::string_view inPlace = run.isQuick ? "--quicktree" : "--distances-in";
    if (run.stage == Stage::Pairwise && (run.isQuick || !run.distancesIn.empty()))
        throw UsageError(fmt::format("{} takes the place of --stage pairwise", inPlace));
    if (!run.treeIn.empty() || run.isQuick || !run.distancesIn.empty()) {
        const std::string_view given = run.treeIn.empty() ? inPlace : "--tree-in";
        for (const char* option : {"--distances-out", "--heat-map"})
            if (declared.isGiven(option))
                throw UsageError(fmt::format("{} needs the pairs; with {} none are aligned", option, given));
    }
    if (run.stage == Stage::Pairwise && !run.treeOut.empty())
        throw UsageError("--tree-out needs the guide tree; --stage pairwise ends before it");
    if (!run.hasAlignment() && declared.isGiven("--order"))
        throw UsageError("--order is for alignments; this stage makes none");
    for (const std::string& file : run.treeFiles())
        if (!isTreeFile(file)) throw UsageError(fmt::format("{}: {}", file, treeEndingExpected()));
    if (run.hasAlignment())
        for (const std::string& file : run.outputs)
            if (!alignmentFormat(file) && !picture::isPictureFile(file) && !isHtmlFile(file))
                throw UsageError(fmt::format(
                    "{}: the ending stands for no alignment; known: {}, and pictures: .png, .svg, "
                    ".pdf, .html",
                    file, alignmentEndings()));
}

std::vector<fs::path> filesOf(const AlignRun& run) {
    std::vector<fs::path> files;
    if (run.stage != Stage::Pairwise) files.assign(run.outputs.begin(), run.outputs.end());
    if (!run.treeOut.empty()) files.emplace_back(run.treeOut);
    for (fs::path& file : pairs::filesToWrite(run.distanceFiles(), kDistanceFiles, {}, false))
        files.push_back(std::move(file));
    if (!run.heatMap.empty()) {
        picture::requirePictureFile("--heat-map", run.heatMap);
        for (fs::path& file : pairs::pictureFiles(run.heatMap, true)) files.push_back(std::move(file));
    }
    return files;
}

}  // namespace glycine::align
