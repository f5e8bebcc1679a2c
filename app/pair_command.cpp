#include "app/pair_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>

#include "app/device_shares.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/pairs/pair_part.hpp"
#include "engine/pairs/shared_selection.hpp"
#include "engine/pairs/stored_value.hpp"
#include "engine/pairs/tile_sharing.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/unfinished.hpp"
#include "engine/trees/clustering.hpp"

namespace glycine {

namespace {

constexpr NameTable<bool, 2> kOrders{{{false, "input"}, {true, "cluster"}}};

/// The pairs that may be recounted, for results that do not keep all pairs. They are known before the run.
class SampledPairs {
  public:
    SampledPairs(std::size_t instances, std::size_t references)
        : numbers_(Recount::sampledPairs(instances, references)),
          values_(numbers_.size()),
          areHeld_(numbers_.size()) {}
    /// From the values of (row, first), (row, first + 1), …, keeps those of sampled pairs. Threads may add
    /// different pairs concurrently.
    void add(std::size_t row, std::size_t first, std::span<const double> values) {
        const std::size_t begin = numberOf(row, first);
        for (std::size_t k = placeOf(begin); k < numbers_.size() && numbers_[k] < begin + values.size(); ++k)
            hold(k, values[numbers_[k] - begin]);
    }
    /// Adds the values of other processes to the lead's. All must call it, like completeParts().
    void moveToLead(ProcessTeam& team) {
        struct Held {
            std::size_t place;
            double value;
        };
        std::vector<Held> held;
        for (std::size_t k = 0; k < numbers_.size(); ++k)
            if (!team.leads() && areHeld_[k] != 0) held.push_back({k, values_[k]});
        glycine::moveToLead(team, held);
        for (const Held& one : held) hold(one.place, one.value);
    }
    std::span<const std::size_t> numbers() const { return numbers_; }
    double value(std::size_t row, std::size_t column) const {
        const std::size_t place = placeOf(numberOf(row, column));
        if (place == numbers_.size() || numbers_[place] != numberOf(row, column) || areHeld_[place] == 0)
            throw std::logic_error("a pair is counted again that was not to be kept");
        return values_[place];
    }

  private:
    static std::size_t numberOf(std::size_t row, std::size_t column) { return row * (row - 1) / 2 + column; }
    std::size_t placeOf(std::size_t number) const {
        return static_cast<std::size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) -
                                        numbers_.begin());
    }

    void hold(std::size_t place, double value) {
        values_[place] = value;
        areHeld_[place] = 1;
    }

    std::vector<std::size_t> numbers_;  ///< ascending
    std::vector<double> values_;
    std::vector<std::uint8_t> areHeld_;  ///< threads set different ones
};

/// A sink for a result that already has all tiles.
class TakenTiles final : public pairs::PairSink {
  public:
    bool has(const pairs::PairTile&) const override { return true; }
    void store(const pairs::PairTile&, MatrixView<const double>) override {
        throw std::logic_error("a tile was computed that a part has");
    }
};

}  // namespace

void addPairOutputs(Options& options, PairArguments& arguments, const std::string& endings) {
    options.value("-o,--output OUT", arguments.outputs, "Output, by file ending: " + endings)
        .repeated()
        .required()
        .notASetting()
        .formerly("--png", "-o FILE.png");
}

void declareTileOption(Options& options, std::size_t& tile) {
    options.value("--tile N", tile, "Side of the tiles in which the result is computed and stored")
        .byDefault("depends on the backend")
        .positive();
}

void addTileOptions(Options& options, std::size_t& tile, PairArguments& arguments,
                    const std::function<void()>& between) {
    declareTileOption(options, tile);
    addDevicesOption(options, arguments.backend);
    between();
    addPartOption(options, arguments.part);
    addRestartOption(options, arguments.restart);
}

Option& addOrderOption(Options& options, PairArguments& arguments, const std::string& more) {
    return options
        .choice("--order ORDER", arguments.isClustered, kOrders,
                "Order of the heat map: input, or cluster\n(leaves of a UPGMA tree, which is also written, "
                "as .nwk, with the order as .order.tsv)" +
                    more)
        .formerly("--png-order")
        .basic();
}

void addPictureOptions(Options& options, PairArguments& arguments, const std::string& more) {
    options
        .value("--groups FILE", arguments.groups,
               "Table of names and labels, such as populations: colours of pictures" + more)
        .basic();
    addRangeOption(options, arguments.picture.range, "the heat map's colours").byDefault("all values");
    options.choice("--colors NAME", arguments.picture.colors,
                   "Colours of the heat map: usual, reversed, grey or diverging (blue, white, red)");
}

std::string PairReport::describeValues() const {
    const auto pairName = [this](const std::size_t(&pair)[2]) {
        return fmt::format("{} – {}", names.at(pair[0]), names.at(pair[1]));
    };
    return fmt::format("{}: mean {}, smallest {} ({}), largest {} ({})", formatCount(summary.pairs, "pair"),
                       formatNumber(summary.mean), formatNumber(summary.smallest),
                       pairName(summary.smallestPair), formatNumber(summary.largest),
                       pairName(summary.largestPair));
}

void PairReport::addValues(Json& json) const {
    if (summary.pairs == 0) return;
    json["mean"] = summary.mean;
    json["smallest"] = summary.smallest;
    json["smallestPair"] = {summary.smallestPair[0], summary.smallestPair[1]};
    json["largest"] = summary.largest;
    json["largestPair"] = {summary.largestPair[0], summary.largestPair[1]};
}

void PairReport::addRun(Fields& fields, const pairs::RunOutcome& run) const {
    if (run.tiles > 1) fields.emplace_back("Tiles", describeParts(run.tiles, run.tilesResumed));
    if (!run.note.empty()) fields.emplace_back("", run.note);
    if (!run.shares.empty()) fields.emplace_back("Devices", describeShares(run.shares, "tile", "pairs"));
    addRecountField(fields, recount);
}

void PairReport::addRun(Json& json, const pairs::RunOutcome& run) const {
    json["tiles"] = run.tiles;
    json["tilesResumed"] = run.tilesResumed;
    if (!run.note.empty()) json["note"] = run.note;
    if (!run.shares.empty()) json["devices"] = sharesToJson(run.shares, "tiles", "pairs");
}

std::optional<RecountReport> recountPairs(const FoundPairs& found, const PairRecount& how,
                                          const BackendRequest& request, Progress& progress) {
    Recount recount(found.backend, request, "pair");
    RecountTime time = how.time;
    time.run = found.seconds;
    // The time may run out before the last pair.
    std::vector<std::size_t> numbers = recount.beginPairs(found.names.size(), time, found.references);
    if (found.holds)
        std::erase_if(numbers, [&](std::size_t number) {
            const pairs::PairTile pair = pairs::pairNumber(number);
            return !found.holds(pair.rows.begin, pair.columns.begin);
        });
    if (numbers.empty()) return recount.report();
    how.recountByReference(recount.reference(), numbers, progress, [&](const pairs::RecountedPair& pair) {
        try {
            recount.compare(found.variant, found.valueOf(pair.row, pair.column), pair.value,
                            pair.allowed + pairs::roundingOf(pair.value, found.type), [&] {
                                return fmt::format("{} of {} and {}", how.quantity, found.names[pair.column],
                                                   found.names[pair.row]);
                            });
        } catch (const WrongResultError& error) {
            throw WrongPairError(error, pair.row, pair.column);
        }
        return recount.continuesAfter(1);
    });
    return recount.report();
}

void addHostStages(std::vector<StagePlacement>& stages, const pairs::RunOutcome& run) {
    for (const pairs::HostStage& one : run.hostStages) {
        const StagePlacement placed{one.stage, one.reason, one.reason};
        const auto same = std::ranges::find(stages, one.stage, &StagePlacement::stage);
        if (same != stages.end()) {
            *same = placed;
            continue;
        }
        const auto last = std::find_if(stages.rbegin(), stages.rend(), [](const StagePlacement& stage) {
            return stage.gl.empty() && stage.cuda.empty();
        });
        stages.insert(last.base(), placed);
    }
}

double PairCommand::diagonal() const {
    return std::numeric_limits<double>::quiet_NaN();
}

std::string PairCommand::footer() const {
    const pairs::RunOutcome& run = outcome();
    return fmt::format("{} {} on {}, {}", describeBuild(), run.backend, run.device, run.variant);
}

pairs::PairPicture PairCommand::pictureOf(picture::ColorRange range, std::string title) {
    pairs::PairPicture picture = arguments().picture;
    if (!picture.range.isGiven()) picture.range = range;
    picture.isClustered = arguments().isClustered;
    picture.title = std::move(title);
    picture.footer = footer();
    return picture;
}

void PairCommand::endComputing(TimeLine& times) {
    const pairs::RunOutcome& run = outcome();
    report().stages = stages();
    addHostStages(report().stages, run);
    report().computeSeconds =
        times.divide({{"prepare", prepareSeconds()},
                      {"pack", run.times.pack},
                      {"upload", run.times.upload},
                      {"compute", run.times.compute},
                      {"download", run.times.download},
                      {.stage = "store", .seconds = run.storeSeconds, .overlapped = run.overlapSeconds}});
}

void PairCommand::recountSome(CommandContext& context, FoundPairs found) {
    found.variant = outcome().variant;
    found.names = report().names;
    found.seconds = report().computeSeconds;
    report().recount = recount(found, context.progress());
    context.times().end("recount");
}

void PairCommand::computeOrTakeFromParts(CommandContext& context, const Options& declared, Backend& backend,
                                         pairs::PairSink& sink) {
    if (context.parts() == nullptr) return compute(backend, sink, context.progress());
    requireIdentity(*context.parts(), pairs::identityOfPart(identity(declared, backend), format()));
    for (const auto& part : *context.parts()) pairs::handOver(*part, format().type, sink);
    TakenTiles taken;
    compute(backend, taken, context.progress());
}

ProcessTeam* PairCommand::sharingTeam() const {
    return format().layout.instances > tile() ? processTeam() : nullptr;
}

void PairCommand::requireDiskSpace(CommandContext& context, const pairs::PairOutput& values) const {
    std::vector<storage::ExpectedFile> files = expectedFiles();
    std::erase_if(files, [&](const storage::ExpectedFile& file) { return values.becomes(file.path); });
    glycine::requireDiskSpace(context, files);
}

void PairCommand::findPart(CommandContext& context, const Options& declared, Backend& backend, bool restart) {
    const storage::Part part = *arguments().part;
    pairs::PairPart values(arguments().first(), {part, commandOfPart(context), identity(declared, backend)},
                           format(), tile(), restart);
    context.times().end("open");
    fillPart(values.file(), [&] {
        {
            const pairs::PartAtWork atWork(part);
            compute(backend, values, context.progress());
        }
        context.clearProgressLine();
        endComputing(context.times());
        recountSome(context, {.backend = backend,
                              .valueOf = [&](std::size_t i, std::size_t j) { return values.value(i, j); },
                              .type = format().type,
                              .holds = [&](std::size_t i, std::size_t j) { return values.holds(i, j); }});
        report().summary = values.summary(diagonal());
    });
    context.times().end("write");
}

void PairCommand::selectPairs(CommandContext& context, const Options& declared, Backend& backend,
                              const SelectedPairs& selected) {
    const pairs::PairFormat kept = format();
    const bool isRectangle = kept.layout.layout == pairs::StoreLayout::Rectangle;
    const std::size_t references = isRectangle ? kept.layout.references : 0;
    SampledPairs sampled(kept.layout.instances, references);
    const pairs::SampledValues samples{
        sampled.numbers(), [&](std::size_t row, std::size_t first, std::span<const double> values) {
            sampled.add(row, first, values);
        }};
    std::optional<pairs::ClosePairs> close;
    std::optional<pairs::NearestPairs> nearest;
    if (selected.nearest)
        nearest.emplace(kept.layout.instances, kept.type, *selected.nearest, diagonal(), references, samples);
    else
        close.emplace(kept.layout.instances, kept.type, selected.largest.value(), diagonal(), references,
                      samples);
    pairs::PairSelection& selection = nearest ? static_cast<pairs::PairSelection&>(*nearest) : *close;
    ProcessTeam* const team = sharingTeam();
    try {
        std::optional<pairs::SharedSelection> shared;
        if (team != nullptr) {
            shared.emplace(selection, [&] { return identity(declared, backend); });
            context.times().end("open");
        }
        computeOrTakeFromParts(context, declared, backend, shared ? shared->sink() : selection);
        if (team != nullptr) {
            selection.moveToLead(*team);
            sampled.moveToLead(*team);
        }
    } catch (const CancelledError&) {
        throw CancelledError(
            "stopped; a run for close, nearest or related pairs alone keeps nothing: the next one starts "
            "from the beginning");
    }
    if (team != nullptr && !team->leads()) return;
    std::optional<DefaultThreads> threads;
    if (team != nullptr) useThreadsOfIdleProcesses(arguments().backend, threads);
    context.clearProgressLine();
    endComputing(context.times());
    recountSome(context, {.backend = backend,
                          .valueOf = [&](std::size_t i, std::size_t j) { return sampled.value(i, j); },
                          .type = kept.type,
                          .references = references});
    report().summary = selection.summary();
    if (nearest)
        writeNearest(*nearest, context.progress());
    else
        writeClose(*close, context.progress());
    context.times().end("write");
}

void PairCommand::findAllPairs(CommandContext& context, const Options& declared, Backend& backend,
                               bool restart) {
    TimeLine& times = context.times();
    std::optional<TeamAtWork> team;
    if (sharingTeam() != nullptr) team.emplace();
    pairs::PairOutput values(
        arguments().first(), format(), tile(), [&] { return identity(declared, backend); }, restart);
    if (processTeam() == nullptr || processTeam()->leads()) requireDiskSpace(context, values);
    times.end("open");
    discardIfWrong(values, [&] {
        values.fill([&](pairs::PairStore& store) {
            if (team && !processTeam()->leads()) return compute(backend, store, context.progress());
            pairs::SummarizedStore summarized(store, diagonal());
            computeOrTakeFromParts(context, declared, backend, summarized);
            summarized.addTilesOfOtherProcesses();
            report().summary = summarized.summary();
        });
    });
    std::optional<DefaultThreads> threads;
    if (team) useThreadsOfIdleProcesses(arguments().backend, threads);
    team.reset();
    if (processTeam() != nullptr && !processTeam()->leads()) return;
    context.clearProgressLine();
    endComputing(times);
    values.runKeepingValues([&] {
        discardIfWrong(values, [&] {
            const pairs::PairStore& store = values.store();
            recountSome(context, {.backend = backend,
                                  .valueOf = [&](std::size_t i, std::size_t j) { return store.value(i, j); },
                                  .type = store.valueType(),
                                  .store = &store,
                                  .references = store.references()});
        });
        if (!arguments().png.empty()) draw(values.store(), context.progress());
        if (arguments().isDrawnClustered())
            report().stages.push_back({"order of the heat map", kStageOfPicture, kStageOfPicture});
        times.end("draw");
        write(values, context.progress());
    });
    values.finish();
    times.end("write");
}

int PairCommand::run(CommandContext& context, const Options& declared) {
    PairArguments& given = arguments();
    PairReport& runReport = report();
    checkBackendUse(declared, algorithm(), given.backend);
    if (!drawsItself()) given.png = takePicture(given.outputs);
    for (const char* const option : {"--order", "--range", "--colors"})
        if (declared.isGiven(option) && given.png.empty())
            throw UsageError(fmt::format("{} is that of a heat map; add one: -o FILE.png", option));
    if (given.outputs.empty())
        for (const char* const option :
             {"--nearest", "--max-distance", "--sorted", "--header-line", "--molten", "--shape"})
            if (declared.isGivenIfKnown(option))
                throw UsageError(
                    fmt::format("{} is for files of values, not for pictures; add one: -o FILE.tsv", option));
    if (!given.groups.empty() && given.png.empty() && !drawsItself())
        throw UsageError("--groups is for pictures; add one: -o FILE.png");
    checkOptions(declared);
    io::PipedInputs pipes;
    given.file = pipes.fileOf(given.input);
    // The file contents may still depend on the data; contradictions between names and options do not.
    runReport.files = planFiles(declared);
    const ProcessTeam* const team = processTeam();
    const bool isStandardOutput = storage::isStandardOutput(given.first());
    const bool isPiped = given.file != given.input;
    if (team != nullptr) requireShared(given.part.has_value(), isStandardOutput, isPiped);
    if (given.part) {
        requirePartFiles(isStandardOutput, isPiped);
        runReport.files = {storage::partFile(given.first(), *given.part)};
    }
    std::vector<std::filesystem::path> inputs = inputFiles();
    if (!given.groups.empty()) inputs.emplace_back(given.groups);
    checkOutputFiles(runReport.files, inputs);
    pairs::setParts(partsOf(context, given.part) * (team == nullptr ? 1 : team->processes()));

    const DeviceAhead ahead(given.backend, given.file);
    TimeLine& times = context.times();
    times.end("startUp");
    read();
    times.end("read");
    context.progress().throwIfCancelled();
    completeForData(declared);
    given.picture.groups = pairs::readInstanceGroups(given.groups, runReport.names, runReport.notes);
    if (!given.groups.empty()) times.end("read");
    const BackendChoice choice = selectBackend(
        declared, given.backend, [this](Backend& backend) { return supports(backend); }, hostSeconds());
    Backend& backend = *choice.backend;
    completeForBackend(backend);
    runReport.options = &declared;
    runReport.times = &times;
    runReport.device = describeDevice(backend);
    runReport.backendReason = choice.reason;

    times.end("startUp");
    // Work outside the backend uses no more threads than the backend may.
    const ThreadsOf threads(backend);
    prepare(context.progress());
    times.end("prepare");
    const SelectedPairs selected = selectedPairs();
    if ((given.part || context.parts() != nullptr) && !reasonAgainstParts().empty())
        throw UsageError(fmt::format("no parts: {}", reasonAgainstParts()));
    const bool isKept = !selected.areSome() && !given.part;
    requireMemory(
        backend,
        isKept ? static_cast<double>(pairs::PairOutput::bytesInMemory(given.first(), format(), tile())) : 0,
        isKept && given.isDrawnClustered() ? trees::bytesBelowDiagonal(runReport.names.size()) : 0);
    if (team != nullptr && !team->leads() && sharingTeam() == nullptr) return 0;
    computeWithoutWrongDevices(
        backend,
        [&](bool isAgain) {
            const bool restart = given.restart || isAgain;
            if (given.part)
                findPart(context, declared, backend, restart);
            else if (isKept)
                findAllPairs(context, declared, backend, restart);
            else
                selectPairs(context, declared, backend, selected);
        },
        [this] { return std::span<const pairs::DeviceShare>(outcome().shares); });
    if (team != nullptr && !team->leads()) return 0;
    context.clearProgressLine();
    printRunReport(context, runReport, given.json);
    return 0;
}

}  // namespace glycine
