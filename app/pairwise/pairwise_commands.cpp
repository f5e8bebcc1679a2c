#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/pair_command.hpp"
#include "app/pairwise/pair_recount.hpp"
#include "app/pairwise/pairwise_commands.hpp"
#include "app/pairwise/scoring.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/count_range.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/precision.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/sequences/fasta.hpp"
#include "engine/io/text/json.hpp"
#include "engine/pairs/files/expected_size.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairwise/pairwise.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/sequences/files/read_sequences.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::pairwise {

namespace {

// ---- the report

/// The report of a `glycine pairwise` run.
struct RunReport final : PairReport {
    void print(std::ostream& out) const override;
    /// JSON report; sequence indices count from 0.
    Json json() const override;

    Alphabet alphabet = Alphabet::Protein;
    std::size_t shortest = 0;  ///< in letters
    std::size_t longest = 0;
    PairwiseOptions settings;
    PairwiseReport run;

  private:
    std::string describeScoring() const;
    std::string describeRate() const;
    bool hasRate() const { return run.cellsComputed > 0 && run.times.compute > 0; }
};

std::string RunReport::describeScoring() const {
    const PairScoring& scoring = settings.scoring;
    if (scoring.method == PairMethod::ClustalW) return "as ClustalW 2.1 aligns pairs";
    return fmt::format("{}, {}, a gap of k letters costs {}", toString(scoring.method), scoring.matrix.name,
                       scoring.gaps.open == 0
                           ? fmt::format("{}k", scoring.gaps.extend)
                           : fmt::format("{} + {}k", scoring.gaps.open, scoring.gaps.extend));
}

std::string RunReport::describeRate() const {
    if (!hasRate()) return "";
    return fmt::format("; computing at {} GCUPS", formatNumber(run.cellsComputed / run.times.compute / 1e9));
}

void RunReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back("Input",
                        fmt::format("{}: {} ({}), {} letters", input, formatCount(names.size(), "sequence"),
                                    toString(alphabet), formatCounts(shortest, longest)));
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Alignment", describeScoring());
    addDeviceFields(fields, *this, run.variant);
    addTimeField(fields, *this, describeRate());
    addRun(fields, run);
    fields.emplace_back(settings.measure == PairMeasure::Score      ? "Score"
                        : settings.measure == PairMeasure::Identity ? "Identity"
                        : settings.measure == PairMeasure::Mismatch ? "Mismatches"
                                                                    : "Distance",
                        describeValues());
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json RunReport::json() const {
    Json json = runHeadJson("pairwise", *this);
    json["input"] = input;
    json["notes"] = notes;
    json["sequences"] = names.size();
    json["alphabet"] = toString(alphabet);
    json["shortest"] = shortest;
    json["longest"] = longest;
    json["method"] = toString(settings.scoring.method);
    if (settings.scoring.method != PairMethod::ClustalW) {
        json["matrix"] = settings.scoring.matrix.name;
        json["gapOpen"] = settings.scoring.gaps.open;
        json["gapExtend"] = settings.scoring.gaps.extend;
    }
    json["measure"] = toString(settings.measure);
    json["backend"] = run.backend;
    json["variant"] = run.variant;
    json["cells"] = run.cells;
    addRun(json, run);
    if (hasRate()) json["cellsPerSecond"] = run.cellsComputed / run.times.compute;
    Json& values = json["values"];
    values = {{"pairs", summary.pairs}};
    addValues(values);
    json["files"] = fileNames(files);
    return json;
}

// ---- the command

namespace fs = std::filesystem;

/// Arguments of `glycine pairwise`.
struct RunOptions : PairArguments, ScoringRequest {
    RunOptions() { isClustered = files.hasPictures = true; }

    SequenceReading reading;
    PairwiseOptions pairwise;
    pairs::MatrixFileOptions files;
    Precision valueType = Precision::Float64;

    bool isScore() const { return pairwise.measure == PairMeasure::Score; }
    bool isMatrixFile() const { return !matrix.empty() && !isMatrixName(matrix); }
    pairs::ValueType stored() const {
        return isScore()                         ? pairs::ValueType::Int32
               : valueType == Precision::Float64 ? pairs::ValueType::Float64
                                                 : pairs::ValueType::Float32;
    }
};

void declareAlignmentOptions(Options& options, RunOptions& run) {
    Heading heading(options, "Alignment");
    heading.decidesResults();
    options
        .choice("--measure M", run.pairwise.measure,
                "score of the best alignment; identity: identical letters / letters of the shorter "
                "sequence; distance: 1 - identity; mismatch: different letters / pairs without a gap")
        .basic();
    declareScoringOptions(options, run);
    options.choice("--alphabet A", run.reading.alphabet, "Alphabet: protein, dna or rna")
        .byDefault("detected");
}

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value("IN", run.input,
               "Sequences: FASTA, plain or .gz, not aligned (gaps are removed)\n; - is standard input")
        .required();
    addPairOutputs(
        options, run,
        ".tsv, .csv, .npy, .npz, for distances .phy; a heat map: .png, .svg, .pdf\n(.npy comes with "
        ".npy.names; also .phylip; - is .tsv to standard output; can be given several times)");
    addJsonOption(options, run.json, "Print the report as one JSON object (sequences are numbered from 0)");
    declareAlignmentOptions(options, run);
    {
        const Heading heading(options, "Computation");
        addBackendChoice(options, run.backend, {pairwiseAlgorithm()}, true);
        addTileOptions(options, run.pairwise.tile, run);
    }
    {
        const Heading heading(options, "Output");
        options.choice("--shape S", run.files.shape, "Shape: square or triangle (each pair once)");
        options.flag("--molten", run.files.molten, ".tsv: one line per pair instead of a matrix").basic();
        options.choice("--dtype T", run.valueType, "Number type: float64 or float32; scores are int32")
            .readBy("measure", {"identity", "distance", "mismatch"}, "identities and distances");
        addOrderOption(options, run, "; scores: input alone");
        addPictureOptions(options, run);
    }
    addBackendOptions(options, run.backend.device);
    options.footer(
        "All backends give the same numbers. Of equally good alignments, the one with the most\n"
        "identities counts. A run of several tiles keeps finished tiles next to its first output;\n"
        "after a stop, the same command resumes.\n\n"
        "Examples:\n"
        "  glycine pairwise family.fa -o distances.phy\n"
        "  glycine pairwise family.fa.gz -o identity.npy -o identity.png --measure identity\n"
        "  glycine pairwise loci.fa -o scores.tsv --measure score --matrix EDNAFULL --method local\n"
        "  glycine pairwise family.fa -o percent.tsv --measure identity --method clustalw");
}

/// Checks options that do not depend on the sequences. Throws UsageError.
void checkScheme(const Options& declared, RunOptions& run) {
    checkScoringOptions(declared, run, run.pairwise.measure);
    const std::string measure(toString(run.pairwise.measure));
    declared.requireReaders({"measure", {measure}, fmt::format("the measure is {}", measure)});
    run.files.areDistances =
        run.pairwise.measure == PairMeasure::Distance || run.pairwise.measure == PairMeasure::Mismatch;
    if (run.isScore()) {
        if (!run.png.empty() && declared.isGiven("--order") && run.isClustered)
            throw UsageError("--order cluster is for identities and distances; the measure is score");
        run.isClustered = false;
    }
}

class PairwiseCommand final : public PairCommand {
  public:
    void declare(Options& options) { declareRunOptions(options, run_); }

  protected:
    PairArguments& arguments() override { return run_; }
    PairReport& report() override { return report_; }
    const Algorithm& algorithm() const override { return pairwiseAlgorithm(); }
    std::vector<StagePlacement> stages() const override {
        return {{"scores and identities", "", ""}, {"measure", kStageInDouble, kStageInDouble}};
    }

    void checkOptions(const Options& declared) override { checkScheme(declared, run_); }
    std::vector<fs::path> planFiles(const Options&) override {
        run_.pairwise.variant = fromString<Variant>(run_.backend.variant);
        return pairs::filesToWrite(run_.outputs, run_.files, run_.png, run_.isClustered);
    }
    std::vector<fs::path> inputFiles() const override {
        if (run_.isMatrixFile()) return {run_.file, run_.matrix};
        return {run_.file};
    }
    void read() override {
        ReadSequences read = readSequences(run_.file, run_.reading);
        sequences_ = std::move(read.sequences);
        report_.notes = std::move(read.notes);
    }
    void completeForData(const Options&) override {
        pairs::checkNames(run_.outputs, run_.files, sequences_.names);
        run_.pairwise.scoring = scoringOf(run_, sequences_.alphabet);
        report_.input = run_.input;
        report_.alphabet = sequences_.alphabet;
        const auto [shortest, longest] = std::minmax_element(
            sequences_.letters.begin(), sequences_.letters.end(),
            [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
        report_.shortest = shortest->size();
        report_.longest = longest->size();
        report_.names = sequences_.names;
    }
    Support supports(Backend& backend) override {
        return supportsPairwise(backend, sequences_, run_.pairwise);
    }
    double hostSeconds() const override {
        const std::size_t n = sequences_.size();
        return hostSecondsFor(cellsOf(sequences_, {{0, n}, {0, n}}), 2e9, run_.backend.device);
    }
    void completeForBackend(Backend& backend) override {
        run_.pairwise.tile = tileSide(backend, sequences_, run_.pairwise);
        report_.settings = run_.pairwise;
    }

    pairs::PairFormat format() const override {
        return {.layout = {sequences_.size(),
                           run_.outputs.empty()
                               ? pairs::StoreLayout::Square
                               : pairs::layoutOf(pairs::matrixFormat(run_.outputs.front(), run_.files),
                                                 run_.files)},
                .type = run_.stored(),
                .diagonals = diagonalOf(sequences_, run_.pairwise)};
    }
    std::size_t tile() const override { return run_.pairwise.tile; }
    void requireMemory(Backend& backend, double kept, double clustering) override {
        const std::size_t tile = run_.pairwise.tile;
        const double elements = static_cast<double>(tile) * static_cast<double>(tile) *
                                static_cast<double>(pairs::tilesAtOnce(backend, sequences_.size(), tile));
        requireHostMemory(fmt::format("aligning all pairs of {} sequences", sequences_.size()),
                          kept + elements * (sizeof(double) + 2 * sizeof(std::int32_t)) + clustering);
    }
    std::string identity(const Options& declared, const Backend&) const override {
        RunIdentity identity(declared);
        identity.add("sequences", fmt::format("{}", sequences_.size()));
        identity.add("alphabet", toString(sequences_.alphabet));
        identity.addContents("contents of the input", {run_.file});
        if (run_.isMatrixFile()) identity.addContents("contents of the matrix", {fs::path(run_.matrix)});
        identity.add("tile", fmt::format("{}", run_.pairwise.tile));
        return identity.text();
    }
    void compute(Backend& backend, pairs::PairSink& sink, Progress& progress) override {
        report_.run = computePairwise(backend, sequences_, run_.pairwise, sink, progress);
    }

    const pairs::RunOutcome& outcome() const override { return report_.run; }
    std::optional<RecountReport> recount(const FoundPairs& found, Progress& progress) override {
        Recount recount(found.backend, run_.backend, "pair", "with reference and cpu");
        recountPairs(recount,
                     {sequences_, run_.pairwise, report_.run.variant, report_.computeSeconds, *found.store},
                     progress);
        return recount.report();
    }

    std::vector<storage::ExpectedFile> expectedFiles() const override {
        return pairs::expectedFiles(run_.outputs, run_.files, {sequences_.names, run_.stored()});
    }
    void write(const pairs::PairOutput& values, Progress& progress) override {
        const std::string measure(toString(run_.pairwise.measure));
        pairs::writeMatrixFiles(values, run_.outputs, run_.files, sequences_.names, {{"measure", measure}},
                                progress);
    }
    void draw(const pairs::PairStore& values, Progress& progress) override {
        const bool isScore = run_.isScore();
        pairs::PairPicture picture = pictureOf(
            isScore ? picture::ColorRange{} : picture::ColorRange{.minimum = 0, .maximum = 1}, report_.input);
        picture.quantity = std::string(toString(run_.pairwise.measure));
        picture.instance = "sequence";
        picture.isSimilarity = !run_.files.areDistances;
        picture.hasDiagonal = !isScore;
        pairs::drawPairs(run_.png, values, report_.names, picture, progress);
    }

  private:
    RunOptions run_;
    RunReport report_;
    Sequences sequences_;
};

struct GenerateOptions {
    RandomSequencesOptions sequences{.count = 0, .length = 0};
    bool isFamily = false;
    std::optional<double> divergence, gaps, shortest;

    Sequences make() const {
        if (isFamily) {
            RandomFamilyOptions family{.count = sequences.count,
                                       .length = sequences.length,
                                       .alphabet = sequences.alphabet,
                                       .seed = sequences.seed};
            return randomFamily(withShares(family));
        }
        return randomSequences(withShares(sequences));
    }
    std::string describe() const {
        return isFamily ? fmt::format("a family that descends from one of {} letters", sequences.length)
                        : fmt::format("each from an ancestor of {} letters, {} replaced", sequences.length,
                                      formatShare(withShares(sequences).divergence, 1));
    }
    std::string output;
    bool json = false;

  private:
    template <class Shares>
    Shares withShares(Shares all) const {
        all.divergence = divergence.value_or(all.divergence);
        all.gaps = gaps.value_or(all.gaps);
        all.shortest = shortest.value_or(all.shortest);
        return all;
    }
};

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    const std::vector<std::filesystem::path> files{options.output};
    checkOutputFiles(files, {});
    requireHostMemory(fmt::format("{} of {} letters", formatCount(options.sequences.count, "sequence"),
                                  options.sequences.length),
                      (options.isFamily ? 4.0 : 2.0) * static_cast<double>(options.sequences.count) *
                          static_cast<double>(options.sequences.length));
    const Sequences sequences = options.make();
    io::writeFasta(options.output, sequences.names, sequences.letters);
    context.clearProgressLine();
    printGenerated(context, options.json, "pairwise", declared, files,
                   fmt::format("{} ({}), {}; seed {}", formatCount(sequences.size(), "sequence"),
                               toString(sequences.alphabet), options.describe(), options.sequences.seed));
    return 0;
}

}  // namespace

CommandAction declarePairwise(Options& options) {
    auto command = std::make_shared<PairwiseCommand>();
    command->declare(options);
    return [command, &options](CommandContext& context) { return command->run(context, options); };
}

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    RandomSequencesOptions& sequences = generated->sequences;
    options.value("--sequences N", sequences.count, "Number of sequences").positive().required();
    options.value("--length L", sequences.length, "Length of the common ancestor in letters")
        .positive()
        .required();
    options.value("-o,--output FILE", generated->output, "The FASTA file to write; - is standard output")
        .required()
        .notASetting();
    options.choice("--alphabet A", sequences.alphabet, "Alphabet: protein, dna or rna");
    options.flag("--family", generated->isFamily,
                 "Family with a tree: each sequence descends from an earlier one; letters are replaced as in "
                 "BLOSUM62, at rates that vary by position; gaps occur in loops");
    options
        .value("--divergence SHARE", generated->divergence,
               "Share of the ancestor's letters that are replaced in each sequence; with --family, share of "
               "its direct ancestor's letters")
        .byDefault("0.6; 0.05 with --family")
        .within(0, 1);
    options
        .value("--gaps SHARE", generated->gaps,
               "Share of positions where 1 to 10 letters are deleted, and where as many are inserted; with "
               "--family, share of loops, with up to 40 letters, mostly few")
        .byDefault("0.02")
        .within(0, 1);
    options
        .value("--shortest SHARE", generated->shortest,
               "Minimum share of the ancestor that each sequence keeps")
        .byDefault("0.8; 1 with --family")
        .within(0, 1);
    options
        .value("--ambiguous SHARE", sequences.ambiguous, "Share of letters that stand for several residues")
        .within(0, 1);
    options.value("--seed S", sequences.seed, "Random seed; the same seed gives the same file");
    addJsonOption(options, generated->json);
    options.footer(
        "Each sequence depends only on the seed and its number.\n\n"
        "Examples:\n"
        "  glycine generate sequences --sequences 1000 --length 400 -o family.fa\n"
        "  glycine generate sequences --sequences 100000 --length 200 --family -o thousands.fa\n"
        "  glycine generate sequences --sequences 50 --length 2000 --alphabet dna --divergence 0.2 -o "
        "loci.fa");
    return [generated, &options](CommandContext& context) {
        if (generated->isFamily && options.isGiven("--ambiguous"))
            throw UsageError("--ambiguous is not for --family");
        return generate(context, options, *generated);
    };
}

}  // namespace glycine::pairwise

namespace glycine {

void register_pairwise();
void register_pairwise() {
    using namespace pairwise;
    AlgorithmRegistry::instance().add(pairwiseAlgorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "pairwise", "Algorithms", std::string(pairwiseAlgorithm().summary()), declarePairwise});
    commands.add({"generate", "sequences", "", "Generate random sequences of one family, for pairwise",
                  declareGenerate});
    study::addSubject(pairwiseSubject());
}

}  // namespace glycine
