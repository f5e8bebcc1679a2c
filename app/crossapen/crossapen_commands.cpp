#include <fmt/format.h>

#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/crossapen/compute_subjects.hpp"
#include "app/crossapen/crossapen_report.hpp"
#include "app/crossapen/output_plan.hpp"
#include "app/crossapen/run_options.hpp"
#include "app/device_shares.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/command/run_report.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/groups/group_comparison.hpp"
#include "engine/crossapen/input/signals.hpp"
#include "engine/crossapen/random_signals.hpp"
#include "engine/crossapen/results/regions.hpp"
#include "engine/crossapen/results/result_files.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/crossapen/results/value_store.hpp"
#include "engine/crossapen/study/pair_problem.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/recordings/edf.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/unfinished.hpp"
#include "engine/storage/working_file.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::crossapen {

namespace fs = std::filesystem;

namespace {

/// Writes the JSON report to a file.
void writeSummary(const std::filesystem::path& path, const RunReport& report) {
    writeJson(path, report.json());
}

/// Inspects all files before the first one is computed.
std::vector<SubjectFile> inspectFiles(const RunOptions& options, const SignalOptions& signals) {
    const std::vector<fs::path>& paths = options.files;
    const std::vector<std::string> names = distinctNames(paths);
    std::vector<SubjectFile> files;
    for (std::size_t i = 0; i < paths.size(); ++i)
        files.push_back({paths[i], names[i], inspectSignals(paths[i], signals)});
    return files;
}

/// Checks the memory for each file, whose signals are held in full.
void requireMemory(const std::vector<SubjectFile>& files, std::size_t epochSamples) {
    for (const SubjectFile& file : files) {
        const SignalSetShape& shape = file.shape;
        requireHostMemory(fmt::format("{}: {} channels in {} epochs of {} samples", file.name,
                                      shape.channels.size(), shape.epochs.size(), epochSamples),
                          bytesOfSignals(file, epochSamples));
    }
}

Support supportsAll(Backend& backend, const EntropyOptions& options, const std::vector<SubjectFile>& files,
                    std::size_t samples) {
    std::size_t channels = 0;
    for (const SubjectFile& file : files) channels = std::max(channels, file.shape.channels.size());
    return supportsEntropies(backend, options, channels, samples);
}

RunIdentity identify(const Options& declared, const SubjectOptions& options,
                     const std::vector<SubjectFile>& files, const Backend& backend) {
    RunIdentity identity(declared);
    // Match counts are the same on all backends; sums of memberships depend on the backend's order.
    if (options.entropy.measure == Measure::CrossFuzzyEn) identity.add("backend", backend.name());
    if (!options.signals.artefacts.empty())
        identity.addContents("contents of the artefact list", {options.signals.artefacts});
    for (const SubjectFile& file : files) {
        identity.add(file.name, fmt::format("{} channels, {} epochs", file.shape.channels.size(),
                                            file.shape.epochs.size()));
        identity.addContents(fmt::format("contents of {}", file.name), signalFiles(file.path));
    }
    return identity;
}

/// Whether nothing is gained by keeping finished epochs in a file, or by sharing them among processes.
bool isOneTile(const SubjectOptions& options, const std::vector<SubjectFile>& files, const Backend& backend) {
    if (files.size() > 1) return false;
    if (processTeam() != nullptr && processTeam()->processes() > 1)
        return files.front().shape.epochs.size() == 1;
    return tileEpochs(backend, options.entropy, files.front().shape.channels.size(),
                      options.signals.epochSamples) >= files.front().shape.epochs.size();
}

std::unique_ptr<ValueStore> makeStore(const Options& declared, const RunOptions& run,
                                      const std::vector<SubjectFile>& files, const Backend& backend,
                                      const OutputPlan& plan) {
    const SubjectOptions& options = run.subjects;
    std::vector<StoredFile> stored;
    for (const SubjectFile& file : files)
        stored.push_back({file.shape.epochs.size(), epochShape(options.entropy, file.shape.channels.size())});
    // Standard output has no place for working files.
    if (plan.unfinished.empty() ||
        (isOneTile(options, files, backend) && !storage::hasUnfinishedRun(plan.unfinished)))
        return std::make_unique<ValueStore>(std::move(stored));
    return std::make_unique<ValueStore>(plan.unfinished, identify(declared, options, files, backend).text(),
                                        std::move(stored), run.restart);
}

/// Writes the results of all subjects; archives of single subjects are written earlier, as they finish.
/// `drawn`: the subjects, or their summaries by region.
void writeResults(const OutputPlan& plan, const RunReport& report, std::span<const SubjectEntropies> drawn,
                  const EntropyOptions& options, const picture::ColorRange& range, TimeLine& times) {
    const std::vector<SubjectEntropies>& subjects = report.subjects;
    for (const fs::path& file : plan.npz) writeSubjectNpz(file, subjects.front(), report.parameters);
    for (const fs::path& file : plan.npy) writeSubjectNpy(file, subjects.front());
    for (const fs::path& file : plan.longCsv) writeLongCsv(file, subjects);
    for (const fs::path& file : plan.squareCsv) writeSquareCsv(file, subjects.front());
    times.end("write");
    const std::string settings =
        fmt::format(", m = {}{}{}", options.rule.m,
                    options.rule.delay > 1 ? fmt::format(", τ = {}", options.rule.delay) : "",
                    isOfPatterns(options.measure) ? "" : fmt::format(", r = {}", describeTolerance(options)));
    const std::string title = drawn.front().quantities.front().label + settings;
    const std::string footer = fmt::format("{} {} on {}, {}", describeBuild(), report.device.backend,
                                           report.device.device, report.entropies.variant);
    for (const fs::path& file : plan.pictures) drawSubjects(file, drawn, title, footer, range);
    for (const fs::path& file : plan.scalps)
        drawScalp(file, subjects, subjects.front().quantities.front().label + settings, footer, range);
    times.end("draw");
    if (!report.groups) return;
    writeGroupCsv(plan.groupCsv, *report.groups);
    writeGroupNpz(plan.groupNpz, *report.groups);
    times.end("write");
    drawGroups(plan.groupPicture, *report.groups, title, footer, range);
    times.end("draw");
}

/// Rejects pictures that would be too large, before anything is computed.
void checkPictures(const OutputPlan& plan, const std::vector<SubjectFile>& files,
                   const EntropyOptions& options) {
    if (plan.pictures.empty()) return;
    std::vector<SubjectEntropies> empty(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        empty[i].name = files[i].name;
        empty[i].channels = files[i].shape.channels;
        const std::size_t channels = empty[i].channels.size();
        EntropyMatrix& quantity = empty[i].quantities.emplace_back();
        quantity.mean = Matrix<double>(channels, isOfSingleChannels(options.measure) ? 1 : channels, 0);
    }
    for (const fs::path& file : plan.pictures) checkPicture(file, empty);
}

/// Sizes of the files with values of pairs; pictures and summaries are small.
std::vector<storage::ExpectedFile> expectedFiles(const OutputPlan& plan,
                                                 const std::vector<SubjectFile>& files,
                                                 const SubjectOptions& options) {
    const std::vector<Quantity> quantities = quantitiesOf(options.entropy);
    std::vector<ExpectedSubject> subjects;
    for (const SubjectFile& file : files)
        subjects.push_back({file.name, file.shape.channels, quantities,
                            epochShape(options.entropy, file.shape.channels.size()), file.shape.epochs.size(),
                            options.keepEpochs});
    std::vector<storage::ExpectedFile> expected;
    for (std::size_t i = 0; i < plan.folderNpz.size(); ++i)
        expected.push_back(expectedNpz(plan.folderNpz[i], subjects[i]));
    for (const fs::path& file : plan.npz) expected.push_back(expectedNpz(file, subjects.front()));
    for (const fs::path& file : plan.npy) expected.push_back(expectedNpy(file, subjects.front()));
    for (const fs::path& file : plan.longCsv) expected.push_back(expectedLongCsv(file, subjects));
    for (const fs::path& file : plan.squareCsv) expected.push_back(expectedSquareCsv(file, subjects.front()));
    return expected;
}

int runCrossApEn(CommandContext& context, const Options& declared, RunOptions& options) {
    checkBackendUse(declared, algorithm(), options.backend);
    completeRunOptions(declared, options);
    const SubjectOptions& what = options.subjects;
    checkOptions(what.entropy, what.signals.epochSamples);
    io::PipedInputs pipes;
    options.files.clear();
    bool isPiped = false;
    for (const std::string& input : options.inputs) {
        options.files.emplace_back(pipes.fileOf(input));
        isPiped = isPiped || options.files.back() != input;
    }
    const DeviceAhead ahead(options.backend);
    TimeLine& times = context.times();
    times.end("startUp");
    const std::vector<SubjectFile> files = inspectFiles(options, what.signals);
    requireMemory(files, what.signals.epochSamples);
    std::vector<std::string> names;
    std::vector<fs::path> inputs;
    for (const SubjectFile& file : files) {
        names.push_back(file.name);
        for (const fs::path& input : signalFiles(file.path)) inputs.push_back(input);
    }
    const bool hasTable = options.regions != kRegionsByName;
    for (const fs::path& table :
         {fs::path(options.groups), fs::path(hasTable ? options.regions : ""), what.signals.artefacts})
        if (!table.empty()) inputs.push_back(table);
    if (!options.regions.empty())
        for (const SubjectFile& file : files) regionsOf(file.shape.channels, options.regions);
    std::optional<GroupTable> groups;
    if (!options.groups.empty()) {
        groups = readGroupTable(options.groups, options.files);
        for (const SubjectFile& file : files)
            matchChannels({files.front().name, files.front().shape.channels},
                          {file.name, file.shape.channels});
    }
    const OutputPlan plan =
        planOutputs({options.outputs, options.square, groups.has_value(),
                     std::all_of(files.begin(), files.end(),
                                 [](const SubjectFile& file) { return hasScalp(file.shape); }),
                     what.keepEpochs, options.drawn.contains(kScalp) ? options.drawn.at(kScalp) : fs::path()},
                    names);

    if (options.part) requirePartFiles(plan.unfinished.empty(), isPiped);
    if (processTeam() != nullptr) requireShared(options.part.has_value(), plan.unfinished.empty(), isPiped);
    checkPictures(plan, files, what.entropy);
    times.end("read");

    const BackendChoice choice = selectBackend(declared, options.backend, [&](Backend& backend) {
        return supportsAll(backend, what.entropy, files, what.signals.epochSamples);
    });
    Backend& backend = *choice.backend;
    const DeviceCrew* const crew = backend.crew();
    if (crew != nullptr && !options.part && context.parts() == nullptr)
        requireHostMemory(
            fmt::format("the signals that {} hold at once", formatCount(crew->devices.size(), "device")),
            bytesOfSignalsAtOnce(files, what.signals.epochSamples, *crew));
    const OutputFolder folder(plan.folder);
    checkOutputFiles(
        options.part ? std::vector{storage::partFile(plan.unfinished, *options.part)} : plan.files(), inputs,
        {plan.unfinished});
    // A part has a store of its own, which claims its room.
    if (!options.part && (processTeam() == nullptr || processTeam()->leads()))
        requireDiskSpace(context, expectedFiles(plan, files, what));

    RunReport report;
    report.options = &declared;
    report.times = &times;
    times.end("startUp");
    report.parameters = describeParameters(declared, what.entropy);
    std::optional<Recount> recount;
    const auto begin = [&] {
        report.entropies = {};
        recount.emplace(backend, options.backend,
                        isOfSingleChannels(what.entropy.measure) ? "channel epoch" : "pair",
                        "with reference and cpu");
    };
    const auto describe = [&] {
        context.clearProgressLine();
        report.device = describeDevice(backend);
        report.stages = stagesOf(report.device, report.entropies.variant, what);
        report.backendReason = choice.reason;
        report.recount = recount->report();
    };
    if (options.part) {
        if (backend.crew() != nullptr)
            throw UsageError("one device computes a part of crossapen; expected a --part for each device");
        storage::PartStore part(
            plan.unfinished,
            {*options.part, commandOfPart(context), identify(declared, what, files, backend).text()},
            tilesOfPart(*options.part, files, what.entropy), options.restart);
        times.end("open");
        begin();
        fillPart(part, [&] { computePart(context, backend, files, what, part, *recount, report.entropies); });
        describe();
        report.files = {part.path()};
        times.end("write");
        printRunReport(context, report, options.json);
        return 0;
    }
    // The lead computes a single epoch alone.
    const bool isShared = processTeam() != nullptr && !isOneTile(what, files, backend);
    if (processTeam() != nullptr && !isShared && !processTeam()->leads()) return 0;
    std::unique_ptr<ValueStore> store;
    const auto compute = [&](bool isAgain) {
        store.reset();
        options.restart |= isAgain;
        std::optional<TeamAtWork> team;
        if (isShared) team.emplace();
        store = makeStore(declared, options, files, backend, plan);
        times.end("open");
        begin();
        try {
            std::size_t kept = 0;
            for (std::size_t f = 0; f < files.size(); ++f)
                for (std::size_t e = 0; e < files[f].shape.epochs.size(); ++e)
                    kept += store->has(f, e) ? 1 : 0;
            EntropyReport shared;
            const bool haveShared = team || (backend.crew() != nullptr && context.parts() == nullptr);
            ReadFile last;
            if (haveShared)
                report.shares = computeShared(context, backend, files, what, *store, shared, &last);
            team.reset();
            if (processTeam() != nullptr && !processTeam()->leads()) return;
            if (context.parts() != nullptr) {
                requireIdentity(*context.parts(), identify(declared, what, files, backend).text());
                handOver(*context.parts(), files, what.entropy, *store);
            }
            report.subjects = computeSubjects(
                context, backend, files, what, *store, *recount, report.entropies,
                [&](const SubjectEntropies& subject) {
                    if (plan.folder.empty()) return;
                    const auto index = static_cast<std::size_t>(
                        std::find(names.begin(), names.end(), subject.name) - names.begin());
                    writeSubjectNpz(plan.folderNpz[index], subject, report.parameters);
                    times.end("write");
                },
                std::move(last));
            if (haveShared) {
                addReport(report.entropies, shared);
                report.entropies.epochs -= shared.epochs;
                report.entropies.epochsResumed = kept;
            }
            describe();
            std::vector<SubjectEntropies> regional;
            if (!options.regions.empty())
                for (const SubjectEntropies& subject : report.subjects)
                    regional.push_back(byRegion(subject, regionsOf(subject.channels, options.regions)));
            const std::vector<SubjectEntropies>& shown = regional.empty() ? report.subjects : regional;
            if (groups) {
                report.groups = compareGroups(shown, *groups, options.alpha, options.clusters);
                report.stages.push_back({"comparison of groups", kStageWithoutKernel, kStageWithoutKernel});
            }
            times.end("compare");
            writeResults(plan, report, shown, what.entropy, options.range, times);
            report.files = plan.files();
            for (const fs::path& file : plan.summaries) writeSummary(file, report);
        } catch (const WrongResultError&) {
            storage::requireIntactWorkingFiles();
            store->discard();
            throw;
        } catch (const CancelledError&) {
            if (plan.unfinished.empty() || !store->outlivesStop()) throw;
            throw storage::resumableStop("epochs", plan.unfinished);
        }
    };
    computeWithoutWrongDevices(backend, compute,
                               [&] { return std::span<const pairs::DeviceShare>(report.shares); });
    if (processTeam() != nullptr && !processTeam()->leads()) return 0;
    store->discard();
    times.end("write");

    printRunReport(context, report, options.json);
    return 0;
}

struct GenerateOptions {
    std::size_t channels = 0;
    std::size_t samples = 1024;  ///< per epoch
    std::size_t epochs = 1;
    double rate = 160;
    std::uint64_t seed = 1;
    SignalModel model;
    std::string output;
    bool json = false;
};

std::vector<std::string> channelNames(std::size_t channels) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < channels; ++k) names.push_back(fmt::format("c{}", k + 1));
    return names;
}

void writeNpySignals(const GenerateOptions& options, const Matrix<double>& signals) {
    io::writeNpy<double>(options.output, signals.view());
}

/// One line per sample, one column per channel; enough digits to restore the numbers exactly.
void writeCsvSignals(const GenerateOptions& options, const Matrix<double>& signals) {
    constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
    storage::AtomicFile file(options.output);
    std::string text = fmt::format("{}\n", fmt::join(channelNames(signals.rows()), ","));
    for (std::size_t i = 0; i < signals.columns(); ++i) {
        for (std::size_t k = 0; k < signals.rows(); ++k)
            fmt::format_to(std::back_inserter(text), "{}{}", k == 0 ? "" : ",", signals(k, i));
        text += '\n';
        if (text.size() < kBufferBytes) continue;
        file.write(text);
        text.clear();
    }
    file.write(text);
    file.commit();
}

void writeEdfSignals(const GenerateOptions& options, const Matrix<double>& signals) {
    io::EdfDescription description;
    description.recording = fmt::format("generated: {}, coupling {}, seed {}", toString(options.model.kind),
                                        options.model.coupling, options.seed);
    description.samplingRate = options.rate;
    description.labels = channelNames(signals.rows());
    description.units.assign(signals.rows(), "");
    io::writeEdf(options.output, description, signals.view());
}

struct SignalFormat {
    std::string_view extension;
    void (*write)(const GenerateOptions&, const Matrix<double>&);
};
constexpr SignalFormat kFormats[] = {
    {".edf", writeEdfSignals}, {".npy", writeNpySignals}, {".csv", writeCsvSignals}};

const SignalFormat& formatOf(const std::filesystem::path& path) {
    const std::string extension =
        storage::isStandardOutput(path) ? ".csv" : lowerCase(path.extension().string());
    for (const SignalFormat& format : kFormats)
        if (extension == format.extension) return format;
    throw UsageError(
        fmt::format("{}: the name of generated signals ends in .edf, .npy or .csv", path.string()));
}

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    const SignalFormat& format = formatOf(options.output);
    declared.requireReaders(
        {"output", {std::string(format.extension)}, fmt::format("{} is none", options.output)});
    declared.requireReaders({"channels", {options.channels > 1 ? "several" : "one"}, "there is one"});
    checkOutputFiles({options.output}, {});
    constexpr std::size_t kMaxSamples = std::size_t{1} << 34;
    if (options.epochs > kMaxSamples / options.samples ||
        options.channels > kMaxSamples / (options.samples * options.epochs))
        throw UsageError(fmt::format("{} channels of {} × {} samples; expected at most {} samples in all",
                                     options.channels, options.epochs, options.samples, kMaxSamples));
    const std::size_t samples = options.samples * options.epochs;
    // Chaotic maps need memory for one more channel and its driver.
    requireHostMemory(
        fmt::format("generating {} channels of {} samples", options.channels, samples),
        static_cast<double>(options.channels + 2) * static_cast<double>(samples) * sizeof(double));
    const Matrix<double> signals = randomSignals(options.model, options.channels, samples, options.seed);
    context.progress().throwIfCancelled();
    format.write(options, signals);
    context.clearProgressLine();
    const std::string description = fmt::format(
        "{} × {} ({} of {}), {} Hz, {}, coupling {}, seed {}", formatCount(options.channels, "channel"),
        formatCount(samples, "sample"), formatCount(options.epochs, "epoch"), options.samples, options.rate,
        toString(options.model.kind), options.model.coupling, options.seed);
    printGenerated(context, options.json, "crossapen", declared, {options.output}, description);
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareRunOptions(options, *run);
    return [run, &options](CommandContext& context) { return runCrossApEn(context, options, *run); };
}

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    options.value("--channels B", generated->channels, "Number of channels").positive().required();
    options.value("--samples N", generated->samples, "Samples per epoch and channel").positive();
    options.value("--epochs E", generated->epochs, "Number of consecutive epochs").positive();
    options
        .value("-o,--output FILE", generated->output,
               "The file to write: .edf (16 bits per sample), .npy (float64, channels × samples) or .csv "
               "(one line per sample); - is .csv to standard output")
        .required()
        .notASetting();
    options.choice("--kind KIND", generated->model.kind,
                   "white: normal noise; ar: autoregressive noise with a 1/f spectrum, as in EEG; henon, "
                   "logistic: chaotic maps; lorenz: chaotic differential equations");
    options
        .value("--coupling K", generated->model.coupling,
               "Coupling to the previous channel, 0 to 1; for noise, the correlation of neighbours")
        .within(0, 1)
        .readBy("channels", {"several"}, "several channels");
    options.value("--rate HZ", generated->rate, "Sampling rate in Hz, written to the .edf file")
        .above(0, kHighestSamplingRate)
        .readBy("output", {".edf"}, ".edf files");
    options.value("--seed S", generated->seed, "Random seed; the same seed gives the same signals");
    addJsonOption(options, generated->json);
    options.footer(
        "Channels form a chain: each channel after the first is driven only by the previous one.\n\n"
        "Examples:\n"
        "  glycine generate signals --channels 64 --epochs 9 -o noise.edf\n"
        "  glycine generate signals --channels 2 --samples 4096 --kind henon --coupling 0.4 -o maps.csv\n"
        "  glycine generate signals --channels 148 --epochs 49 --rate 169.549 --seed 7 -o study.edf");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::crossapen

namespace glycine {

void register_crossapen();
void register_crossapen() {
    using namespace crossapen;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "crossapen", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add(
        {"generate", "signals", "", "Generate random signals of any size, for crossapen", declareGenerate});
    study::addSubject(makeSubject());
}

}  // namespace glycine
