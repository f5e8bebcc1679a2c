#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "app/crossapen/commands.hpp"
#include "app/crossapen/compute_subjects.hpp"
#include "app/crossapen/output_plan.hpp"
#include "app/crossapen/run_options.hpp"
#include "app/crossapen/run_report.hpp"
#include "engine/algorithms/crossapen/groups/group_comparison.hpp"
#include "engine/algorithms/crossapen/results/result_files.hpp"
#include "engine/algorithms/crossapen/results/value_store.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/default_backend.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/storage/content_hash.hpp"

namespace glycine::crossapen {

namespace fs = std::filesystem;

namespace {

/// Looks at all files before the first one is computed.
std::vector<SubjectFile> inspectFiles(const RunOptions& options, const SignalOptions& signals) {
    const std::vector<fs::path> paths(options.inputs.begin(), options.inputs.end());
    const std::vector<std::string> names = distinctNames(paths);
    std::vector<SubjectFile> files;
    for (std::size_t i = 0; i < paths.size(); ++i)
        files.push_back({paths[i], names[i], inspectSignals(paths[i], signals)});
    return files;
}

Support supportsAll(Backend& backend, const EntropyOptions& options, const std::vector<SubjectFile>& files,
                    std::size_t samples) {
    std::size_t channels = 0;
    for (const SubjectFile& file : files) channels = std::max(channels, file.shape.channels.size());
    return supportsEntropies(backend, options, channels, samples);
}

/// What a stopped run must have in common with one that goes on from it.
std::string identify(const SubjectOptions& options, const Parameters& parameters,
                     const std::vector<SubjectFile>& files, const Backend& backend) {
    std::string text = fmt::format("glycine: {}\n", buildInfo().version);
    for (const auto& [name, value] : parameters) text += fmt::format("{}: {}\n", name, value);
    // Matches are the same everywhere; sums of memberships depend on who adds them.
    if (options.entropy.measure == Measure::CrossFuzzyEn)
        text += fmt::format("backend: {}\n", backend.name());
    if (!options.signals.artefacts.empty())
        text += fmt::format("contents of the artefact list: {:016x}\n",
                            storage::contentHash(std::vector<fs::path>{options.signals.artefacts}));
    for (const SubjectFile& file : files)
        text += fmt::format("{}: {} channels, {} epochs, contents {:016x}\n", file.name,
                            file.shape.channels.size(), file.shape.epochs.size(),
                            storage::contentHash(signalFiles(file.path)));
    return text;
}

std::unique_ptr<ValueStore> makeStore(const RunOptions& run, const SubjectOptions& options,
                                      const Parameters& parameters, const std::vector<SubjectFile>& files,
                                      const Backend& backend, const OutputPlan& plan) {
    std::vector<StoredFile> stored;
    bool isOneTile = files.size() == 1;
    for (const SubjectFile& file : files) {
        stored.push_back({file.shape.epochs.size(), epochShape(options.entropy, file.shape.channels.size())});
        isOneTile = isOneTile && tileEpochs(backend, options.entropy, file.shape.channels.size(),
                                            options.signals.epochSamples) >= file.shape.epochs.size();
    }
    if (isOneTile && !storage::hasUnfinishedRun(plan.unfinished))
        return std::make_unique<ValueStore>(std::move(stored));
    return std::make_unique<ValueStore>(plan.unfinished, identify(options, parameters, files, backend),
                                        std::move(stored), run.restart);
}

/// What is written once all subjects are there; their own archives are written as they come.
void writeResults(const OutputPlan& plan, const RunReport& report, const RunOptions& options) {
    const std::vector<SubjectEntropies>& subjects = report.subjects;
    for (const fs::path& file : plan.npz) writeSubjectNpz(file, subjects.front(), report.parameters);
    for (const fs::path& file : plan.npy) writeSubjectNpy(file, subjects.front());
    for (const fs::path& file : plan.longCsv) writeLongCsv(file, subjects);
    for (const fs::path& file : plan.squareCsv) writeSquareCsv(file, subjects.front());
    const std::string title = fmt::format("{}, m = {}, r = {}", subjects.front().quantities.front().label,
                                          options.m, describeTolerance(options));
    const std::string footer = fmt::format("{} {} on {}, {}", describeBuild(), report.device.backend,
                                           report.device.device, report.batch.entropies.variant);
    for (const fs::path& file : plan.pictures) drawSubjects(file, subjects, title, footer);
    if (!report.groups) return;
    writeGroupCsv(plan.groupCsv, *report.groups);
    writeGroupNpz(plan.groupNpz, *report.groups);
    drawGroups(plan.groupPicture, *report.groups, title, footer);
}

int runCrossApEn(CommandContext& context, const CLI::App& command, const RunOptions& options) {
    const SubjectOptions what = subjectOptions(options);
    checkOptions(what.entropy, what.signals.epochSamples);
    checkRunOptions(command, options);
    checkBackendUse(command, registeredAlgorithm(), options.backend, options.variant);
    const std::vector<SubjectFile> files = inspectFiles(options, what.signals);
    std::vector<std::string> names;
    std::vector<fs::path> inputs;
    for (const SubjectFile& file : files) {
        names.push_back(file.name);
        for (const fs::path& input : signalFiles(file.path)) inputs.push_back(input);
    }
    for (const std::string* table : {&options.groups, &options.artefacts})
        if (!table->empty()) inputs.emplace_back(*table);
    std::optional<GroupTable> groups;
    if (!options.groups.empty()) {
        groups = readGroupTable(options.groups, {options.inputs.begin(), options.inputs.end()});
        for (const SubjectFile& file : files)
            matchChannels({files.front().name, files.front().shape.channels},
                          {file.name, file.shape.channels});
    }
    const OutputPlan plan = planOutputs({options.outputs, options.square, groups.has_value()}, names);

    const BackendChoice choice =
        selectBackend(command, options.backend, options.device, [&](Backend& backend) {
            return supportsAll(backend, what.entropy, files, what.signals.epochSamples);
        });
    Backend& backend = *choice.backend;
    const OutputFolder folder(plan.folder);
    checkOutputFiles(plan.files(), inputs);

    RunReport report;
    report.parameters = describeParameters(options, what);
    const std::unique_ptr<ValueStore> store =
        makeStore(options, what, report.parameters, files, backend, plan);
    double archiveSeconds = 0;
    try {
        report.subjects = computeSubjects(
            context, backend, files, what, *store, report.batch, [&](const SubjectEntropies& subject) {
                if (plan.folder.empty()) return;
                const Stopwatch watch;
                const auto index = static_cast<std::size_t>(
                    std::find(names.begin(), names.end(), subject.name) - names.begin());
                writeSubjectNpz(plan.folderNpz[index], subject, report.parameters);
                archiveSeconds += watch.seconds();
            });
    } catch (const CancelledError&) {
        if (!fs::exists(fs::path(plan.unfinished) += ".unfinished")) throw;
        throw CancelledError(fmt::format(
            "stopped; finished epochs are kept in {}.unfinished: the same command goes on from there",
            plan.unfinished.string()));
    }
    context.clearProgressLine();

    Stopwatch watch;
    if (groups) report.groups = compareGroups(report.subjects, *groups, options.alpha);
    report.device =
        describeDevice(backend, backend.name() == "gl" ? std::string(toString(options.device.dialect)) : "");
    report.backendReason = choice.reason;
    writeResults(plan, report, options);
    report.writeSeconds = watch.seconds() + archiveSeconds;
    report.files = plan.files();
    for (const fs::path& file : plan.summaries) writeJson(file, toJson(report));
    store->discard();

    if (options.json)
        printJson(context.out(), toJson(report));
    else
        printRunReport(context.out(), report, terminalWidth());
    return 0;
}

}  // namespace

CommandAction addRunTask(CLI::App& command) {
    auto options = std::make_shared<RunOptions>();
    addRunOptions(command, *options);
    return [options, &command](CommandContext& context) { return runCrossApEn(context, command, *options); };
}

}  // namespace glycine::crossapen
