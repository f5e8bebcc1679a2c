#include "engine/study/study_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/storage/content_hash.hpp"
#include "engine/study/plain_name.hpp"
#include "engine/study/study_runs.hpp"
#include "engine/study/study_visits.hpp"

namespace glycine::study {

namespace {

std::vector<const Subject*> chosenSubjects(const std::vector<std::string>& names) {
    std::vector<const Subject*> all, chosen;
    std::vector<std::string> known;
    for (const auto& subject : SubjectRegistry::instance().subjects()) {
        all.push_back(subject.get());
        known.emplace_back(subject->algorithm().name());
    }
    for (const std::string& name : names) {
        if (name == "all") return all;
        const auto found = std::ranges::find(known, name);
        if (found == known.end())
            throw UsageError(
                fmt::format("unknown algorithm '{}'; known: {}, all", name, fmt::join(known, ", ")));
        const Subject* subject = all[static_cast<std::size_t>(found - known.begin())];
        if (std::ranges::find(chosen, subject) == chosen.end()) chosen.push_back(subject);
    }
    return chosen;
}

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
        // Files of the same contents are the same problem, whatever they are called on other machines.
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
    // Times are held against the ceilings: those go before.
    std::ranges::stable_sort(steps, {}, [](const StudyStep& step) {
        const bool isTimes = step.kind == StepKind::Times;
        return std::pair(step.kind == StepKind::Validation ? 0
                         : isTimes                         ? 2
                                                           : 1,
                         isTimes ? step.sweep.extent : Extent::Small);
    });
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
                "--without validation: nothing is timed that was not compared with the reference");
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
    // The reference is what the others are compared with.
    if (filter.backends.size() > 1) dropReference(filter.backends);
    const auto configurations =
        configurationsOf(step.subject->algorithm(), std::move(filter), set->numberFormats());
    return compareProblems(*step.subject, *set, configurations, options, request.options.device, context)
        .toJson();
}

/// Of a row that is about to be measured, what tells it apart from others in JSON.
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
                            .admit =
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
                            .seen =
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

Json ceilings(const StudyRequest& request, CommandContext& context) {
    const std::vector<std::string> backends = backendsToMeasure(request.options.filter.backends);
    if (backends.empty()) throw UnavailableError("the reference has no ceilings");
    return measureDevices(backends, request.options.device, request.ceilingRules(), context).toJson();
}

}  // namespace

void StudyFindings::take(const StudyStep& step, const Json& result) {
    if (step.kind == StepKind::Validation)
        for (const Json& row : result.at("rows")) {
            std::string& verdict = verdicts_[{step.algorithm(), labelOf(row)}];
            if (!verdict.empty()) continue;
            if (row.contains("skipped"))
                verdict = "not compared with the reference: " + row["skipped"].get<std::string>();
            else if (!row.at("agrees").get<bool>())
                verdict = "disagrees with the reference";
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
    }
    throw std::logic_error("a step of no kind");
}

}  // namespace glycine::study
