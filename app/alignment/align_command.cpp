#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/alignment/align_commands.hpp"
#include "app/alignment/align_options.hpp"
#include "app/pairwise/pair_recount.hpp"
#include "engine/alignment/add_to_alignment.hpp"
#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/clustal/quick_pairs.hpp"
#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/method.hpp"
#include "engine/alignment/posterior/posterior_checkpoint.hpp"
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/alignment/results/alignment_picture.hpp"
#include "engine/alignment/study/alignment_problem.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/count_range.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/names.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/io/trees/newick_reader.hpp"
#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/unfinished.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/trees/study/tree_subject.hpp"
#include "engine/trees/tree_algorithm.hpp"
#include "engine/trees/tree_engine.hpp"

namespace glycine::align {

namespace {

// ---- the report

/// The report of a `glycine align` run.
struct AlignRunReport final : RunHead {
    void print(std::ostream& out) const override;
    Json json() const override;

    std::string input;                        ///< name of the input
    std::vector<std::string> notes;           ///< about the input and trees
    std::vector<std::string> pictureNotes{};  ///< for pictures that are overviews
    std::size_t sequences = 0;
    Alphabet alphabet = Alphabet::Protein;
    std::size_t shortest = 0;  ///< in letters
    std::size_t longest = 0;
    std::string method;  ///< description of the method
    AlignmentReport run;
    std::size_t pairsResumed = 0;             ///< posteriors kept from an earlier run
    std::optional<AlignmentSummary> summary;  ///< only if there is an alignment

  private:
    std::string describeRate() const;
};

std::string AlignRunReport::describeRate() const {
    if (!run.pairs || !(run.pairs->times.compute > 0) || !(run.pairs->cellsComputed > 0)) return "";
    return fmt::format("; pairs at {} GCUPS",
                       formatNumber(run.pairs->cellsComputed / run.pairs->times.compute / 1e9));
}

void AlignRunReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back("Input",
                        fmt::format("{}: {} ({}), {} letters", input, formatCount(sequences, "sequence"),
                                    toString(alphabet), formatCounts(shortest, longest)));
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Method", method);
    if (run.choice)
        fields.emplace_back(
            "", fmt::format("{}: {}; chosen by --method auto", run.choice->name, run.choice->reason));
    if (run.pairs) {
        addDeviceFields(fields, *this, run.pairs->variant);
        if (run.pairs->tiles > 1)
            fields.emplace_back("Tiles", describeParts(run.pairs->tiles, run.pairs->tilesResumed));
        if (!run.pairs->note.empty()) fields.emplace_back("", run.pairs->note);
    } else if (!run.variant.empty()) {
        addDeviceFields(fields, *this, run.variant);
        if (pairsResumed > 0)
            fields.emplace_back("Pairs", describeParts(sequences * (sequences - 1) / 2, pairsResumed));
    }
    if (!run.note.empty()) fields.emplace_back("", run.note);
    addTimeField(fields, *this, describeRate());
    addRecountField(fields, recount);
    if (summary) {
        fields.emplace_back(
            "Alignment",
            fmt::format(
                "{} × {} columns, {} conserved; {} of the pairs of letters equal, {} gaps",
                formatCount(summary->rows), formatCount(summary->columns), formatCount(summary->conserved),
                formatShare(summary->identical, summary->pairs),
                formatShare(static_cast<double>(summary->gaps),
                            static_cast<double>(summary->rows) * static_cast<double>(summary->columns))));
    }
    for (const std::string& note : pictureNotes) fields.emplace_back("Picture", note);
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json AlignRunReport::json() const {
    Json json = runHeadJson("align", *this);
    json["input"] = input;
    json["notes"] = notes;
    if (!pictureNotes.empty()) json["pictures"] = pictureNotes;
    json["sequences"] = sequences;
    json["alphabet"] = toString(alphabet);
    json["shortest"] = shortest;
    json["longest"] = longest;
    json["method"] = method;
    if (run.choice)
        json["choice"] = {{"by", "--method auto"},
                          {"method", toString(run.choice->method)},
                          {"name", run.choice->name},
                          {"consistencyRounds", run.choice->consistencyRounds},
                          {"refinements", run.choice->refinements},
                          {"estimatedSeconds", run.choice->seconds},
                          {"budgetSeconds", run.choice->budgetSeconds},
                          {"reason", run.choice->reason}};
    if (run.pairs) {
        json["pairs"] = {{"backend", run.pairs->backend},
                         {"variant", run.pairs->variant},
                         {"cells", run.pairs->cells},
                         {"tiles", run.pairs->tiles},
                         {"tilesResumed", run.pairs->tilesResumed}};
        if (!run.pairs->note.empty()) json["pairs"]["note"] = run.pairs->note;
    }
    if (!run.variant.empty()) json["variant"] = run.variant;
    if (!run.note.empty()) json["note"] = run.note;
    if (pairsResumed > 0) json["pairsResumed"] = pairsResumed;
    if (summary)
        json["alignment"] = {{"rows", summary->rows},
                             {"columns", summary->columns},
                             {"conservedColumns", summary->conserved},
                             {"identity", summary->pairs > 0 ? summary->identical / summary->pairs : 0},
                             {"gaps", summary->gaps}};
    json["files"] = fileNames(files);
    return json;
}

/// Which parts of a stage of StageSeconds the host runs. `hasProfiles`: for profile alignment, as in ClustalW
/// and the thesis. `run`: see AlignmentReport.
std::vector<StagePlacement> partsOf(std::string_view stage, bool hasProfiles, const AlignmentReport& run) {
    constexpr std::string_view kOneByOne = "one join after another";
    constexpr std::string_view kSmall = "sooner done than sent";
    // A sum reads each posterior once.
    constexpr std::string_view kReadOnce = "sooner added up than sent";
    if (stage == "pairs") return {{"pairs", "", ""}};
    if (stage == "posteriors")
        return {{"posteriors", "", ""}, {"accuracies of those read back", kStageInDouble, kStageInDouble}};
    if (stage == "guide tree")
        return {{"guide tree", run.treeOnHost, run.treeOnHost},
                {"weights of the tree", kOneByOne, kOneByOne}};
    if (stage == "consistency") return {{"consistency", run.consistencyOnHost, ""}};
    if (stage == "progressive" && hasProfiles)
        return {{"large rounds of profiles", "", ""},
                {"small rounds of profiles", kSmall, kSmall},
                {"cuts and tracebacks", kOneByOne, kOneByOne}};
    if (stage == "progressive")
        return {{"sums of joins", kReadOnce, ""}, {"chains of joins", "", ""}, {"small joins", "", kSmall}};
    if (stage == "refinement")
        return {{"sums of refinement", kReadOnce, ""}, {"chains of refinement", "", ""}};
    if (stage == "confidence") return {{"confidence", kReadOnce, ""}};
    return {};
}

/// Assigns the time since the last mark to these stages, and records their recounts.
void endStages(TimeLine& times, const StageSeconds& stages, AlignRunReport& report, bool hasProfiles) {
    std::vector<TimedStage> parts;
    if (report.run.pairs && report.stages.empty()) report.stages = partsOf("pairs", hasProfiles, report.run);
    for (const auto& [stage, seconds] : stages) {
        parts.push_back({stage, seconds});
        if (stage == "pairs" && !report.stages.empty()) continue;
        const std::vector<StagePlacement> places = partsOf(stage, hasProfiles, report.run);
        report.stages.insert(report.stages.end(), places.begin(), places.end());
    }
    times.divide(std::move(parts));
}

std::string identify(const Options& declared, const AlignRun& run, const Sequences& sequences) {
    RunIdentity identity(declared);
    identity.add("sequences", fmt::format("{}", sequences.size()));
    identity.add("alphabet", toString(sequences.alphabet));
    identity.addContents("contents of the input", {run.file});
    identity.add("method", toString(run.options.method));
    identity.add("tile", fmt::format("{}", run.options.tile));
    return identity.text();
}

/// The method that runs, however it was chosen, so that auto can resume a run of accuracy with the same
/// method.
std::string describeChoice(const AlignRun& run) {
    const AlignOptions& options = run.options;
    return options.consistencyRounds
               ? fmt::format("{}, {} rounds of consistency, {} refinements", toString(options.method),
                             *options.consistencyRounds, *options.refinements)
               : std::string(toString(options.method));
}

/// Identity of a run's posteriors; rounding depends on the backend.
std::string identifyPosteriors(const Options& declared, const AlignRun& run, const Sequences& sequences,
                               const Backend& backend) {
    RunIdentity identity(declared);
    identity.add("sequences", fmt::format("{}", sequences.size()));
    identity.add("alphabet", toString(sequences.alphabet));
    identity.addContents("contents of the input", {run.file});
    identity.add("method", describeChoice(run));
    identity.add("backend", backend.name());
    identity.add("variant", run.backend.variant);
    if (const auto* host = dynamic_cast<const HostBackend*>(&backend))
        identity.add("instructions", toString(host->instructions()));
    return identity.text();
}

/// Replaces auto by a method. Chooses fast only on the processor, without an explicit variant, and if nothing
/// needs the distances of all pairs.
void settleMethod(const Options& declared, AlignRun& run, const Sequences& sequences,
                  AlignRunReport& report) {
    if (run.options.method != AlignMethod::Auto) {
        if (!run.method().hasPosteriors) return;
        const PosteriorAlignmentOptions how = posteriorOptionsOf(sequences.size(), run.options);
        run.options.consistencyRounds = how.consistencyRounds;
        run.options.refinements = how.refinements;
        return;
    }
    const std::string& backend = run.backend.backend;
    const bool needsPairs = run.stage == Stage::Pairwise || run.stage == Stage::Tree ||
                            run.needsDistances() || !run.confidenceFile.empty();
    const bool mayBeFast = !needsPairs && (backend.empty() || backend == "cpu" || backend == "reference") &&
                           !declared.isGiven("--variant") && !declared.isGiven("--device");
    report.run.choice = chooseMethod(sequences, run.options, mayBeFast);
    run.options = withChoice(std::move(run.options), *report.run.choice);
}

std::string describeMethod(const AlignRun& run) {
    std::string text(run.method().description);
    if (run.stage == Stage::Pairwise) return text + ", pairs alone";
    if (run.stage == Stage::Tree) text += ", guide tree alone";
    if (!run.distancesIn.empty()) text += fmt::format(", from the distances {}", run.distancesIn);
    if (run.isQuick) text += ", quick pairs";
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

/// Aligns pairs into `values`, and writes the outputs that need nothing else.
void computePairs(CommandContext& context, Backend& backend, AlignRun& run, const Sequences& sequences,
                  AlignRunReport& report, Recount& recount, pairs::PairOutput& values) {
    const pairwise::PairwiseOptions pairwise = pairsOf(sequences, run.options);
    Progress& progress = context.progress();
    discardIfWrong(values, [&] {
        values.fill([&](pairs::PairSink& sink) {
            report.run.pairs = pairwise::computePairwise(backend, sequences, pairwise, sink, progress);
        });
    });
    const pairwise::PairwiseReport& found = *report.run.pairs;
    const double seconds =
        context.times().divide({{"store", found.storeSeconds, found.overlapSeconds}}, "pairs");
    values.runKeepingValues([&] {
        discardIfWrong(values, [&] {
            recount.enter("pairs", "distance", report.run.pairs->variant);
            pairwise::recountPairs(
                recount, {sequences, pairwise, report.run.pairs->variant, seconds, values.store()}, progress);
        });
    });
    context.times().end("recount");
    run.options.distances = distancesOf(sequences, run.options.method, values.store());
}

/// Format in which distances are kept until they are written.
pairs::PairFormat distanceFormat(const AlignRun& run, std::size_t sequences) {
    return {.layout = {sequences,
                       run.stage == Stage::Pairwise
                           ? pairs::layoutOf(pairs::matrixFormat(run.distanceFiles.front(), kDistanceFiles),
                                             kDistanceFiles)
                           : pairs::StoreLayout::Triangle},
            .type = pairs::ValueType::Float64};
}

/// Stores the distances below the diagonal that an alignment produced.
void keepDistances(pairs::PairOutput& values, const std::vector<double>& distances, std::size_t sequences) {
    Matrix<double> square(sequences, sequences, 0);
    for (std::size_t j = 1, pair = 0; j < sequences; ++j)
        for (std::size_t i = 0; i < j; ++i, ++pair) square(j, i) = square(i, j) = distances[pair];
    values.fill([&](pairs::PairSink& sink) {
        sink.store({{0, sequences}, {0, sequences}}, std::as_const(square).view());
    });
}

/// Fills in 1 − distance.
void fillIdentities(pairs::PairStore& identities, const pairs::PairStore& distances) {
    constexpr std::size_t kSide = 512;
    for (const pairs::PairTile& tile : pairs::tilesBelowDiagonal(distances.instances(), kSide)) {
        Matrix<double> values(tile.rows.size(), tile.columns.size(), 0);
        distances.readBlock(tile.rows, tile.columns, values.view());
        for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = 1 - values.data()[k];
        identities.store(tile, std::as_const(values).view());
    }
}

void drawIdentities(const AlignRun& run, const AlignRunReport& report, const std::vector<std::string>& names,
                    const pairs::PairStore& distances, Progress& progress) {
    pairs::PairStore identities(
        {.layout = {distances.instances(), pairs::StoreLayout::Triangle}, .diagonal = 1});
    fillIdentities(identities, distances);
    pairs::drawPairs(run.drawn.at(kIdentities), identities, names,
                     {.quantity = std::string(run.method().similarity),
                      .instance = "sequence",
                      .isSimilarity = true,
                      .isClustered = true,
                      .range = {.minimum = 0, .maximum = 1},
                      .groups = run.sequenceGroups,
                      .title = fs::path(report.input).filename().string(),
                      .footer = fmt::format("{}; {}", describeBuild(), report.method)},
                     progress);
}

/// Throws InputError, before anything is computed, for sequence names that an output file of this run cannot
/// hold.
void checkOutputNames(const AlignRun& run, const std::vector<std::string>& names) {
    if (run.hasAlignment())
        for (const std::string& file : run.outputs)
            if (const std::optional<AlignmentFormat> format = alignmentFormat(file))
                checkNames(file, names, *format);
    pairs::checkNames(run.distanceFiles, kDistanceFiles, names);
}

/// Writes the results of the stage: alignments with their pictures, the tree, and, if there are `values` (the
/// distances of all pairs), outputs derived from them. Leaves of the tree are named `names`. Adds notes about
/// pictures and trees to the report.
void writeAlignResults(const AlignRun& run, AlignRunReport& report, const std::vector<std::string>& names,
                       const MultipleAlignment& alignment, const pairs::PairOutput* values,
                       CommandContext& context) {
    TimeLine& times = context.times();
    if (run.hasAlignment()) {
        // A reordered copy is made only if needed: many thousand rows dominate the memory.
        std::optional<MultipleAlignment> ordered;
        if (run.order != RowOrder::Input) {
            requireHostMemory("the rows in another order", static_cast<double>(alignment.size()) *
                                                               static_cast<double>(alignment.columns()));
            ordered = inOrder(alignment, run.order);
        }
        const MultipleAlignment& rows = ordered ? *ordered : alignment;
        const AlignmentPicture picture{.title = fs::path(report.input).filename().string(),
                                       .footer = fmt::format("{}; {}", describeBuild(), report.method)};
        if (!run.confidenceFile.empty()) writeConfidence(run.confidenceFile, rows);
        for (const std::string& file : run.outputs) {
            if (const std::optional<AlignmentFormat> format = alignmentFormat(file)) {
                writeAlignment(file, rows, *format);
                times.end("write");
                continue;
            }
            if (isHtmlFile(file))
                writeAlignmentHtml(file, rows, picture);
            else if (std::string note = writeAlignmentPicture(file, rows, picture); !note.empty())
                report.pictureNotes.push_back(std::move(note));
            times.end("draw");
        }
    }
    for (const std::string& file : run.treeFiles)
        if (std::string note = writeTree(file, alignment.guideTree, names, isClustalWTree(file));
            !note.empty())
            report.notes.push_back(std::move(note));
    times.end("write");
    if (values == nullptr) return;
    pairs::writeMatrixFiles(*values, run.distanceFiles, kDistanceFiles, names, {{"measure", "distance"}},
                            context.progress());
    times.end("write");
    if (!run.drawn.empty()) drawIdentities(run, report, names, values->store(), context.progress());
    times.end("draw");
}

/// Adds the number and lengths of the sequences to the report.
void describeSequences(AlignRunReport& report, const Sequences& sequences) {
    report.sequences = sequences.size();
    report.alphabet = sequences.alphabet;
    const auto [shortest, longest] = std::ranges::minmax_element(sequences.letters, {}, &std::string::size);
    report.shortest = shortest->size();
    report.longest = longest->size();
}

/// The sequences to add, and the alignment that they are added to.
struct AddInput {
    MultipleAlignment base;
    MultipleAlignment added;
};

AddInput readBoth(const AlignRun& run, AlignRunReport& report) {
    ReadAlignment base = readAlignment(run.to, {.alphabet = run.reading.alphabet});
    AddInput input{.base = std::move(base.alignment), .added = {}};
    report.notes = std::move(base.notes);
    const std::optional<Alphabet> alphabet = run.reading.alphabet.value_or(input.base.alphabet);
    if (run.isProfile) {
        ReadAlignment added = readAlignment(run.file, {.alphabet = alphabet});
        input.added = std::move(added.alignment);
        for (std::string& note : added.notes) report.notes.push_back(std::move(note));
    } else {
        ReadSequences added = readUnaligned(run.file, {.alphabet = alphabet, .fewest = 1});
        input.added.alphabet = added.sequences.alphabet;
        input.added.names = std::move(added.sequences.names);
        input.added.rows = std::move(added.sequences.letters);
        for (std::string& note : added.notes) report.notes.push_back(std::move(note));
    }
    std::vector<std::string> names = input.base.names;
    names.insert(names.end(), input.added.names.begin(), input.added.names.end());
    if (const auto repeated = firstRepeated(names))
        throw InputError(fmt::format("{}: '{}' is in {} already; expected new names", run.input,
                                     excerpt(names[repeated->second]), run.to));
    return input;
}

/// Adds the input to an existing alignment.
int runAdd(CommandContext& context, const Options& declared, AlignRun& run, AlignRunReport& report) {
    Progress& progress = context.progress();
    const DeviceAhead ahead(run.backend);
    TimeLine& times = context.times();
    times.end("startUp");
    const AddInput input = readBoth(run, report);
    times.end("read");
    const Sequences both = sequencesOfBoth(input.base, input.added);
    checkOutputNames(run, both.names);
    const BackendChoice choice = selectBackend(declared, run.backend, [&](Backend& backend) {
        return pairwise::supportsPairwise(backend, both, pairsOf(both, run.options));
    });
    const ThreadsOf threads(*choice.backend);
    report.options = &declared;
    report.times = &times;
    report.device = describeDevice(*choice.backend);
    report.backendReason = choice.reason;
    report.input = run.input;
    describeSequences(report, both);
    report.method = fmt::format("clustalw (ClustalW 2.1's profiles): {} added to the {} of {}{}",
                                formatCount(input.added.size(), "sequence"), input.base.size(), run.to,
                                run.isProfile ? ", as a profile" : "");
    Recount recount(*choice.backend, run.backend, "pair", "with reference and cpu");
    const std::size_t base = input.base.size();
    AddOptions how{.variant = run.options.variant,
                   .tile = run.options.tile,
                   .asGroup = run.isProfile,
                   .recount = &recount};
    how.afterPairs = [&](const pairwise::PairwiseOptions& pairwise, const pairwise::PairwiseReport& pairs,
                         double seconds, const pairs::PairStore& store) {
        recount.enter("pairs", "distance", pairs.variant);
        pairwise::recountPairs(recount,
                               {both, pairwise, pairs.variant, seconds, store,
                                [&](std::size_t row, std::size_t column) {
                                    return row >= base && (!run.isProfile || column < base);
                                }},
                               progress);
    };
    times.end("startUp");
    AlignmentResult result = addToAlignment(*choice.backend, input.base, input.added, how, progress);
    report.recount = recount.report();
    report.run = std::move(result.report);
    endStages(times, report.run.stages, report, true);
    report.summary = summarize(result.alignment);
    times.end("summarize");
    writeAlignResults(run, report, both.names, result.alignment, nullptr, context);
    context.clearProgressLine();
    printRunReport(context, report, run.json);
    return 0;
}

int runAlign(CommandContext& context, const Options& declared, AlignRun& run) {
    checkAlignOptions(declared, run);
    checkBackendUse(declared, run.method().alignsPairs ? pairwise::pairwiseAlgorithm() : alignAlgorithm(),
                    run.backend);
    io::PipedInputs pipes;
    run.file = pipes.fileOf(run.input);
    AlignRunReport report;
    report.files = filesOf(run);
    std::vector<fs::path> inputs{run.file};
    for (const std::string& file : {run.treeIn, run.distancesIn, run.to, run.groups})
        if (!file.empty()) inputs.emplace_back(file);
    checkOutputFiles(report.files, inputs);
    if (!run.to.empty()) return runAdd(context, declared, run, report);

    const DeviceAhead ahead(run.backend);
    TimeLine& times = context.times();
    times.end("startUp");
    ReadSequences read = readUnaligned(run.file, run.reading);
    const Sequences& sequences = read.sequences;
    report.notes = std::move(read.notes);
    checkOutputNames(run, sequences.names);
    run.sequenceGroups = pairs::readInstanceGroups(run.groups, sequences.names, report.notes);
    settleMethod(declared, run, sequences, report);
    if (!run.treeIn.empty()) readGuideTree(run, sequences, report.notes);
    Progress& progress = context.progress();
    if (!run.distancesIn.empty()) readDistances(run, sequences, progress);
    times.end("read");
    if (run.isQuick) {
        run.options.distances =
            clustalw::quickDistances(sequences, clustalw::quickRules(sequences.alphabet), progress);
        times.end("pairs");
    }
    progress.throwIfCancelled();
    const BackendChoice choice = selectBackend(declared, run.backend, [&](Backend& backend) {
        return supportsAlignment(backend, sequences, run.options);
    });
    const ThreadsOf threads(*choice.backend);
    report.options = &declared;
    report.times = &times;
    report.device = describeDevice(*choice.backend);
    report.backendReason = choice.reason;
    report.input = run.input;
    describeSequences(report, sequences);
    report.method = describeMethod(run);
    Recount recount(*choice.backend, run.backend, "pair", "with reference and cpu");
    run.options.recount = &recount;
    times.end("startUp");

    const bool hasPosteriors = run.method().hasPosteriors;
    MultipleAlignment alignment;
    std::vector<double> distances;
    const auto finish = [&](const pairs::PairOutput* values) {
        if (run.stage == Stage::Tree && !hasPosteriors) {
            trees::TreeDevice device(*choice.backend, run.options.recount);
            alignment.guideTree = guideTreeOf(sequences.size(), run.options.method, *run.options.distances,
                                              progress, run.options.treeMethod, &device);
            times.end("guide tree");
            if (report.run.pairs) report.stages = partsOf("pairs", true, report.run);
            report.stages.push_back({"guide tree", device.reason(), device.reason()});
        } else if (run.hasAlignment() || hasPosteriors) {
            AlignmentResult result = computeAlignment(*choice.backend, sequences, run.options, progress);
            alignment = std::move(result.alignment);
            distances = std::move(result.distances);
            report.run.treeOnHost = result.report.treeOnHost;
            report.run.consistencyOnHost = result.report.consistencyOnHost;
            endStages(times, result.report.stages, report, !hasPosteriors);
            report.run.variant = result.report.variant;
            report.run.note = result.report.note;
            if (run.hasAlignment()) report.summary = summarize(alignment);
            times.end("summarize");
        }
        report.recount = recount.report();
        if (hasPosteriors && run.needsDistances()) {
            const std::size_t n = sequences.size();
            pairs::PairOutput kept(
                run.first(), distanceFormat(run, n), n, [&] { return identify(declared, run, sequences); },
                true);
            keepDistances(kept, distances, n);
            writeAlignResults(run, report, sequences.names, alignment, &kept, context);
            kept.finish();
        } else {
            writeAlignResults(run, report, sequences.names, alignment, values, context);
        }
        times.end("write");
    };
    if (hasPosteriors && !storage::isStandardOutput(run.first())) {
        const fs::path first = run.first();
        PosteriorCheckpoint kept(first, identifyPosteriors(declared, run, sequences, *choice.backend),
                                 run.restart);
        times.end("open");
        run.options.kept = &kept;
        try {
            finish(nullptr);
        } catch (const CancelledError&) {
            if (kept.outlivesStop()) throw storage::resumableStop("pairs", first);
            throw;
        } catch (const InputError&) {
            kept.discard();
            throw;
        }
        report.pairsResumed = kept.resumed();
        if (!kept.failure().empty())
            report.notes.push_back(
                fmt::format("nothing was kept for a run after a stop: {}", kept.failure()));
        kept.discard();
    } else if (run.hasPairs()) {
        if (run.hasAlignment()) requireAlignmentMemory(sequences, run.options);
        run.options.tile = pairwise::tileSide(*choice.backend, sequences, pairsOf(sequences, run.options));
        const fs::path first = run.first();
        const pairs::PairFormat format = distanceFormat(run, sequences.size());
        const double n = static_cast<double>(sequences.size());
        requireHostMemory(
            fmt::format("the distances of all pairs of {} sequences", sequences.size()),
            static_cast<double>(pairs::PairOutput::bytesInMemory(first, format, run.options.tile)) +
                4 * n * n / 2 * sizeof(double));
        pairs::PairOutput values(
            first, format, run.options.tile, [&] { return identify(declared, run, sequences); }, run.restart);
        times.end("open");
        computePairs(context, *choice.backend, run, sequences, report, recount, values);
        values.runKeepingValues([&] { discardIfWrong(values, [&] { finish(&values); }); });
        values.finish();
        times.end("write");
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
    declareAlignOptions(options, *run);
    return [run, &options](CommandContext& context) { return runAlign(context, options, *run); };
}

}  // namespace glycine::align

namespace glycine {

void register_alignment();
void register_alignment() {
    using namespace align;
    AlgorithmRegistry::instance().add(alignAlgorithm());
    AlgorithmRegistry::instance().add(trees::treeAlgorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "align", "Algorithms",
                  "Align protein, DNA or RNA sequences: multiple sequence alignment", declareAlign});
    commands.add({"", "tree", "Algorithms",
                  "Build trees from aligned sequences or distances: neighbour joining, UPGMA, bootstrap",
                  declareTree});
    study::addSubject(alignSubject());
    study::addSubject(trees::treeSubject());
}

}  // namespace glycine
