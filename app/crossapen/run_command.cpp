#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/crossapen/compute_subjects.hpp"
#include "app/crossapen/crossapen_commands.hpp"
#include "app/crossapen/crossapen_report.hpp"
#include "app/crossapen/output_plan.hpp"
#include "app/crossapen/run_options.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/crossapen/crossapen_algorithm.hpp"
#include "engine/crossapen/groups/group_comparison.hpp"
#include "engine/crossapen/results/result_files.hpp"
#include "engine/crossapen/results/value_store.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/storage/unfinished.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine::crossapen {

namespace fs = std::filesystem;

namespace {

/// Looks at all files before the first one is computed.
std::vector<SubjectFile> inspectFiles(const RunOptions& options, const SignalOptions& signals) {
    const std::vector<fs::path>& paths = options.files;
    const std::vector<std::string> names = distinctNames(paths);
    std::vector<SubjectFile> files;
    for (std::size_t i = 0; i < paths.size(); ++i)
        files.push_back({paths[i], names[i], inspectSignals(paths[i], signals)});
    return files;
}

/// The signals of one file are held as a whole.
void requireMemory(const std::vector<SubjectFile>& files, std::size_t epochSamples) {
    for (const SubjectFile& file : files) {
        const SignalSetShape& shape = file.shape;
        requireHostMemory(fmt::format("{}: {} channels in {} epochs of {} samples", file.name,
                                      shape.channels.size(), shape.epochs.size(), epochSamples),
                          static_cast<double>(shape.channels.size()) *
                              static_cast<double>(shape.epochs.size()) * static_cast<double>(epochSamples) *
                              sizeof(double));
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
    // Matches are the same everywhere; sums of memberships depend on who adds them.
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

std::unique_ptr<ValueStore> makeStore(const Options& declared, const RunOptions& run,
                                      const std::vector<SubjectFile>& files, const Backend& backend,
                                      const OutputPlan& plan) {
    const SubjectOptions& options = run.subjects;
    std::vector<StoredFile> stored;
    bool isOneTile = files.size() == 1;
    for (const SubjectFile& file : files) {
        stored.push_back({file.shape.epochs.size(), epochShape(options.entropy, file.shape.channels.size())});
        isOneTile = isOneTile && tileEpochs(backend, options.entropy, file.shape.channels.size(),
                                            options.signals.epochSamples) >= file.shape.epochs.size();
    }
    // Beside standard output there is no place for what is finished.
    if (plan.unfinished.empty() || (isOneTile && !storage::hasUnfinishedRun(plan.unfinished)))
        return std::make_unique<ValueStore>(std::move(stored));
    return std::make_unique<ValueStore>(plan.unfinished, identify(declared, options, files, backend).text(),
                                        std::move(stored), run.restart);
}

/// What is written once all subjects are there; their own archives are written as they come.
void writeResults(const OutputPlan& plan, const RunReport& report, const EntropyOptions& options) {
    const std::vector<SubjectEntropies>& subjects = report.subjects;
    for (const fs::path& file : plan.npz) writeSubjectNpz(file, subjects.front(), report.parameters);
    for (const fs::path& file : plan.npy) writeSubjectNpy(file, subjects.front());
    for (const fs::path& file : plan.longCsv) writeLongCsv(file, subjects);
    for (const fs::path& file : plan.squareCsv) writeSquareCsv(file, subjects.front());
    const std::string title =
        fmt::format("{}, m = {}, {}r = {}", subjects.front().quantities.front().label, options.rule.m,
                    options.rule.delay > 1 ? fmt::format("τ = {}, ", options.rule.delay) : "",
                    describeTolerance(options));
    const std::string footer = fmt::format("{} {} on {}, {}", describeBuild(), report.device.backend,
                                           report.device.device, report.batch.entropies.variant);
    for (const fs::path& file : plan.pictures) drawSubjects(file, subjects, title, footer);
    if (!report.groups) return;
    writeGroupCsv(plan.groupCsv, *report.groups);
    writeGroupNpz(plan.groupNpz, *report.groups);
    drawGroups(plan.groupPicture, *report.groups, title, footer);
}

/// Pictures that would be too large are refused before anything is computed.
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

int runCrossApEn(CommandContext& context, const Options& declared, RunOptions& options) {
    checkBackendUse(declared, algorithm(), options.backend);
    completeRunOptions(declared, options);
    const SubjectOptions& what = options.subjects;
    checkOptions(what.entropy, what.signals.epochSamples);
    io::PipedInputs pipes;
    options.files.clear();
    for (const std::string& input : options.inputs) options.files.emplace_back(pipes.fileOf(input));
    const std::vector<SubjectFile> files = inspectFiles(options, what.signals);
    requireMemory(files, what.signals.epochSamples);
    std::vector<std::string> names;
    std::vector<fs::path> inputs;
    for (const SubjectFile& file : files) {
        names.push_back(file.name);
        for (const fs::path& input : signalFiles(file.path)) inputs.push_back(input);
    }
    for (const fs::path& table : {fs::path(options.groups), what.signals.artefacts})
        if (!table.empty()) inputs.push_back(table);
    std::optional<GroupTable> groups;
    if (!options.groups.empty()) {
        groups = readGroupTable(options.groups, options.files);
        for (const SubjectFile& file : files)
            matchChannels({files.front().name, files.front().shape.channels},
                          {file.name, file.shape.channels});
    }
    const OutputPlan plan =
        planOutputs({options.outputs, options.square, groups.has_value(), what.keepEpochs}, names);

    checkPictures(plan, files, what.entropy);

    const BackendChoice choice = selectBackend(declared, options.backend, [&](Backend& backend) {
        return supportsAll(backend, what.entropy, files, what.signals.epochSamples);
    });
    Backend& backend = *choice.backend;
    const OutputFolder folder(plan.folder);
    checkOutputFiles(plan.files(), inputs, {plan.unfinished});

    RunReport report;
    report.options = &declared;
    report.parameters = describeParameters(declared, what.entropy);
    const std::unique_ptr<ValueStore> store = makeStore(declared, options, files, backend, plan);
    double archiveSeconds = 0;
    Recount recount(backend, options.backend,
                    isOfSingleChannels(what.entropy.measure) ? "channel epoch" : "pair",
                    "with reference and cpu");
    try {
        report.subjects =
            computeSubjects(context, backend, files, what, *store, recount, report.batch,
                            [&](const SubjectEntropies& subject) {
                                if (plan.folder.empty()) return;
                                const Stopwatch watch;
                                const auto index = static_cast<std::size_t>(
                                    std::find(names.begin(), names.end(), subject.name) - names.begin());
                                writeSubjectNpz(plan.folderNpz[index], subject, report.parameters);
                                archiveSeconds += watch.seconds();
                            });
        context.clearProgressLine();

        const Stopwatch watch;
        if (groups) report.groups = compareGroups(report.subjects, *groups, options.alpha);
        report.device = describeDevice(backend);
        report.backendReason = choice.reason;
        report.recount = recount.report();
        writeResults(plan, report, what.entropy);
        report.writeSeconds = watch.seconds() + archiveSeconds;
        report.files = plan.files();
        for (const fs::path& file : plan.summaries) writeSummary(file, report);
    } catch (const WrongResultError&) {
        storage::requireWholeWorkingFiles();
        store->discard();
        throw;
    } catch (const CancelledError&) {
        if (plan.unfinished.empty() || !store->outlivesStop()) throw;
        throw storage::stoppedButKept("epochs", plan.unfinished);
    }
    store->discard();

    printRunReport(context, report, options.json);
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareRunOptions(options, *run);
    return [run, &options](CommandContext& context) { return runCrossApEn(context, options, *run); };
}

}  // namespace glycine::crossapen
