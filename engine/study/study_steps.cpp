#include "engine/study/study_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/storage/content_hash.hpp"
#include "engine/study/end_to_end.hpp"
#include "engine/study/report.hpp"
#include "engine/study/reports/study_report.hpp"
#include "engine/study/statistics.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

constexpr const char* kDisagrees = "disagrees with the reference";

StudyStep stepOf(StepKind kind, const Subject* subject, const std::vector<std::string>& names) {
    std::vector<std::string> parts{std::string(toString(kind))};
    if (subject != nullptr) parts.emplace_back(subject->algorithm().name());
    for (const std::string& name : names)
        if (!name.empty()) parts.push_back(name);
    StudyStep step;
    step.id = plainName(fmt::format("{}", fmt::join(parts, "-")));
    step.kind = kind;
    step.subject = subject;
    return step;
}

StudyStep timesOf(const Subject& subject, const SweepStep& sweep) {
    StudyStep step = stepOf(StepKind::Times, &subject, {sweep.series, std::string(toString(sweep.extent))});
    step.sweep = sweep;
    return step;
}

void addSteps(const Subject& subject, const StudyRequest& request, std::vector<StudyStep>& steps) {
    steps.push_back(stepOf(StepKind::Validation, &subject, {}));
    if (!request.input.empty()) {
        // Files with the same contents are the same problem, even if machines name them differently.
        const std::string series =
            fmt::format("input {:08x}", storage::contentHash({request.input}) & 0xffffffffU);
        steps.push_back(stepOf(StepKind::Validation, &subject, {series}));
        steps.back().sweep.series = series;
        steps.back().sweep.arguments = {request.input};
        steps.push_back(timesOf(subject, {series, Extent::Small, {"--input", request.input}}));
        return;
    }
    for (const SweepStep& sweep : subject.sweep())
        if (sweep.extent <= request.upTo) steps.push_back(timesOf(subject, sweep));
}

/// Splits the samples by visit.
std::vector<std::vector<double>> visitsOf(const Statistics& statistics) {
    if (statistics.visits.empty()) return {statistics.samples};
    std::vector<std::vector<double>> visits;
    auto begin = statistics.samples.begin();
    for (const std::size_t count : statistics.visits) {
        const auto end = begin + static_cast<std::ptrdiff_t>(count);
        visits.emplace_back(begin, end);
        begin = end;
    }
    return visits;
}

void loseTimes(Json& row, const Json& later) {
    row["verified"] = false;
    row["check"] = later.value("check", "") + " (in a later visit)";
    for (const char* name : {"seconds", "rates", "ceiling", "otherCeilings", "energy", "energyAbsent",
                             "result", "ratioToFirst", "ratioInterval", "ratioUndecided"})
        row.erase(name);
}

void mergeRow(Json& row, const Json& later) {
    if (!row.contains("seconds")) return;
    if (!later.value("verified", true)) return loseTimes(row, later);
    if (!later.contains("seconds")) return;
    for (auto& [stage, seconds] : row["seconds"].items()) {
        if (!later["seconds"].contains(stage)) continue;
        const Statistics before = statisticsFrom(seconds);
        std::vector<std::vector<double>> visits = visitsOf(before);
        visits.push_back(statisticsFrom(later["seconds"][stage]).samples);
        const Statistics all = summarizeVisits(visits);
        seconds = glycine::toJson(all);
        if (!row.contains("rates") || !row["rates"].contains(stage)) continue;
        Json& rate = row["rates"][stage];
        const double work = rate.at("best").get<double>() * before.minimum;
        rate = {{"best", work / all.minimum}, {"median", work / all.median}};
    }
    const auto shareOf = [](const Json& one) {
        return one.value("ceiling", Json::object()).value("share", 0.0);
    };
    if (shareOf(later) > shareOf(row)) {
        row["ceiling"] = later["ceiling"];
        if (later.contains("otherCeilings")) row["otherCeilings"] = later["otherCeilings"];
    }
}

/// Sets the ratios of BenchReport, from the quotients of rounds, visit by visit.
void compareWithFirst(Json& row, const Json& first) {
    if (!row.contains("seconds") || !row.contains("ratioToFirst")) return;
    if (!first.contains("seconds")) {
        row["ratioToFirst"] = 0.0;
        row.erase("ratioInterval");
        row.erase("ratioUndecided");
        return;
    }
    const Statistics own = statisticsFrom(row["seconds"].at("total"));
    const Statistics other = statisticsFrom(first["seconds"].at("total"));
    if (!(own.minimum > 0)) return;
    row["ratioToFirst"] = other.minimum / own.minimum;
    const auto ownVisits = visitsOf(own), otherVisits = visitsOf(other);
    std::vector<std::vector<double>> ratios;
    for (std::size_t visit = 0; visit < std::min(ownVisits.size(), otherVisits.size()); ++visit)
        ratios.push_back(quotients(otherVisits[visit], ownVisits[visit]));
    const Statistics ratio = summarizeVisits(ratios);
    if (ratio.count == 0) return;
    row["ratioInterval"] = {ratio.interval.low, ratio.interval.high};
    row["ratioUndecided"] = &row != &first && ratio.interval.contains(1);
}

/// Whether both rows are about inputs of the same size.
bool isSameSize(const Json& one, const Json& other) {
    return one.at("dimensions") == other.at("dimensions");
}

}  // namespace

std::string StudyStep::algorithm() const {
    return subject == nullptr ? std::string() : std::string(subject->algorithm().name());
}

std::string StudyStep::title() const {
    if (kind == StepKind::Figure) return "published figure " + figure;
    std::string text(toString(kind));
    if (subject != nullptr) text += " of " + algorithm();
    if (!sweep.series.empty()) text += ", " + sweep.series;
    if (kind == StepKind::Times) text += fmt::format(", {}", toString(sweep.extent));
    return text;
}

std::vector<StudyStep> planStudy(const StudyRequest& request) {
    const std::vector<const Subject*> subjects = chosenSubjects(request.algorithms);
    if (!request.input.empty() && subjects.size() != 1)
        throw UsageError(
            "--input is a file of one algorithm: name it, as in `glycine study NAME --input FILE`");
    std::vector<StudyStep> steps;
    for (const Subject* subject : subjects) addSteps(*subject, request, steps);
    steps.push_back(stepOf(StepKind::Ceilings, nullptr, {}));
    // Times are compared with the ceilings, which are measured first.
    std::ranges::stable_sort(steps, {}, [](const StudyStep& step) {
        const bool isTimes = step.kind == StepKind::Times;
        return std::pair(step.kind == StepKind::Validation ? 0
                         : isTimes                         ? 2
                                                           : 1,
                         isTimes ? step.sweep.extent : Extent::Small);
    });
    const Extent extent = std::min(request.upTo, Extent::Medium);
    for (const Subject* subject : subjects) {
        if (!request.input.empty() || subject->endToEndRuns(extent).empty()) continue;
        steps.push_back(stepOf(StepKind::Commands, subject, {}));
        steps.back().sweep.extent = extent;
    }
    for (const Subject* subject : subjects)
        for (const PublishedFigure& figure : subject->published()) {
            steps.push_back(stepOf(StepKind::Figure, nullptr, {figure.id}));
            steps.back().subject = subject;
            steps.back().figure = figure.id;
        }
    for (const std::string& name : request.leftOut) {
        const auto kind = fromString<StepKind>(name);
        if (kind == StepKind::Validation)
            throw UsageError(
                "--without validation: only results that were compared with the reference are timed");
        std::erase_if(steps, [kind](const StudyStep& step) { return step.kind == kind; });
    }
    return steps;
}

namespace {

/// Configuration::label of a row in JSON.
std::string labelOf(const Json& row) {
    Configuration configuration{
        row.value("backend", ""), row.value("variant", ""), {}, row.value("numberFormat", "")};
    if (row.contains("dialect"))
        configuration.dialect = fromString<Dialect>(row["dialect"].get<std::string>());
    return configuration.label();
}

std::vector<Configuration> configurationsOf(const Algorithm& algorithm, ConfigurationFilter filter,
                                            const std::vector<std::string>& formats) {
    filter.numberFormats = formats;
    std::vector<Configuration> all = selectConfigurations(algorithm, filter);
    if (filter.backends.empty()) dropReference(all);
    return all;
}

Json validation(const StudyStep& step, const StudyRequest& request, CommandContext& context) {
    const auto set = step.subject->validationProblems();
    Options options;
    StudyOptions own;
    set->declare(options);
    addValidationOptions(options, own, step.subject->algorithm());
    options.parse(step.sweep.arguments);
    set->prepare(options, context.progress());
    ConfigurationFilter filter;
    filter.backends = request.options.filter.backends;
    // The reference is what the others are compared with; it does not take part.
    if (filter.backends.size() > 1) dropReference(filter.backends);
    const auto configurations =
        configurationsOf(step.subject->algorithm(), std::move(filter), set->numberFormats());
    return compareProblems(*step.subject, *set, configurations, options, request.options.device, context)
        .toJson();
}

/// JSON that identifies a row before it is measured.
Json headOf(const MeasuredRow& row, const Problem& problem) {
    MeasuredRow named{.configuration = row.configuration};
    named.setProblem(problem);
    Json json = Json::object();
    addDimensions(json, named);
    addToJson(json, named.configuration);
    return json;
}

bool isTimedIn(const Json& report, const Json& head) {
    return std::ranges::any_of(
        report.at("rows"), [&](const Json& row) { return row.contains("seconds") && isSameRow(row, head); });
}

Json times(const StudyStep& step, const StudyRequest& request, const StudyFindings& earlier,
           const Json* first, CommandContext& context) {
    const auto set = step.subject->timingProblems();
    Options options;
    StudyOptions chosen;
    set->declare(options);
    addTimingOptions(options, chosen, step.subject->algorithm(), step.subject->leavesVariantToBackend());
    options.parse(step.sweep.arguments);
    set->prepare(options, context.progress());
    chosen.filter.backends = request.options.filter.backends;
    chosen.device = request.options.device;
    chosen.repeats = request.options.repeats;
    if (first != nullptr) chosen.repeats = std::min(chosen.repeats, kRoundsOfVisit);
    ConfigurationFilter filter = chosen.filter;
    filter.dialects = {chosen.device.dialect};
    const auto configurations =
        configurationsOf(step.subject->algorithm(), std::move(filter), set->numberFormats());
    StudyFindings findings = earlier;
    std::set<std::string> limited;
    const TimingRules rules{.enoughSeconds = request.enoughSeconds,
                            .beforeContest =
                                [&](std::vector<MeasuredRow>& rows, const Problem& problem) {
                                    if (first != nullptr) {
                                        std::erase_if(rows, [&](const MeasuredRow& row) {
                                            return !isTimedIn(*first, headOf(row, problem));
                                        });
                                        return;
                                    }
                                    for (MeasuredRow& row : rows) {
                                        const auto [reason, isLimit] = findings.refusal(step, row);
                                        row.skipped = reason;
                                        if (isLimit) limited.insert(reason);
                                    }
                                },
                            .afterContest =
                                [&](const std::vector<MeasuredRow>& rows) {
                                    for (const MeasuredRow& row : rows)
                                        if (row.hasTime())
                                            findings.takeTime(step, row.configuration.label(), sizeText(row),
                                                              row.total.seconds.minimum);
                                },
                            .ceilings = &earlier.ceilings()};
    Json json = timeProblems(*step.subject, *set, configurations, chosen, rules, context).toJson();
    for (Json& row : json["rows"])
        if (limited.contains(row.value("skipped", ""))) row["beyondLimit"] = true;
    json["series"] = step.sweep.series;
    json["extent"] = toString(step.sweep.extent);
    return json;
}

Json figure(const StudyStep& step, const StudyRequest& request, const StudyFindings& earlier,
            CommandContext& context) {
    for (const PublishedFigure& candidate : step.subject->published()) {
        if (candidate.id != step.figure) continue;
        ReproductionReport report = reportOf(candidate, request.figures, request.options.device.dialect);
        report.figure.enoughSeconds = std::min(report.figure.enoughSeconds, request.enoughSeconds);
        measureFigure(*step.subject, report, request.options, request.seed, earlier.ceilings(), context);
        return report.toJson();
    }
    throw std::logic_error("a step without its figure");
}

Json commands(const StudyStep& step, const StudyRequest& request, const StudyFindings& findings,
              CommandContext& context) {
    EndToEndRules rules{.backends = backendsToMeasure(request.options.filter.backends)};
    if (rules.backends.empty()) throw UnavailableError("the reference is not timed");
    rules.extent = step.sweep.extent;
    rules.refusal = [&](const std::string& backend) { return findings.refusalOfCommands(step, backend); };
    rules.repeats = std::min(request.options.repeats, kRoundsOfCommands);
    return timeEndToEndRuns({step.subject}, rules, context).toJson();
}

Json ceilings(const StudyRequest& request, CommandContext& context) {
    const std::vector<std::string> backends = backendsToMeasure(request.options.filter.backends);
    if (backends.empty()) throw UnavailableError("the reference has no ceilings");
    return measureDevices(backends, request.options.device, request.ceilingRules(), context).toJson();
}

}  // namespace

std::string StudyFindings::refusalOfCommands(const StudyStep& step, const std::string& backend) const {
    for (const auto& [configuration, verdict] : verdicts_)
        if (configuration.first == step.algorithm() && verdict == kDisagrees &&
            configuration.second.starts_with(backend + "/"))
            return fmt::format("{} {}", configuration.second, kDisagrees);
    return {};
}

void StudyFindings::take(const StudyStep& step, const Json& result) {
    if (step.kind == StepKind::Validation)
        for (const Json& row : result.at("rows")) {
            std::string& verdict = verdicts_[{step.algorithm(), labelOf(row)}];
            if (!verdict.empty()) continue;
            if (row.contains("skipped"))
                verdict = "not compared with the reference: " + row["skipped"].get<std::string>();
            else if (!row.at("agrees").get<bool>())
                verdict = kDisagrees;
            else if (row.at("inputs").get<std::size_t>() == 0)
                verdict = "not compared with the reference: it declined every input";
        }
    if (step.kind == StepKind::Times)
        for (const Json& row : result.at("rows"))
            if (row.contains("seconds"))
                takeTime(step, labelOf(row), formatCount(row.at("size").get<std::size_t>()),
                         row["seconds"].at("total").at("min").get<double>());
    if (step.kind == StepKind::Ceilings) keepCeilings(result, *ceilings_);
}

void StudyFindings::takeTime(const StudyStep& step, const std::string& label, const std::string& size,
                             double seconds) {
    if (seconds > longestRun_)
        tooLong_.try_emplace({step.algorithm() + ", " + step.sweep.series, label}, TooLong{size, seconds});
}

StudyFindings::Refusal StudyFindings::refusal(const StudyStep& step, const MeasuredRow& row) const {
    const std::string label = row.configuration.label();
    if (const auto slow = tooLong_.find({step.algorithm() + ", " + step.sweep.series, label});
        slow != tooLong_.end())
        return {
            fmt::format("took {} for {}; after more than {} nothing larger is run (--longest-run)",
                        formatSeconds(slow->second.seconds), slow->second.size, formatSeconds(longestRun_)),
            true};
    if (row.configuration.backend == kReference) return {};
    const auto verdict = verdicts_.find({step.algorithm(), label});
    return {verdict == verdicts_.end() ? "not compared with the reference" : verdict->second};
}

Json runStep(const StudyStep& step, const StudyRequest& request, const StudyFindings& findings,
             const Json* first, CommandContext& context) {
    switch (step.kind) {
        case StepKind::Validation:
            return validation(step, request, context);
        case StepKind::Times:
            return times(step, request, findings, first, context);
        case StepKind::Figure:
            return figure(step, request, findings, context);
        case StepKind::Ceilings:
            return ceilings(request, context);
        case StepKind::Commands:
            return commands(step, request, findings, context);
    }
    throw std::logic_error("a step of no kind");
}

bool isSameRow(const Json& one, const Json& other) {
    const auto isSame = [&](const char* name) { return one.value(name, "") == other.value(name, ""); };
    return isSame("backend") && isSame("variant") && isSame("dialect") && isSame("numberFormat") &&
           isSameSize(one, other);
}

void mergeVisit(Json& first, const Json& later) {
    Json& rows = first.at("rows");
    for (Json& row : rows) {
        const auto same =
            std::ranges::find_if(later.at("rows"), [&row](const Json& one) { return isSameRow(row, one); });
        if (same != later["rows"].end()) mergeRow(row, *same);
    }
    for (Json& row : rows)
        compareWithFirst(
            row, *std::ranges::find_if(rows, [&row](const Json& one) { return isSameSize(row, one); }));
    if (disturbanceOf(later) > disturbanceOf(first))
        for (const char* name : {"load", "noise", "busy"}) first[name] = later.at(name);
}

}  // namespace glycine::study
