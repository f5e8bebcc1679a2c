#include <fmt/format.h>

#include <memory>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_runs.hpp"
#include "engine/study/validation_report.hpp"

namespace glycine::study {

namespace {

using Problems = std::vector<std::unique_ptr<Problem>>;

struct Validation {
    const Subject& subject;
    std::unique_ptr<ProblemSet> problems;
    StudyOptions options{};
};

/// Solves a problem in one configuration, compares the whole result, and records the outcome in `row`.
void validateProblem(Problem& problem, Backend& backend, CommandContext& context, ValidationRow& row) {
    if (const Support support = problem.supports(backend, row.configuration); !support) {
        row.refusals.push_back(fmt::format("{}: {}", problem.name(), support.reason()));
        return;
    }
    context.setProgressPrefix(fmt::format("reference, {}: ", problem.name()));
    const auto computation = problem.start(backend, row.configuration, CheckScope::Full, context.progress());
    context.setProgressPrefix(fmt::format("{}, {}: ", row.configuration.label(), problem.name()));
    row.seconds += computation->run(context.progress()).seconds;
    Comparison comparison = computation->check(context.progress());
    if (comparison.input.empty()) comparison.input = problem.name();
    row.add(comparison);
}

ValidationRow validateConfiguration(const Configuration& configuration, const Algorithm& algorithm,
                                    const Problems& problems, BackendPool& backends, CommandContext& context,
                                    ValidationReport& report) {
    ValidationRow row;
    row.configuration = configuration;
    try {
        Backend& backend = backends.use(configuration);
        if (const Support support = algorithm.supports(backend, configuration, {}); !support)
            throw UnavailableError(support.reason());
        report.addDevice(describeDevice(backend));
        for (const auto& problem : problems)
            if (problem->concerns(configuration)) validateProblem(*problem, backend, context, row);
        if (row.inputs == 0 && row.refusals.empty()) throw UnavailableError("none of these inputs is for it");
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
    return row;
}

int validate(CommandContext& context, const Options& options, Validation& validation) {
    ProblemSet& set = *validation.problems;
    set.prepare(options, context.progress());
    const std::vector<Configuration> configurations = configurationsToCompare(
        options, validation.options, validation.subject.algorithm(), set.numberFormats());
    const ValidationReport report =
        compareProblems(validation.subject, set, configurations, options, validation.options.device, context);
    context.clearProgressLine();
    deliver(context, report, validation.options.json);
    if (report.compared() == 0) throw UnavailableError("nothing was compared: no configuration could run");
    return report.disagreeing() == 0 ? 0 : 1;
}

}  // namespace

ValidationReport compareProblems(const Subject& subject, ProblemSet& set,
                                 const std::vector<Configuration>& configurations, const Options& options,
                                 const BackendOptions& device, CommandContext& context) {
    const Algorithm& algorithm = subject.algorithm();
    requireValidationMemory(algorithm.name(), set.bytes(numberFormatsOf(configurations)));
    set.makeInputs(context.progress());
    Problems problems;
    for (std::size_t index = 0; index < set.count(); ++index)
        problems.push_back(set.make(index, context.progress()));

    ValidationReport report;
    report.algorithm = algorithm.name();
    report.unit = subject.unit();
    report.environment = currentEnvironment();
    BackendPool backends(device);
    for (const Configuration& configuration : configurations)
        report.rows.push_back(
            validateConfiguration(configuration, algorithm, problems, backends, context, report));
    backends.release();
    Fields notes;
    for (ValidationRow& row :
         set.moreRows(options, configurations, problems, device, notes, context.progress()))
        report.rows.push_back(std::move(row));

    report.settings = set.settings();
    if (report.compared() > 0) {
        double seconds = 0;
        for (const auto& problem : problems) seconds += problem->referenceSeconds();
        // Not every algorithm reports the reference's time.
        const std::string time = seconds > 0 ? formatSeconds(seconds) + " for " : std::string();
        report.settings.emplace_back("reference", fmt::format("serial, {}{} in the number formats compared",
                                                              time, formatCount(problems.size(), "input")));
    }
    report.settings.insert(report.settings.end(), notes.begin(), notes.end());
    return report;
}

CommandAction declareValidate(const Subject& subject, Options& options) {
    const auto validation = std::make_shared<Validation>(Validation{subject, subject.validationProblems()});
    validation->problems->declare(options);
    addValidationOptions(options, validation->options, subject.algorithm());
    return
        [validation, &options](CommandContext& context) { return validate(context, options, *validation); };
}

}  // namespace glycine::study
