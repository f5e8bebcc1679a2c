#include "engine/study/bench_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "engine/command/output_files.hpp"
#include "engine/command/time_limit.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

std::string rateText(const MeasuredTime* time) {
    return time != nullptr && time->bestRate() > 0 ? formatNumber(time->bestRate()) : "–";
}

/// "12.3 J NVIDIA H200 + 4.5 J package-0".
std::string energyText(const MeasuredRow& row) {
    std::vector<std::string> parts;
    for (const EnergyUse& use : row.energy)
        parts.push_back(fmt::format("{} J {}", formatNumber(use.joules), use.of));
    return parts.empty() ? "–" : fmt::format("{}", fmt::join(parts, " + "));
}

Json toJson(const EnergyUse& use) {
    return {{"of", use.of}, {"joules", use.joules}, {"how", use.how}};
}

struct Bench {
    const Subject& subject;
    std::unique_ptr<ProblemSet> problems;
    StudyOptions options{};
};

/// Methods of energy measurement, and the reasons for missing ones; each text once.
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

const MeasuredRow& BenchReport::firstOf(const MeasuredRow& row) const {
    const auto first = std::ranges::find(rows, row.dimensions, &MeasuredRow::dimensions);
    return first == rows.end() ? row : *first;
}

double BenchReport::ratioToFirst(const MeasuredRow& row) const {
    const MeasuredRow& first = firstOf(row);
    if (!first.hasTime() || !row.hasTime() || row.total.seconds.minimum <= 0) return 0;
    return first.total.seconds.minimum / row.total.seconds.minimum;
}

std::optional<Statistics> BenchReport::roundRatio(const MeasuredRow& row) const {
    const MeasuredRow& first = firstOf(row);
    if (!first.hasTime() || !row.hasTime()) return {};
    std::vector<double> ratios = quotients(first.total.seconds.samples, row.total.seconds.samples);
    if (ratios.empty()) return {};
    return summarize(std::move(ratios));
}

bool BenchReport::isUndecided(const MeasuredRow& row) const {
    const auto ratio = roundRatio(row);
    return ratio && &firstOf(row) != &row && ratio->interval.contains(1);
}

std::vector<Answer> BenchReport::answers() const {
    std::vector<TimedRow> timed;
    for (const MeasuredRow& row : rows) {
        if (!row.hasTime()) continue;
        const Configuration& own = row.configuration;
        timed.push_back({.contender = {own.backend, own.variant,
                                       own.dialect ? std::string(own.dialectName()) : "", own.numberFormat},
                         .algorithm = algorithm,
                         .dimensions = row.dimensions,
                         .check = row.check,
                         .cutShort = row.cutShort,
                         .seconds = row.total.seconds,
                         .software = row.device.isSoftware ? row.device.device : "",
                         .disturbance = disturbanceOf(conditions)});
    }
    // Rows of one input took turns, so that their times are compared round by round.
    const RatioOf byRounds = [](const TimedRow& slow, const TimedRow& fast) -> std::optional<TimeRatio> {
        std::vector<double> ratios = quotients(slow.seconds.samples, fast.seconds.samples);
        if (ratios.empty()) return {};
        const Statistics ratio = summarize(std::move(ratios));
        return TimeRatio{ratio.median, ratio.interval, ratio.interval.contains(1),
                         slow.disturbance > 0 || fast.disturbance > 0};
    };
    return answersOf(timed, {}, byRounds);
}

void BenchReport::print(std::ostream& out, std::size_t width) const {
    printAnswers(out, answers(), width);

    std::vector<std::string> timeNames;
    std::vector<std::string> rateNames;
    const auto addOnce = [](std::vector<std::string>& names, const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const MeasuredRow& row : rows) {
        if (!row.hasTime()) continue;
        for (const MeasuredTime& stage : row.stages) {
            addOnce(timeNames, stage.name);
            if (stage.work > 0) addOnce(rateNames, stage.name);
        }
    }
    timeNames.emplace_back("total");
    if (std::ranges::any_of(rows, [](const auto& row) { return row.hasTime() && row.total.work > 0; }))
        rateNames.emplace_back("total");

    TableOf<MeasuredRow> table;
    table.add({sizeLabel, Align::Right}, sizeText);
    table.add({"backend"}, [](const auto& row) { return row.configuration.backend; });
    table.add({"variant"}, [](const auto& row) { return row.configuration.variant; });
    if (std::ranges::any_of(rows, [](const auto& row) { return row.configuration.dialect.has_value(); }))
        table.add({"dialect"}, [](const auto& row) { return row.configuration.dialectName(); });
    for (const std::string& name : timeNames)
        table.add({name, Align::Right}, [name](const auto& row) { return timeText(row.time(name)); });
    for (const std::string& name : rateNames)
        table.add({fmt::format("{} {}", name, rateUnit), Align::Right},
                  [name](const auto& row) { return rateText(row.time(name)); });
    if (std::ranges::any_of(rows, [](const auto& row) { return row.ceilingShare() > 0; }))
        table.add({"of ceiling", Align::Right}, shareText);
    if (std::ranges::any_of(rows, [](const auto& row) { return !row.energy.empty(); }))
        table.add({"energy", Align::Right}, energyText);
    table.add({"ratio", Align::Right}, [this](const auto& row) -> std::string {
        const double ratio = ratioToFirst(row);
        if (ratio <= 0) return "–";
        return fmt::format(fmt::runtime(isUndecided(row) ? "undecided ({:.3g} ×)" : "{:.3g} ×"), ratio);
    });
    table.add({"verified"}, [](const auto& row) { return outcomeText(row, "skipped"); });
    table.print(out, rows, width);
    out << '\n';
    printConditions(out, conditions, cutShort);
    printHead(out, {environmentFields(environment), deviceFields(), conditionFields(conditions), settings},
              width);
}

Json BenchReport::toJson(const MeasuredRow& row) const {
    Json json = Json::object();
    addDimensions(json, row);
    addToJson(json, row);
    if (!row.hasTime()) return json;
    Json seconds = Json::object();
    Json rates = Json::object();
    const auto add = [&](const MeasuredTime& time) {
        seconds[time.name] = glycine::toJson(time.seconds);
        if (time.work > 0) rates[time.name] = {{"best", time.bestRate()}, {"median", time.medianRate()}};
    };
    for (const MeasuredTime& stage : row.stages) add(stage);
    add(row.total);
    json["seconds"] = std::move(seconds);
    json["rates"] = std::move(rates);
    addCeilings(json, row);
    if (!row.energy.empty())
        json["energy"] = jsonArray(row.energy, [](const EnergyUse& use) { return study::toJson(use); });
    if (!row.energyAbsent.empty()) json["energyAbsent"] = row.energyAbsent;
    json["ratioToFirst"] = ratioToFirst(row);
    if (const auto ratio = roundRatio(row)) {
        json["ratioInterval"] = {ratio->interval.low, ratio->interval.high};
        json["ratioUndecided"] = isUndecided(row);
    }
    return json;
}

Json BenchReport::toJson() const {
    Json json{{"command", "bench"}, {"algorithm", algorithm}};
    addTo(json);
    addToJson(json, conditions);
    json["sizeLabel"] = sizeLabel;
    json["rateUnit"] = rateUnit;
    json["rows"] = jsonArray(rows, [this](const auto& row) { return toJson(row); });
    return json;
}

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
        if (rules.beforeContest) rules.beforeContest(rows, *problem);
        runContest(*problem, rows, backends,
                   {.repeats = chosen.repeats,
                    .enoughSeconds = rules.enoughSeconds,
                    .unit = subject.unit(),
                    .energy = &energy},
                   meter, context);
        if (rules.afterContest) rules.afterContest(rows);
        for (MeasuredRow& row : rows) {
            report.addDevice(row.device);
            if (!row.cutShort.empty())
                report.cutShort = incompleteText("input", index, set.count(), TimeLimit::reason());
            if (row.hasTime()) {
                const TimeLimit::Suspension suspension;  // rows that have a time are reported in full
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
        "cannot be distinguished, round by round");
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
