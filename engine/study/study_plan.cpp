#include "engine/study/study_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/storage/content_hash.hpp"
#include "engine/study/plain_name.hpp"

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

}  // namespace glycine::study
