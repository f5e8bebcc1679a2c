#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "app/align/align_commands.hpp"
#include "app/align/align_report.hpp"
#include "app/align/pair_recount.hpp"
#include "engine/algorithms/align/compute_alignment.hpp"
#include "engine/algorithms/align/input/alignment_reader.hpp"
#include "engine/algorithms/align/pairwise_algorithm.hpp"
#include "engine/algorithms/align/results/alignment_files.hpp"
#include "engine/algorithms/align/results/alignment_picture.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/io/trees/newick_reader.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::align {

namespace fs = std::filesystem;

namespace {

/// Which part of the work is asked for.
enum class Stage { All, Pairwise, Tree, Progressive };
constexpr NameTable<Stage, 4> kStages{{{Stage::All, "all"},
                                       {Stage::Pairwise, "pairwise"},
                                       {Stage::Tree, "tree"},
                                       {Stage::Progressive, "progressive"}}};

/// What the user wrote behind `glycine align`.
struct AlignRun {
    std::string input;
    fs::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    SequenceReading reading;
    bool isThesis = false, isClustal = false;
    Stage stage = Stage::All;
    std::string treeIn, treeOut, distancesIn, distancesOut, heatMap;
    RowOrder order = RowOrder::Input;
    BackendRequest backend;
    AlignOptions options;
    bool restart = false;
    bool json = false;

    bool hasPairs() const { return treeIn.empty() && distancesIn.empty(); }
    bool hasAlignment() const { return stage == Stage::All || stage == Stage::Progressive; }
    /// Files of the distances: those named for them, and of `--stage pairwise` the outputs.
    std::vector<std::string> distanceFiles() const {
        std::vector<std::string> files = stage == Stage::Pairwise ? outputs : std::vector<std::string>{};
        if (!distancesOut.empty()) files.push_back(distancesOut);
        return files;
    }
    std::vector<std::string> treeFiles() const {
        std::vector<std::string> files = stage == Stage::Tree ? outputs : std::vector<std::string>{};
        if (!treeOut.empty()) files.push_back(treeOut);
        return files;
    }
};

constexpr pairs::MatrixFileOptions kDistanceFiles{.areDistances = true};

void declareOptions(Options& options, AlignRun& run) {
    options
        .value("IN", run.input,
               "Sequences: FASTA, or aligned as Clustal, PHYLIP, Stockholm or MSF (gaps are removed), plain "
               "or .gz; - is standard input")
        .required();
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
        Heading heading(options, "Alignment");
        heading.decidesResults();
        options.flag("--clustalw", run.isClustal, "As ClustalW 2.1 aligns (at present also without it)");
        options.flag(
            "--thesis", run.isThesis,
            "Khaladkar's scheme: equal letters 1, others -1, each letter of a gap -2; sums of pairs");
        options.choice("--alphabet A", run.reading.alphabet, "protein, dna or rna").byDefault("recognised");
        options.value("--tree-in FILE", run.treeIn,
                      "Guide tree in Newick's form, its leaves named as the sequences: no pairs are aligned");
        options.value(
            "--distances-in FILE", run.distancesIn,
            "Distances of all pairs, as --distances-out writes them, in any order: no pairs are aligned");
    }
    {
        const Heading heading(options, "Computation");
        options
            .choice(
                "--stage S", run.stage, kStages,
                "all; pairwise: distances alone, -o as of glycine pairwise; tree: the guide tree alone, -o "
                ".dnd or .nwk; progressive: with the tree of --tree-in")
            .notASetting();
        addBackendChoice(options, run.backend);
        options.value("--tile N", run.options.tile, "Side of the tiles in which pairs are aligned and kept")
            .byDefault("what suits the backend")
            .positive();
        addRestartOption(options, run.restart);
    }
    {
        const Heading heading(options, "Output");
        options.choice("--order O", run.order, "Order of the rows: input, or aligned (as they were joined)");
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
        "Three stages: distances of all pairs on a backend, a guide tree by neighbour joining, and "
        "progressive "
        "alignment along it. All backends find the same. Pairs of more than one tile are kept beside the "
        "first "
        "output until all is written; after a stop the same command goes on from there.\n\n"
        "Examples:\n"
        "  glycine align family.fa -o family.aln --tree-out family.dnd\n"
        "  glycine align family.fa.gz -o family.sto -o family.msf --order aligned\n"
        "  glycine align family.fa -o guide.dnd --stage tree\n"
        "  glycine align family.fa -o family.aln --stage progressive --tree-in guide.dnd");
}

/// What does not depend on the sequences. Throws UsageError.
void checkOptions(const Options& declared, AlignRun& run) {
    if (run.isThesis && run.isClustal) throw UsageError("--thesis and --clustalw exclude each other");
    run.options.method = run.isThesis ? AlignMethod::Thesis : AlignMethod::ClustalW;
    run.options.variant = fromString<Variant>(run.backend.variant);
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
    if (!run.distancesIn.empty() && run.stage == Stage::Pairwise)
        throw UsageError("--distances-in takes the place of --stage pairwise");
    if (!run.hasPairs()) {
        const std::string_view given = run.treeIn.empty() ? "--distances-in" : "--tree-in";
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

std::string identify(const Options& declared, const AlignRun& run, const Sequences& sequences) {
    RunIdentity identity(declared);
    identity.add("sequences", fmt::format("{}", sequences.size()));
    identity.add("alphabet", toString(sequences.alphabet));
    identity.addContents("contents of the input", {run.file});
    identity.add("tile", fmt::format("{}", run.options.tile));
    return identity.text();
}

/// 1 − the distances.
void fillIdentities(pairs::PairStore& identities, const pairs::PairStore& distances) {
    constexpr std::size_t kSide = 512;
    for (const pairs::PairTile& tile : pairs::tilesBelowDiagonal(distances.instances(), kSide)) {
        Matrix<double> values(tile.rows.size(), tile.columns.size(), 0);
        distances.readBlock(tile.rows, tile.columns, values.view());
        for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = 1 - values.data()[k];
        identities.store(tile, std::as_const(values).view());
    }
}

void drawIdentities(const AlignRun& run, const AlignRunReport& report, const Sequences& sequences,
                    const pairs::PairStore& distances, Progress& progress) {
    pairs::PairStore identities(
        {.layout = {distances.instances(), pairs::StoreLayout::Triangle}, .diagonal = 1});
    fillIdentities(identities, distances);
    pairs::drawPairs(run.heatMap, identities, sequences.names,
                     {.quantity = "identity of pairs",
                      .instance = "sequence",
                      .isSimilarity = true,
                      .isClustered = true,
                      .minimum = 0.0,
                      .maximum = 1.0,
                      .title = fs::path(report.input).filename().string(),
                      .footer = fmt::format("{}; {}", describeBuild(), report.method)},
                     progress);
}

std::string describeMethod(const AlignRun& run) {
    std::string text = run.options.method == AlignMethod::Thesis ? "thesis (1, −1, gaps −2; sums of pairs)"
                                                                 : "clustalw (ClustalW 2.1's rules)";
    if (run.stage == Stage::Pairwise) return text + ", pairs alone";
    if (run.stage == Stage::Tree) text += ", guide tree alone";
    if (!run.distancesIn.empty()) text += fmt::format(", from the distances {}", run.distancesIn);
    return run.treeIn.empty() ? text : text + fmt::format(", along the tree {}", run.treeIn);
}

void readGuideTree(AlignRun& run, const Sequences& sequences, std::vector<std::string>& notes) {
    const io::NamedTree named = io::readNewick(run.treeIn);
    run.options.guideTree = io::treeOfNames(named, sequences.names, run.treeIn);
    if (!named.hasLengths)
        notes.push_back(fmt::format("{}: branches without a length have the length 0", run.treeIn));
}

void readDistances(AlignRun& run, const Sequences& sequences, Progress& progress) {
    constexpr std::size_t kSide = 512;
    pairs::MatrixReader reader(run.distancesIn);
    const std::vector<std::string>& names = reader.head().names;
    std::unordered_map<std::string_view, std::size_t> numbers;
    for (std::size_t k = 0; k < names.size(); ++k) numbers.emplace(names[k], k);
    std::vector<std::size_t> places;
    for (const std::string& name : sequences.names) {
        const auto found = numbers.find(name);
        if (found == numbers.end())
            throw InputError(fmt::format("{}: has no '{}'; expected the distances of all sequences ({})",
                                         run.distancesIn, excerpt(name), suggestNames(name, names)));
        places.push_back(found->second);
    }
    if (names.size() != places.size())
        throw InputError(fmt::format("{}: has {} names; expected those of the {} sequences alone",
                                     run.distancesIn, names.size(), places.size()));
    pairs::PairStore given({.layout = {names.size(), pairs::StoreLayout::Triangle}});
    reader.read(kSide, given, progress);
    pairs::PairStore ordered({.layout = {names.size(), pairs::StoreLayout::Triangle}});
    std::vector<double> row(names.size());
    for (std::size_t j = 1; j < places.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) row[i] = given.value(places[j], places[i]);
        ordered.store({{j, j + 1}, {0, j}}, {row.data(), 1, j});
    }
    run.options.distances = distancesOf(sequences, run.options.method, ordered);
}

/// Aligns pairs into `values`, and writes what is made of them alone.
void computePairs(Backend& backend, AlignRun& run, const Sequences& sequences, AlignRunReport& report,
                  pairs::PairOutput& values, Progress& progress) {
    const PairwiseOptions pairwise = pairsOf(sequences, run.options);
    Stopwatch watch;
    values.fill([&](pairs::PairSink& sink) {
        report.run.pairs = computePairwise(backend, sequences, pairwise, sink, progress);
    });
    const double seconds = watch.seconds();
    report.run.stages.emplace_back("pairs", seconds);
    values.tellWhatIsKept([&] {
        discardIfWrong(values, [&] {
            report.recount = recountPairs(
                backend, run.backend,
                {sequences, pairwise, report.run.pairs->variant, seconds, values.store()}, progress);
        });
    });
    run.options.distances = distancesOf(sequences, run.options.method, values.store());
}

void writeResults(const AlignRun& run, const AlignRunReport& report, const Sequences& sequences,
                  const MultipleAlignment& alignment, const pairs::PairOutput* values, Progress& progress) {
    if (run.hasAlignment()) {
        const MultipleAlignment rows = inOrder(alignment, run.order);
        const AlignmentPicture picture{.title = fs::path(report.input).filename().string(),
                                       .footer = fmt::format("{}; {}", describeBuild(), report.method)};
        for (const std::string& file : run.outputs) {
            if (const std::optional<AlignmentFormat> format = alignmentFormat(file))
                writeAlignment(file, rows, *format);
            else if (isHtmlFile(file))
                writeAlignmentHtml(file, rows, picture);
            else
                writeAlignmentPicture(file, rows, picture);
        }
    }
    for (const std::string& file : run.treeFiles())
        writeTree(file, alignment.guideTree, sequences.names, isClustalWTree(file));
    if (values == nullptr) return;
    pairs::writeMatrixFiles(*values, run.distanceFiles(), kDistanceFiles, sequences.names,
                            {{"measure", "distance"}}, progress);
    if (!run.heatMap.empty()) drawIdentities(run, report, sequences, values->store(), progress);
}

int runAlign(CommandContext& context, const Options& declared, AlignRun& run) {
    checkBackendUse(declared, pairwiseAlgorithm(), run.backend);
    checkOptions(declared, run);
    io::PipedInputs pipes;
    run.file = pipes.fileOf(run.input);
    AlignRunReport report;
    report.files = filesOf(run);
    std::vector<fs::path> inputs{run.file};
    for (const std::string& file : {run.treeIn, run.distancesIn})
        if (!file.empty()) inputs.emplace_back(file);
    checkOutputFiles(report.files, inputs);

    Stopwatch watch;
    ReadSequences read = readUnaligned(run.file, run.reading);
    const Sequences& sequences = read.sequences;
    report.notes = std::move(read.notes);
    if (!run.treeIn.empty()) readGuideTree(run, sequences, report.notes);
    Progress& progress = context.progress();
    if (!run.distancesIn.empty()) readDistances(run, sequences, progress);
    report.readSeconds = watch.restart();
    progress.throwIfCancelled();
    const BackendChoice choice = selectBackend(declared, run.backend, [&](Backend& backend) {
        return run.hasPairs() ? supportsPairwise(backend, sequences, pairsOf(sequences, run.options))
                              : Support::yes();
    });
    const ThreadsOf threads(*choice.backend);
    report.options = &declared;
    report.device = describeDevice(*choice.backend);
    report.backendReason = choice.reason;
    report.input = run.input;
    report.sequences = sequences.size();
    report.alphabet = sequences.alphabet;
    const auto [shortest, longest] = std::ranges::minmax_element(sequences.letters, {}, &std::string::size);
    report.shortest = shortest->size();
    report.longest = longest->size();
    report.method = describeMethod(run);

    MultipleAlignment alignment;
    const auto finish = [&](const pairs::PairOutput* values) {
        if (run.stage == Stage::Tree) {
            watch.restart();
            alignment.guideTree =
                guideTreeOf(sequences.size(), run.options.method, *run.options.distances, progress);
            report.run.stages.emplace_back("guide tree", watch.seconds());
        } else if (run.hasAlignment()) {
            AlignmentResult result = computeAlignment(*choice.backend, sequences, run.options, progress);
            alignment = std::move(result.alignment);
            for (auto& stage : result.report.stages) report.run.stages.push_back(std::move(stage));
            report.summary = summarize(alignment);
        }
        watch.restart();
        writeResults(run, report, sequences, alignment, values, progress);
        report.writeSeconds = watch.seconds();
    };
    if (run.hasPairs()) {
        run.options.tile = tileSide(*choice.backend, sequences, pairsOf(sequences, run.options));
        const fs::path first = run.outputs.front();
        const pairs::PairFormat format{
            .layout = {sequences.size(),
                       run.stage == Stage::Pairwise
                           ? pairs::layoutOf(pairs::matrixFormat(first, kDistanceFiles), kDistanceFiles)
                           : pairs::StoreLayout::Triangle},
            .type = pairs::ValueType::Float64};
        const double n = static_cast<double>(sequences.size());
        requireHostMemory(
            fmt::format("the distances of all pairs of {} sequences", sequences.size()),
            static_cast<double>(pairs::PairOutput::bytesInMemory(first, format, run.options.tile)) +
                2 * n * n / 2 * sizeof(double));
        pairs::PairOutput values(
            first, format, run.options.tile, [&] { return identify(declared, run, sequences); }, run.restart);
        computePairs(*choice.backend, run, sequences, report, values, progress);
        values.tellWhatIsKept([&] { finish(&values); });
        values.finish();
    } else {
        finish(nullptr);
    }
    context.clearProgressLine();
    printRunReport(context, report, run.json);
    return 0;
}

}  // namespace

CommandAction declareAlign(Options& options) {
    auto run = std::make_shared<AlignRun>();
    declareOptions(options, *run);
    return [run, &options](CommandContext& context) { return runAlign(context, options, *run); };
}

}  // namespace glycine::align
