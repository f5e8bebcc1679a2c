#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "app/pairwise/pair_recount.hpp"
#include "app/pairwise/pairwise_commands.hpp"
#include "app/pairwise/pairwise_report.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/precision.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairwise/clustal_scoring.hpp"
#include "engine/pairwise/pairwise_algorithm.hpp"
#include "engine/sequences/files/read_sequences.hpp"
#include "engine/sequences/files/substitution_file.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine::pairwise {

namespace fs = std::filesystem;

namespace {

/// What the user wrote behind `glycine pairwise`.
struct RunOptions {
    std::string input;
    fs::path file;  ///< what the input is read from
    std::vector<std::string> outputs;
    SequenceReading reading;
    PairwiseOptions pairwise;
    std::string matrix;               ///< a name or a file; empty: the usual one for the alphabet
    std::optional<int> open, extend;  ///< absent: the usual ones for the matrix
    bool isLocal = false, isThesis = false, isClustal = false;
    pairs::MatrixFileOptions files;
    Precision valueType = Precision::Float64;
    BackendRequest backend;
    std::string png;
    bool isClustered = true;  ///< order of the picture
    bool restart = false;
    bool json = false;

    bool isScore() const { return pairwise.measure == PairMeasure::Score; }
    pairs::ValueType stored() const {
        return isScore()                         ? pairs::ValueType::Int32
               : valueType == Precision::Float64 ? pairs::ValueType::Float64
                                                 : pairs::ValueType::Float32;
    }
};

constexpr NameTable<bool, 2> kOrders{{{false, "input"}, {true, "cluster"}}};

void declareAlignmentOptions(Options& options, RunOptions& run) {
    Heading heading(options, "Alignment");
    heading.decidesResults();
    options.choice("--measure M", run.pairwise.measure,
                   "score of the best alignment; identity: identical letters / letters of the shorter "
                   "sequence; distance: 1 - identity");
    const auto isForMatrix = [](Option& option) { option.readBy("scheme", {"matrix"}, "matrices"); };
    isForMatrix(options
                    .value("--matrix NAME", run.matrix,
                           "Substitution matrix: BLOSUM30 … BLOSUM90, PAM10 … PAM500, GONNET40 … GONNET350, "
                           "for nucleotides IUB or EDNAFULL, IDENTITY, or a file in NCBI's format")
                    .byDefault("BLOSUM62; EDNAFULL for nucleotides"));
    isForMatrix(options.value("--gap-open G", run.open, "A gap of k letters costs G + k E")
                    .within(0, kLargestPenalty)
                    .byDefault("the usual one for the matrix, where there is one: 11 for BLOSUM62"));
    isForMatrix(options.value("--gap-extend E", run.extend, "What each letter of a gap costs; 0: nothing")
                    .within(0, kLargestPenalty)
                    .byDefault("the usual one for the matrix: 1 for BLOSUM62"));
    isForMatrix(options.flag("--local", run.isLocal,
                             "The best alignment of parts of both (Smith-Waterman), not from end to end"));
    options.flag("--thesis", run.isThesis,
                 "Khaladkar's scheme: equal letters 1, others -1, each letter of a gap -2");
    options.flag("--clustalw", run.isClustal,
                 "As ClustalW 2.1 aligns pairs: its percentages are those of --measure identity");
    options.choice("--alphabet A", run.reading.alphabet, "protein, dna or rna").byDefault("recognised");
}

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value("IN", run.input,
               "Sequences: FASTA, plain or .gz, not aligned (gaps are removed); - is standard input")
        .required();
    options
        .value(
            "-o,--output OUT", run.outputs,
            "What to write, by the ending: .npy (with .npy.names), .npz, .csv, .tsv, and of distances .phy, "
            ".phylip (PHYLIP); - is .tsv to standard output; can be given several times")
        .repeated()
        .required()
        .notASetting();
    addJsonOption(options, run.json, "Print the report as one JSON object (sequences count from 0)");
    declareAlignmentOptions(options, run);
    {
        const Heading heading(options, "Computation");
        addBackendChoice(options, run.backend, {pairwiseAlgorithm()});
        options
            .value("--tile N", run.pairwise.tile,
                   "Side of the tiles in which the result is computed and kept")
            .byDefault("what suits the backend")
            .positive();
        addRestartOption(options, run.restart);
    }
    {
        const Heading heading(options, "Output");
        options.choice("--shape S", run.files.shape, "square or triangle (each pair once)");
        options.flag("--molten", run.files.molten, ".tsv: one line a pair instead of a matrix");
        options.choice("--dtype T", run.valueType, "float64 or float32; scores are int32")
            .readBy("measure", {"identity", "distance"}, "identities and distances");
        options.value("--png FILE", run.png, "Also draw the matrix as a heat map: PNG, SVG or PDF")
            .notASetting();
        options
            .choice("--png-order ORDER", run.isClustered, kOrders,
                    "Order of the heat map: input, or cluster (leaves of a UPGMA tree, which is written "
                    "beside it as .nwk, with the order as .order.tsv); scores: input alone")
            .beside("--png");
    }
    addBackendOptions(options, run.backend.device);
    options.footer(
        "All backends find the same numbers. Of equally good alignments, the one with most identities "
        "counts. "
        "A run of more than one tile keeps finished tiles beside its first output; after a stop the same "
        "command goes on from there.\n\n"
        "Examples:\n"
        "  glycine pairwise family.fa -o distances.phy\n"
        "  glycine pairwise family.fa.gz -o identity.npy --measure identity --png identity.png\n"
        "  glycine pairwise loci.fa -o scores.tsv --measure score --matrix EDNAFULL --local\n"
        "  glycine pairwise family.fa -o percent.tsv --measure identity --clustalw");
}

/// What does not depend on the sequences. Throws UsageError.
void checkScheme(const Options& declared, RunOptions& run) {
    if (run.isThesis && run.isClustal)
        throw UsageError("--thesis and --clustalw exclude each other: each has scores of its own");
    const std::string scheme = run.isThesis ? "thesis" : run.isClustal ? "clustalw" : "matrix";
    declared.requireReaders({"scheme", {scheme}, fmt::format("--{} has scores of its own", scheme)});
    const std::string measure(toString(run.pairwise.measure));
    declared.requireReaders({"measure", {measure}, fmt::format("the measure is {}", measure)});
    run.files.areDistances = run.pairwise.measure == PairMeasure::Distance;
    if (run.isScore()) {
        if (!run.png.empty() && declared.isGiven("--png-order") && run.isClustered)
            throw UsageError("--png-order cluster is for identities and distances; the measure is score");
        run.isClustered = false;
    }
}

PairScoring scoringOf(const RunOptions& run, Alphabet alphabet) {
    if (run.isThesis) return thesisScoring(alphabet);
    if (run.isClustal) return {.method = PairMethod::ClustalW};
    const std::string name = !run.matrix.empty()      ? run.matrix
                             : isNucleotide(alphabet) ? "EDNAFULL"
                                                      : "BLOSUM62";
    PairScoring scoring{.method = run.isLocal ? PairMethod::Local : PairMethod::Global,
                        .matrix = matrixNamed(name, alphabet)};
    const std::optional<GapPenalties> usual = usualPenalties(scoring.matrix.name);
    if (!usual && !(run.open && run.extend))
        throw UsageError(fmt::format("no gap penalties are usual for {}; give --gap-open and --gap-extend",
                                     scoring.matrix.name));
    scoring.gaps = {run.open ? *run.open : usual->open, run.extend ? *run.extend : usual->extend};
    return scoring;
}

/// Of each sequence beside itself, letter by letter.
std::vector<double> diagonalOf(const Sequences& sequences, const PairwiseOptions& options) {
    if (options.measure != PairMeasure::Score)
        return std::vector<double>(sequences.size(), options.measure == PairMeasure::Identity ? 1 : 0);
    const SubstitutionMatrix& matrix = options.scoring.method == PairMethod::ClustalW
                                           ? clustalMatrix(sequences.alphabet)
                                           : options.scoring.matrix;
    std::vector<double> diagonal;
    for (const std::vector<std::uint8_t>& codes : sequences.codes) {
        double score = 0;
        for (const std::uint8_t code : codes) score += matrix.score(code, code);
        diagonal.push_back(score);
    }
    return diagonal;
}

std::string identify(const Options& declared, const RunOptions& run, const Sequences& sequences) {
    RunIdentity identity(declared);
    identity.add("sequences", fmt::format("{}", sequences.size()));
    identity.add("alphabet", toString(sequences.alphabet));
    identity.addContents("contents of the input", {run.file});
    if (!run.matrix.empty() && !isMatrixName(run.matrix))
        identity.addContents("contents of the matrix", {fs::path(run.matrix)});
    identity.add("tile", fmt::format("{}", run.pairwise.tile));
    return identity.text();
}

void draw(const RunOptions& run, const RunReport& report, const pairs::PairStore& store, Progress& progress) {
    const bool isScore = run.isScore();
    pairs::drawPairs(run.png, store, report.names,
                     {.quantity = std::string(toString(run.pairwise.measure)),
                      .instance = "sequence",
                      .isSimilarity = run.pairwise.measure != PairMeasure::Distance,
                      .isClustered = run.isClustered,
                      .hasDiagonal = !isScore,
                      .minimum = isScore ? std::nullopt : std::optional(0.0),
                      .maximum = isScore ? std::nullopt : std::optional(1.0),
                      .title = report.input,
                      .footer = fmt::format("{} {} on {}, {}", describeBuild(), report.run.backend,
                                            report.device.device, report.run.variant)},
                     progress);
}

int runPairwise(CommandContext& context, const Options& declared, RunOptions& run) {
    checkBackendUse(declared, pairwiseAlgorithm(), run.backend);
    checkScheme(declared, run);
    io::PipedInputs pipes;
    run.file = pipes.fileOf(run.input);
    run.pairwise.variant = fromString<Variant>(run.backend.variant);
    RunReport report;
    report.files = pairs::filesToWrite(run.outputs, run.files, run.png, run.isClustered);
    std::vector<fs::path> inputs{run.file};
    if (!run.matrix.empty() && !isMatrixName(run.matrix)) inputs.emplace_back(run.matrix);
    checkOutputFiles(report.files, inputs);

    Stopwatch watch;
    ReadSequences read = readSequences(run.file, run.reading);
    const Sequences& sequences = read.sequences;
    report.readSeconds = watch.restart();
    pairs::checkNames(run.outputs, run.files, sequences.names);
    context.progress().throwIfCancelled();
    run.pairwise.scoring = scoringOf(run, sequences.alphabet);
    const BackendChoice choice = selectBackend(declared, run.backend, [&](Backend& backend) {
        return supportsPairwise(backend, sequences, run.pairwise);
    });
    run.pairwise.tile = tileSide(*choice.backend, sequences, run.pairwise);
    report.options = &declared;
    report.device = describeDevice(*choice.backend);
    report.backendReason = choice.reason;
    report.input = run.input;
    report.notes = std::move(read.notes);
    report.alphabet = sequences.alphabet;
    const auto [shortest, longest] =
        std::minmax_element(sequences.letters.begin(), sequences.letters.end(),
                            [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    report.shortest = shortest->size();
    report.longest = longest->size();
    report.settings = run.pairwise;
    report.names = sequences.names;

    const ThreadsOf threads(*choice.backend);
    const fs::path first = run.outputs.front();
    const pairs::PairFormat format{
        .layout = {sequences.size(), pairs::layoutOf(pairs::matrixFormat(first, run.files), run.files)},
        .type = run.stored(),
        .diagonals = diagonalOf(sequences, run.pairwise)};
    const double tile = static_cast<double>(run.pairwise.tile) * static_cast<double>(run.pairwise.tile);
    requireHostMemory(
        fmt::format("aligning all pairs of {} sequences", sequences.size()),
        static_cast<double>(pairs::PairOutput::bytesInMemory(first, format, run.pairwise.tile)) +
            tile * (sizeof(double) + 2 * sizeof(std::int32_t)) +
            (!run.png.empty() && run.isClustered ? trees::bytesBelowDiagonal(sequences.size()) : 0));
    pairs::PairOutput values(
        first, format, run.pairwise.tile, [&] { return identify(declared, run, sequences); }, run.restart);
    watch.restart();
    discardIfWrong(values, [&] {
        values.fill([&](pairs::PairSink& sink) {
            report.run = computePairwise(*choice.backend, sequences, run.pairwise, sink, context.progress());
        });
    });
    report.computeSeconds = watch.restart();
    values.tellWhatIsKept([&] {
        discardIfWrong(values, [&] {
            Recount recount(*choice.backend, run.backend, "pair", "with reference and cpu");
            recountPairs(recount,
                         {sequences, run.pairwise, report.run.variant, report.computeSeconds, values.store()},
                         context.progress());
            report.recount = recount.report();
        });
        report.summary = pairs::summarizeValues(values.store(), std::numeric_limits<double>::quiet_NaN());
        watch.restart();
        pairs::writeMatrixFiles(values, run.outputs, run.files, sequences.names,
                                {{"measure", std::string(toString(run.pairwise.measure))}},
                                context.progress());
        if (!run.png.empty()) draw(run, report, values.store(), context.progress());
    });
    values.finish();
    report.writeSeconds = watch.seconds();
    context.clearProgressLine();
    printRunReport(context, report, run.json);
    return 0;
}

}  // namespace

CommandAction declarePairwise(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareRunOptions(options, *run);
    return [run, &options](CommandContext& context) { return runPairwise(context, options, *run); };
}

}  // namespace glycine::pairwise
