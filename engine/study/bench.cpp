#include <fmt/format.h>

#include <memory>
#include <vector>

#include "engine/command/output_files.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::study {

namespace {

struct Bench {
    const Subject& subject;
    std::unique_ptr<ProblemSet> problems;
    TimingOptions options;
};

BenchRow rowOf(const Problem& problem, Contender contender) {
    BenchRow row;
    row.size = problem.size();
    row.dimensions = problem.dimensions();
    row.configuration = std::move(contender.configuration);
    row.check = std::move(contender.check);
    row.isWrong = contender.isWrong;
    row.skipped = std::move(contender.skipped);
    row.note = std::move(contender.note);
    if (contender.isWrong || !row.skipped.empty()) return row;
    for (MeasuredTime& stage : contender.stages)
        row.stages.push_back({std::move(stage.name), std::move(stage.seconds), stage.work});
    row.total = std::move(contender.total.seconds);
    row.totalWork = contender.total.work;
    return row;
}

int bench(CommandContext& context, const Options& options, Bench& bench) {
    ProblemSet& set = *bench.problems;
    const TimingOptions& chosen = bench.options;
    set.prepare(options, context.progress());
    if (!chosen.output.empty()) {
        const std::vector<std::string> inputs = set.inputFiles();
        checkOutputFiles({chosen.output}, {inputs.begin(), inputs.end()});
    }
    const Algorithm& algorithm = bench.subject.algorithm();
    const std::vector<Configuration> configurations = configurationsToTime(
        options, chosen, algorithm, bench.subject.leavesVariantToBackend(), set.numberFormats());

    BenchReport report;
    report.algorithm = algorithm.name();
    report.sizeLabel = bench.subject.sizeLabel();
    report.rateUnit = bench.subject.rateUnit();
    report.environment = currentEnvironment();
    BackendPool backends(chosen.device);
    ConditionsMeter meter;
    for (std::size_t index = 0; index < set.count(); ++index) {
        context.setProgressPrefix("");
        const std::unique_ptr<Problem> problem = set.make(index, context.progress());
        std::vector<Contender> contenders;
        for (const Configuration& configuration : configurations)
            if (configuration.variant.empty() || problem->concerns(configuration))
                contenders.push_back({.configuration = configuration});
        holdContest(*problem, contenders, backends,
                    {.repeats = chosen.repeats, .algorithm = report.algorithm, .unit = bench.subject.unit()},
                    meter, context);
        for (Contender& contender : contenders) {
            if (!contender.device.backend.empty()) report.addDevice(contender.device);
            report.rows.push_back(rowOf(*problem, std::move(contender)));
        }
    }
    context.clearProgressLine();
    report.conditions = meter.finish(report.spreads());

    report.settings = set.settings();
    report.settings.emplace_back(
        "runs",
        fmt::format("in rounds, each configuration once a round; 1 dropped, {} timed: minimum (median)",
                    chosen.repeats));
    report.settings.emplace_back(
        "ratio",
        "of the minimum to that of the first row of the size; undecided where the medians "
        "cannot be told apart, round by round");
    return concludeBench(context, report, chosen.output, chosen.json);
}

}  // namespace

CommandAction declareBench(const Subject& subject, Options& options) {
    const auto state = std::make_shared<Bench>(Bench{subject, subject.timingProblems(), {}});
    state->problems->declare(options);
    addTimingOptions(options, state->options, subject.leavesVariantToBackend());
    return [state, &options](CommandContext& context) { return bench(context, options, *state); };
}

}  // namespace glycine::study
