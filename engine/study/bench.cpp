#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/command/output_files.hpp"
#include "engine/command/time_limit.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

struct Bench {
    const Subject& subject;
    std::unique_ptr<ProblemSet> problems;
    StudyOptions options{};
};

/// How energy was measured, and why not where it was not; each once.
std::string energySetting(const std::vector<MeasuredRow>& rows) {
    std::vector<std::string> lines;
    const auto addOnce = [&lines](const std::string& line) {
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    };
    for (const MeasuredRow& row : rows) {
        for (const EnergyUse& use : row.energy)
            addOnce(fmt::format("of the whole {} during a run, idle parts and others included: {}", use.of,
                                use.how));
        if (!row.energyAbsent.empty()) addOnce("not measured: " + row.energyAbsent);
    }
    return lines.empty() ? "not measured: nothing was timed" : fmt::format("{}", fmt::join(lines, "\n"));
}

int bench(CommandContext& context, const Options& options, Bench& bench) {
    ProblemSet& set = *bench.problems;
    const StudyOptions& chosen = bench.options;
    set.prepare(options, context.progress());
    if (!chosen.output.empty()) {
        const std::vector<std::string> inputs = set.inputFiles();
        checkOutputFiles({chosen.output}, {inputs.begin(), inputs.end()});
    }
    const std::vector<Configuration> configurations =
        configurationsToTime(options, chosen, bench.subject.algorithm(),
                             bench.subject.leavesVariantToBackend(), set.numberFormats());
    const BenchReport report = timeProblems(bench.subject, set, configurations, chosen, {}, context);
    context.clearProgressLine();
    deliver(context, report, chosen.json, chosen.output);
    if (std::ranges::none_of(report.rows, &std::string::empty, &MeasuredRow::skipped))
        throw UnavailableError("nothing was timed: no configuration could run");
    return std::ranges::any_of(report.rows, &MeasuredRow::isWrong) ? 1 : 0;
}

}  // namespace

BenchReport timeProblems(const Subject& subject, ProblemSet& set,
                         const std::vector<Configuration>& configurations, const StudyOptions& chosen,
                         const TimingRules& rules, CommandContext& context) {
    requireTimingMemory(subject.algorithm().name(), set.bytes(numberFormatsOf(configurations)));
    set.makeInputs(context.progress());

    BenchReport report;
    report.algorithm = subject.algorithm().name();
    report.sizeLabel = subject.sizeLabel();
    report.rateUnit = subject.rateUnit();
    report.environment = currentEnvironment();
    BackendPool backends(chosen.device);
    ConditionsMeter meter;
    CeilingsInUse own;
    CeilingsInUse& ceilings = rules.ceilings != nullptr ? *rules.ceilings : own;
    ceilings.beginReport();
    EnergyMeter energy;
    for (std::size_t index = 0; index < set.count() && report.cutShort.empty(); ++index) {
        context.setProgressPrefix("");
        std::unique_ptr<Problem> problem;
        try {
            TimeLimit::throwIfOver();
            problem = set.make(index, context.progress());
        } catch (const TimeLimitError& error) {
            report.cutShort = incompleteText("input", index, set.count(), error.what());
            break;
        }
        std::vector<MeasuredRow> rows;
        for (const Configuration& configuration : configurations)
            if (configuration.variant.empty() || problem->concerns(configuration))
                rows.push_back({.configuration = configuration});
        if (rules.admit) rules.admit(rows, *problem);
        holdContest(*problem, rows, backends,
                    {.repeats = chosen.repeats,
                     .enoughSeconds = rules.enoughSeconds,
                     .unit = subject.unit(),
                     .energy = &energy},
                    meter, context);
        if (rules.seen) rules.seen(rows);
        for (MeasuredRow& row : rows) {
            report.addDevice(row.device);
            if (!row.cutShort.empty())
                report.cutShort = incompleteText("input", index, set.count(), TimeLimit::reason());
            if (row.hasTime()) {
                const TimeLimit::Suspension suspension;  // what has a time is told whole
                context.setProgressPrefix("ceilings: ");
                row.ceilings = usesOf(problem->needs(row.configuration), backends.use(row.configuration),
                                      ceilings, context.progress());
            }
            report.rows.push_back(std::move(row));
        }
    }
    report.conditions = meter.finish(spreadsOf(report.rows));
    std::vector<MeasuredRow*> rows;
    for (MeasuredRow& row : report.rows) rows.push_back(&row);
    const RaisedCeilings raised = raiseCeilings(rows, report.algorithm);

    report.settings = set.settings();
    report.settings.emplace_back(
        "runs",
        fmt::format("in rounds, each configuration once a round; 1 dropped, {} timed: minimum (median)",
                    chosen.repeats));
    report.settings.emplace_back(
        "ratio",
        "of the minimum to that of the first row of the size; undecided where the medians "
        "cannot be told apart, round by round");
    report.settings.emplace_back("energy", energySetting(report.rows));
    if (const std::string text = ceilings.text(raised); !text.empty())
        report.settings.emplace_back("ceilings", text);
    return report;
}

CommandAction declareBench(const Subject& subject, Options& options) {
    const auto state = std::make_shared<Bench>(Bench{subject, subject.timingProblems()});
    state->problems->declare(options);
    addTimingOptions(options, state->options, subject.algorithm(), subject.leavesVariantToBackend());
    return [state, &options](CommandContext& context) { return bench(context, options, *state); };
}

}  // namespace glycine::study
