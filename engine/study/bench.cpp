#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

struct Bench {
    const Subject& subject;
    std::unique_ptr<ProblemSet> problems;
    StudyOptions options{};
};

/// What the rows' work is to be held against: measured when the first row of a backend and number format
/// asks.
class Ceilings {
  public:
    Ceilings(const Subject& subject, BackendPool& backends) : subject_(subject), backends_(backends) {}
    void tell(MeasuredRow& row) {
        if (!row.hasTime() || !(row.ceilingWork > 0)) return;
        const Configuration& configuration = row.configuration;
        const auto [place, isNew] = known_.try_emplace({configuration.backend, configuration.numberFormat});
        if (isNew) place->second = subject_.ceiling(backends_.use(configuration), configuration.numberFormat);
        if (place->second) row.ceiling = *place->second;
    }
    /// "cpu float64: 39.6 G/s, multiply-adds of …", a line each; empty without any.
    std::string text() const {
        std::vector<std::string> lines;
        for (const auto& [key, ceiling] : known_)
            if (ceiling)
                lines.push_back(fmt::format("{} {}: {} G/s, {}", key.first, key.second,
                                            formatNumber(ceiling->rate), ceiling->what));
        return fmt::format("{}", fmt::join(lines, "\n"));
    }

  private:
    const Subject& subject_;
    BackendPool& backends_;
    std::map<std::pair<std::string, std::string>, std::optional<Ceiling>> known_;
};

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
    Ceilings ceilings(subject, backends);
    for (std::size_t index = 0; index < set.count(); ++index) {
        context.setProgressPrefix("");
        const std::unique_ptr<Problem> problem = set.make(index, context.progress());
        std::vector<MeasuredRow> rows;
        for (const Configuration& configuration : configurations)
            if (configuration.variant.empty() || problem->concerns(configuration))
                rows.push_back({.configuration = configuration});
        if (rules.admit) rules.admit(rows);
        holdContest(*problem, rows, backends,
                    {.repeats = chosen.repeats, .enoughSeconds = rules.enoughSeconds, .unit = subject.unit()},
                    meter, context);
        if (rules.seen) rules.seen(rows);
        for (MeasuredRow& row : rows) {
            report.addDevice(row.device);
            ceilings.tell(row);
            report.rows.push_back(std::move(row));
        }
    }
    report.conditions = meter.finish(spreadsOf(report.rows));

    report.settings = set.settings();
    report.settings.emplace_back(
        "runs",
        fmt::format("in rounds, each configuration once a round; 1 dropped, {} timed: minimum (median)",
                    chosen.repeats));
    report.settings.emplace_back(
        "ratio",
        "of the minimum to that of the first row of the size; undecided where the medians "
        "cannot be told apart, round by round");
    if (const std::string text = ceilings.text(); !text.empty())
        report.settings.emplace_back("ceiling", text);
    return report;
}

CommandAction declareBench(const Subject& subject, Options& options) {
    const auto state = std::make_shared<Bench>(Bench{subject, subject.timingProblems()});
    state->problems->declare(options);
    addTimingOptions(options, state->options, subject.leavesVariantToBackend());
    return [state, &options](CommandContext& context) { return bench(context, options, *state); };
}

}  // namespace glycine::study
