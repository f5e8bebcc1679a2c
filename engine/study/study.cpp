#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "engine/command/common_options.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/command/time_limit.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/study/reports/study_files.hpp"
#include "engine/study/reports/study_report.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_folder.hpp"
#include "engine/study/study_steps.hpp"

namespace glycine::study {

namespace {

/// Upper limit of options in seconds: about 30 years.
constexpr double kMaxSeconds = 1e9;

/// Backends that take part, and unavailable ones with the reason.
struct Devices {
    std::vector<DeviceDescription> present;
    Fields absent;
};

Devices probeDevices(const StudyRequest& request) {
    Devices devices;
    BackendPool backends(request.options.device);
    for (const auto& entry : BackendRegistry::instance().entries()) {
        const auto& wanted = request.options.filter.backends;
        if (!wanted.empty() && std::ranges::find(wanted, entry.name) == wanted.end()) continue;
        try {
            std::optional<Dialect> dialect;
            if (entry.name == "gl") dialect = request.options.device.dialect;
            devices.present.push_back(describeDevice(backends.use(entry.name, dialect)));
        } catch (const UnavailableError& error) {
            devices.absent.emplace_back(entry.name, error.what());
        }
    }
    return devices;
}

std::string identityOf(const Options& options, const StudyRequest& request, const Devices& devices,
                       const std::vector<StudyStep>& steps) {
    RunIdentity identity(options);
    identity.add("commit", buildInfo().commit);
    // Options that choose or restrict devices.
    const auto deciding = options.decidingValues();
    const Json settings = options.settings();
    for (const auto& [name, value] : settings.items()) {
        const auto isIt = [name = "--" + name](const auto& known) { return known.first == name; };
        if (!value.is_null() && name != "label" && name != "budget" && std::ranges::none_of(deciding, isIt))
            identity.add(name, value.dump());
    }
    identity.add("algorithms", fmt::format("{}", fmt::join(request.algorithms, ",")));
    if (!request.input.empty()) identity.addContents("contents of the input", {request.input});
    identity.add("processor", currentEnvironment().processor);
    for (const DeviceDescription& device : devices.present) {
        const auto [name, text] = deviceField(device);
        identity.add("device of " + name, text);
    }
    for (const auto& [name, reason] : devices.absent) identity.add("device of " + name, "none");
    identity.add("steps", fmt::format("{}", steps.size()));
    return identity.text();
}

/// "cpu: 24 rows": summary of a finished step, for its line.
std::string summaryOf(const Json& result) {
    std::size_t rows = 0, wrong = 0;
    for (const Json& row : result.value("rows", Json::array())) {
        ++rows;
        if (!row.value("agrees", true) || !row.value("verified", true)) ++wrong;
    }
    std::string text = formatCount(rows, "row");
    if (result.contains("measured")) {
        rows = 0;
        for (const Json& device : result["measured"])
            for (const Json& ceiling : device.value("ceilings", Json::array())) {
                ++rows;
                if (ceiling.contains("wrong")) ++wrong;
            }
        text = formatCount(rows, "ceiling");
    }
    if (wrong > 0) text += fmt::format(", {} WRONG", wrong);
    if (const std::string busy = result.value("busy", ""); !busy.empty()) text += ", BUSY MACHINE: " + busy;
    return text;
}

/// Sets the defaults of --quick, except for options that the user gave.
void applyQuick(const Options& options, StudyRequest& request) {
    if (!request.isQuick) return;
    if (!options.isGiven("--up-to")) request.upTo = Extent::Small;
    if (!options.isGiven("--longest-run")) request.longestRun = 0.5;
    if (!options.isGiven("--enough")) request.enoughSeconds = 1;
    if (!options.isGiven("--figures")) request.figures = Scale::Quick;
    if (!options.isGiven("--visits")) request.visits = 3;
}

/// The time limit of a call, and the share of it that each step may use.
class Budget {
  public:
    explicit Budget(const StudyRequest& request) : request_(request) {}

    double left() const {
        constexpr double kNever = std::numeric_limits<double>::infinity();
        return request_.budget > 0 ? request_.budget - watch_.seconds() : kNever;
    }
    bool isUsedUp() const { return left() <= 0; }
    std::string reason() const {
        return fmt::format("the budget of {} was used up (--budget)", formatSeconds(request_.budget));
    }
    struct Limit {
        double seconds;
        std::string reason;
        bool isOfCall = true;  ///< a limit of this call, not of the study: another call may continue
    };
    /// Limit of a step; `open`: number of unfinished steps, from this one on, whose times may be cut.
    /// Validations and ceilings are never cut, because later steps depend on them. Every other step may use
    /// twice its even share of the remaining time, since most finish early.
    Limit limitOf(const StudyStep& step, std::size_t open) const {
        Limit limit{left(), reason()};
        if (canBeCut(step) && request_.budget > 0)
            if (const double share = 2 * limit.seconds / static_cast<double>(open); share < limit.seconds)
                limit = {share, fmt::format("its share of the budget, {} of {}, was used up (--budget)",
                                            formatSeconds(share), formatSeconds(request_.budget))};
        if (step.kind == StepKind::Figure && request_.figureLimit > 0 && request_.figureLimit < limit.seconds)
            limit = {request_.figureLimit,
                     fmt::format("the limit of {} a figure was reached (--figure-limit)",
                                 formatSeconds(request_.figureLimit)),
                     false};
        return limit;
    }
    static bool canBeCut(const StudyStep& step) {
        return step.kind == StepKind::Times || step.kind == StepKind::Figure;
    }

  private:
    const StudyRequest& request_;
    Stopwatch watch_;
};

/// Names of the results in the folder: the steps, then the later visits to each step of times.
std::vector<std::string> idsOf(const std::vector<StudyStep>& steps, std::size_t visits) {
    std::vector<std::string> ids;
    for (const StudyStep& step : steps) ids.push_back(step.id);
    for (std::size_t visit = 2; visit <= visits; ++visit)
        for (const StudyStep& step : steps) ids.push_back(fmt::format("{}-visit-{}", step.id, visit));
    return ids;
}

/// One call of the command: runs all steps.
class StudyCall {
  public:
    StudyCall(const StudyRequest& request, const std::vector<StudyStep>& steps, StudyFolder& folder,
              const Budget& budget, CommandContext& context)
        : request_(request),
          steps_(steps),
          folder_(folder),
          budget_(budget),
          context_(context),
          findings_(request.longestRun, request.ceilingRules()) {}

    /// Returns the report's list of steps.
    Json run() {
        std::vector<Json> entries;
        for (std::size_t index = 0; index < steps_.size(); ++index) {
            std::size_t open = 0;
            for (std::size_t later = index; later < steps_.size(); ++later)
                if (Budget::canBeCut(steps_[later]) && !folder_.isDone(later)) ++open;
            entries.push_back(
                perform(index, index, nullptr, open,
                        fmt::format("[{}/{}] {}", index + 1, steps_.size(), steps_[index].title())));
        }
        visitAgain(entries);
        context_.setProgressPrefix("");
        return Json(entries);
    }
    bool isWrong() const { return isWrong_; }
    /// "8 of 9 steps are complete; …" if another call would continue; otherwise empty.
    std::string remainder() const {
        if (cut_ == 0) return {};
        return fmt::format("{} of {} are complete; the same command continues with the others\n", kept_,
                           formatCount(kept_ + cut_, "step"));
    }

  private:
    /// Repeats the short steps of times. Each pass covers all of them, so that visits to one step are far
    /// apart.
    void visitAgain(std::vector<Json>& entries) {
        std::vector<std::size_t> shortSteps;
        for (std::size_t index = 0; index < steps_.size(); ++index)
            if (steps_[index].kind == StepKind::Times && entries[index]["status"] == "done" &&
                !entries[index].contains("cutShort") &&
                entries[index]["wallSeconds"].get<double>() < kShortStepSeconds)
                shortSteps.push_back(index);
        // Visits are compared with the first one; their results are merged at the end.
        const std::vector<Json> firsts = entries;
        const auto placeOf = [this](std::size_t visit, std::size_t index) {
            return (visit - 1) * steps_.size() + index;
        };
        // Visits that an earlier call finished need no share of the budget.
        std::size_t open = 0;
        for (std::size_t visit = 2; visit <= request_.visits; ++visit)
            open += static_cast<std::size_t>(std::ranges::count_if(
                shortSteps, [&](std::size_t index) { return !folder_.isDone(placeOf(visit, index)); }));
        for (std::size_t visit = 2; visit <= request_.visits; ++visit)
            for (const std::size_t index : shortSteps) {
                const std::size_t place = placeOf(visit, index);
                const std::size_t openHere = folder_.isDone(place) ? open : open--;
                const Json entry =
                    perform(place, index, &firsts[index]["result"], openHere,
                            fmt::format("[visit {}/{}] {}", visit, request_.visits, steps_[index].title()));
                if (entry["status"] == "done") {
                    mergeVisit(entries[index]["result"], entry["result"]);
                    entries[index]["wallSeconds"] =
                        entries[index]["wallSeconds"].get<double>() + entry["wallSeconds"].get<double>();
                }
                const std::string reason = entry.value("reason", entry.value("cutShort", ""));
                if (!reason.empty() && !entries[index].contains("cutShort"))
                    entries[index]["cutShort"] =
                        fmt::format("visit {} of {}: {}", visit, request_.visits, reason);
            }
    }

    /// Runs a step, or loads the result of an earlier call. `place`: index in the folder.
    Json perform(std::size_t place, std::size_t index, const Json* first, std::size_t open,
                 const std::string& line) {
        const StudyStep& step = steps_[index];
        try {
            const bool wasDone = folder_.isDone(place);
            Json entry = wasDone ? folder_.load(place) : runNow(place, step, first, open);
            if (wasDone) ++kept_;
            if (first == nullptr) findings_.take(step, entry.at("result"));
            const std::string summary = summaryOf(entry["result"]);
            say(fmt::format("{}: {}{}{}", line, summary,
                            wasDone ? ", from an earlier call"
                                    : fmt::format(", {}", formatSeconds(entry["wallSeconds"].get<double>())),
                            entry.contains("cutShort") ? ", " + entry["cutShort"].get<std::string>() : ""));
            isWrong_ = isWrong_ || summary.find("WRONG") != std::string::npos;
            return entry;
        } catch (const CancelledError&) {
            throw CancelledError(
                fmt::format("cancelled; {} are finished in {}, and the same command resumes there",
                            formatCount(kept_, "step"), request_.folder));
        } catch (const TimeLimitError& error) {
            // Stopped before the step had results, or in a step that is useless unless complete.
            ++cut_;
            return notRun(step, error, line);
        } catch (const UsageError&) {
            throw;
        } catch (const InputError&) {
            throw;
        } catch (const Error& error) {
            // One failed step does not end the study; the next call tries it again.
            return notRun(step, error, line);
        }
    }

    Json runNow(std::size_t place, const StudyStep& step, const Json* first, std::size_t open) {
        if (budget_.isUsedUp()) throw TimeLimitError(budget_.reason());
        context_.setProgressPrefix("");
        const Budget::Limit allowed = budget_.limitOf(step, open);
        const TimeLimit limit(allowed.seconds, allowed.reason);
        const Stopwatch watch;
        Json entry = headOf(step);
        entry["result"] = runStep(step, request_, findings_, first, context_);
        entry["status"] = "done";
        entry["wallSeconds"] = watch.seconds();
        const std::string cutShort = entry["result"].value("cutShort", "");
        if (!cutShort.empty()) entry["cutShort"] = cutShort;
        // A result that another call may extend is shown but not kept.
        if (!cutShort.empty() && allowed.isOfCall) {
            ++cut_;
        } else {
            folder_.keep(place, entry);
            ++kept_;
        }
        return entry;
    }

    Json notRun(const StudyStep& step, const Error& error, const std::string& line) {
        Json entry = headOf(step);
        entry["status"] = "not run";
        entry["reason"] = error.what();
        say(fmt::format("{}: not run: {}", line, error.what()));
        return entry;
    }

    static Json headOf(const StudyStep& step) {
        return stepHead(step.id, toString(step.kind), step.algorithm(), step.sweep, step.figure);
    }

    void say(const std::string& line) {
        context_.clearProgressLine();
        context_.err() << line << '\n';
    }

    const StudyRequest& request_;
    const std::vector<StudyStep>& steps_;
    StudyFolder& folder_;
    const Budget& budget_;
    CommandContext& context_;
    StudyFindings findings_;
    bool isWrong_ = false;
    std::size_t kept_ = 0;
    std::size_t cut_ = 0;  ///< steps cut short by the budget
};

int study(CommandContext& context, const Options& options, StudyRequest& request) {
    const Budget budget(request);
    applyQuick(options, request);
    for (const std::string& backend : request.options.filter.backends)
        BackendRegistry::instance().find(backend);
    if (!request.input.empty()) options.requireReaders({"input", {"file"}, request.input + " is a file"});
    const std::vector<StudyStep> steps = planStudy(request);
    if (std::ranges::find(steps, StepKind::Figure, &StudyStep::kind) == steps.end())
        options.requireReaders({"parts", {}, "this study has none"});
    const Devices devices = probeDevices(request);
    std::vector<std::string> used = request.options.filter.backends;
    if (used.empty())
        for (const DeviceDescription& device : devices.present) used.push_back(device.backend);
    checkBackendOptions(options, used);

    StudyFolder folder(request.folder, identityOf(options, request, devices, steps),
                       idsOf(steps, request.visits), request.restart);
    StudyCall call(request, steps, folder, budget, context);
    Json written = call.run();

    Json report = studyHead(request.label, devices.present);
    report["scale"] = request.isQuick ? "quick" : "full";
    report["options"] = options.settings();
    report["environment"] = toJson(currentEnvironment());
    report["devices"] = jsonArray(devices.present, [](const auto& device) { return toJson(device); });
    report["absent"] = jsonArray(devices.absent, [](const auto& one) {
        return Json{{"backend", one.first}, {"reason", one.second}};
    });
    report["steps"] = std::move(written);
    writeStudyFiles(request.folder, report).print(context.out(), terminalWidth());
    context.out() << call.remainder();
    return call.isWrong() ? 1 : 0;
}

}  // namespace

CommandAction declareStudy(Options& options) {
    const auto request = std::make_shared<StudyRequest>();
    options.value("ALGORITHM…", request->algorithms, "Algorithms to run; all if absent").byDefault("all");
    options.value("-o,--output FOLDER", request->folder, "Folder for the report and the steps' results")
        .notASetting();
    options
        .flag("--quick", request->isQuick,
              "Use small inputs and short runs: a first look, for small machines")
        .decidesResult();
    options
        .value("--input FILE", request->input,
               "Also compare and time this file, for a single algorithm, instead of generated inputs")
        .decidesResult();
    options.choice("--up-to EXTENT", request->upTo, "Sizes of the sweep: small, medium or large")
        .byDefault("large; with --quick small")
        .decidesResult()
        .readBy("input", {"generated"}, "generated inputs");
    options
        .value("--without PART,…", request->leftOut, "Parts to leave out: times, ceilings, commands, figures")
        .suggests({"times", "ceilings", "commands", "figures"})
        .decidesResult();
    options
        .value("--backend B,…", request->options.filter.backends,
               "Only these backends (default: all but reference)")
        .suggests(backendNames())
        .decidesResult();
    options
        .value("--repeats R", request->options.repeats, "Number of timed rounds, after one that is discarded")
        .within(1, kMaxRepeats)
        .decidesResult();
    options
        .value("--visits V", request->visits,
               "Number of separate visits that time short steps; the interval is over the visits")
        .within(1, 1000)
        .byDefault("5; with --quick 3")
        .advanced()
        .decidesResult();
    options
        .value("--enough SECONDS", request->enoughSeconds,
               "Total time of a row's runs after which it is not repeated further")
        .above(0, kMaxSeconds)
        .byDefault("20; with --quick 1")
        .advanced()
        .decidesResult();
    options
        .value("--longest-run SECONDS", request->longestRun,
               "Time of a run above which larger inputs are skipped")
        .above(0, kMaxSeconds)
        .byDefault("10; with --quick 0.5")
        .advanced()
        .decidesResult();
    options
        .choice("--figures SCALE", request->figures,
                "Sizes of the published figures: published, or quick for small machines")
        .byDefault("published; with --quick quick")
        .decidesResult()
        .readBy("parts", {"figures"}, "published figures");
    options
        .value("--figure-limit SECONDS", request->figureLimit,
               "Time limit of a published figure; the report marks rows that were not measured")
        .above(0, kMaxSeconds)
        .byDefault("none")
        .decidesResult()
        .readBy("parts", {"figures"}, "published figures");
    options
        .value(
            "--budget SECONDS", request->budget,
            "Time limit of the whole call, which then reports its results so far; the same command resumes")
        .above(0, kMaxSeconds)
        .byDefault("none");
    options.value("--seed S", request->seed, "Random seed of the data for published figures")
        .decidesResult()
        .readBy("parts", {"figures"}, "published figures");
    options.value("--label NAME", request->label, "Name of this machine in comparisons of reports")
        .byDefault("its devices");
    addRestartOption(options, request->restart);
    addBackendOptions(options, request->options.device);
    options.footer(
        "Compares every backend, variant, dialect and number format with the reference, times those\n"
        "that agree, measures the published figures, and writes a report: report.html (one file, needs\n"
        "no network), .md, .json and tables as .csv. Each step's result is kept: the same command\n"
        "resumes a stopped study. Exit code 1 if a result was wrong. docs/studies.md explains which\n"
        "claims a study supports.\n\n"
        "Examples:\n"
        "  glycine study bounds --quick -o first-look\n"
        "  glycine study all -o study --label \"workstation, RTX 4090\"\n"
        "  glycine study distance --input cohort.bed -o cohort-study\n"
        "  glycine study all --budget 480 --figure-limit 30    # in an eight-minute slot; repeat to resume\n"
        "  glycine report here/report.json there/report.json -o both");
    return [request, &options](CommandContext& context) { return study(context, options, *request); };
}

void addStudyCommands() {
    CommandRegistry::instance().add(
        {"", "study", "Commands", "Compare and time all backends, and write a report", declareStudy});
    CommandRegistry::instance().add({"", "report", "Commands",
                                     "Write the page of a study, or compare several machines", declareReport,
                                     false});
}

}  // namespace glycine::study
