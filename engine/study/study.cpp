#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "engine/command/backend_options.hpp"
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

/// The backends that take part, and those that cannot, with the reason.
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
    // What chooses and restricts devices.
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

/// "cpu: 24 rows", what a finished step has to tell in its line.
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

/// Defaults of --quick, where the user said nothing else.
void applyQuick(const Options& options, StudyRequest& request) {
    if (!request.isQuick) return;
    if (!options.isGiven("--up-to")) request.upTo = Extent::Small;
    if (!options.isGiven("--longest-run")) request.longestRun = 0.5;
    if (!options.isGiven("--enough")) request.enoughSeconds = 1;
    if (!options.isGiven("--figures")) request.figures = Scale::Quick;
}

/// The time that a call may take, and what of it a step may.
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
        bool isOfCall = true;  ///< and not of the study: another call may get further
    };
    /// What the step may take; `open`: unfinished steps from this one on whose times may be cut. What others
    /// are let through by, or held against, takes what it takes; the rest shares evenly what is left, twice
    /// over, since most steps take less than their share.
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

    std::vector<std::string> ids;
    for (const StudyStep& step : steps) ids.push_back(step.id);
    StudyFolder folder(request.folder, identityOf(options, request, devices, steps), ids, request.restart);
    StudyFindings findings(request.longestRun, request.ceilingRules());
    Json written = Json::array();
    bool isWrong = false;
    std::size_t kept = 0;
    std::size_t cut = 0;  // by the budget
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const StudyStep& step = steps[index];
        const std::string number = fmt::format("[{}/{}] {}", index + 1, steps.size(), step.title());
        Json entry;
        try {
            const bool wasDone = folder.isDone(index);
            if (!wasDone) {
                if (budget.isUsedUp()) throw TimeLimitError(budget.reason());
                context.setProgressPrefix("");
                std::size_t open = 0;
                for (std::size_t later = index; later < steps.size(); ++later)
                    if (Budget::canBeCut(steps[later]) && !folder.isDone(later)) ++open;
                const Budget::Limit allowed = budget.limitOf(step, open);
                const TimeLimit limit(allowed.seconds, allowed.reason);
                const Stopwatch watch;
                entry = stepHead(step.id, toString(step.kind), step.algorithm(), step.sweep, step.figure);
                entry["result"] = runStep(step, request, findings, context);
                entry["status"] = "done";
                entry["wallSeconds"] = watch.seconds();
                const std::string cutShort = entry["result"].value("cutShort", "");
                if (!cutShort.empty()) entry["cutShort"] = cutShort;
                // What another call may bring further is shown, and not kept.
                if (!cutShort.empty() && allowed.isOfCall) {
                    ++cut;
                } else {
                    folder.keep(index, entry);
                    ++kept;
                }
            } else {
                entry = folder.load(index);
                ++kept;
            }
            findings.take(step, entry.at("result"));
            context.clearProgressLine();
            context.err() << fmt::format(
                "{}: {}{}{}\n", number, summaryOf(entry["result"]),
                wasDone ? ", from an earlier call"
                        : fmt::format(", {}", formatSeconds(entry["wallSeconds"].get<double>())),
                entry.contains("cutShort") ? ", " + entry["cutShort"].get<std::string>() : "");
            isWrong = isWrong || summaryOf(entry["result"]).find("WRONG") != std::string::npos;
        } catch (const CancelledError&) {
            throw CancelledError(fmt::format(
                "cancelled; {} of {} steps are finished in {}, and the same command goes on from there", kept,
                steps.size(), request.folder));
        } catch (const TimeLimitError& error) {
            // Before anything came of the step, or in one that is nothing unless it is whole.
            entry = stepHead(step.id, toString(step.kind), step.algorithm(), step.sweep, step.figure);
            entry["status"] = "not run";
            entry["reason"] = error.what();
            ++cut;
            context.clearProgressLine();
            context.err() << fmt::format("{}: not run: {}\n", number, error.what());
        } catch (const UsageError&) {
            throw;
        } catch (const InputError&) {
            throw;
        } catch (const Error& error) {
            // A study is not given up for one step; the next call tries it again.
            entry = stepHead(step.id, toString(step.kind), step.algorithm(), step.sweep, step.figure);
            entry["status"] = "not run";
            entry["reason"] = error.what();
            context.clearProgressLine();
            context.err() << fmt::format("{}: not run: {}\n", number, error.what());
        }
        written.push_back(std::move(entry));
    }
    context.setProgressPrefix("");

    Json report = studyHead(request.label, devices.present);
    report["scale"] = request.isQuick ? "quick" : "full";
    report["options"] = options.settings();
    report["environment"] = toJson(currentEnvironment());
    report["devices"] = jsonArray(devices.present, [](const auto& device) { return toJson(device); });
    report["absent"] = jsonArray(devices.absent, [](const auto& one) {
        return Json{{"backend", one.first}, {"reason", one.second}};
    });
    report["steps"] = std::move(written);
    const std::vector<std::filesystem::path> files = writeStudyFiles(request.folder, report);
    for (const std::filesystem::path& file : files) context.out() << "Wrote " << file.string() << '\n';
    if (cut > 0)
        context.out() << fmt::format("{} of {} are complete; the same command goes on with the others\n",
                                     kept, formatCount(steps.size(), "step"));
    return isWrong ? 1 : 0;
}

}  // namespace

CommandAction declareStudy(Options& options) {
    const auto request = std::make_shared<StudyRequest>();
    options.value("ALGORITHM…", request->algorithms, "Which algorithms; all of them if absent")
        .byDefault("all");
    options.value("-o,--output FOLDER", request->folder, "Where the report and the steps' results go")
        .notASetting();
    options.flag("--quick", request->isQuick, "Small inputs and short runs: a first look, for small machines")
        .decidesResult();
    options
        .value("--input FILE", request->input,
               "Also compare, and time, this file of the one algorithm, instead of generated inputs")
        .decidesResult();
    options.choice("--up-to EXTENT", request->upTo, "Sizes of the sweep: small, medium or large")
        .byDefault("large; with --quick small")
        .decidesResult()
        .readBy("input", {"generated"}, "generated inputs");
    options.value("--without PART,…", request->leftOut, "Leave out: times, ceilings, figures")
        .decidesResult();
    options
        .value("--backend B,…", request->options.filter.backends,
               "Only these backends (default: all but reference)")
        .decidesResult();
    options.value("--repeats R", request->options.repeats, "Timed rounds after the one that is dropped")
        .positive()
        .decidesResult();
    options
        .value("--enough SECONDS", request->enoughSeconds,
               "A row whose runs have taken so long together is not repeated further")
        .positive()
        .byDefault("20; with --quick 1")
        .decidesResult();
    options
        .value("--longest-run SECONDS", request->longestRun, "What took longer is not run on larger inputs")
        .positive()
        .byDefault("10; with --quick 0.5")
        .decidesResult();
    options
        .choice("--figures SCALE", request->figures,
                "Sizes of the published figures: published, or quick for small machines")
        .byDefault("published; with --quick quick")
        .decidesResult()
        .readBy("parts", {"figures"}, "published figures");
    options
        .value("--figure-limit SECONDS", request->figureLimit,
               "A published figure ends then with what is measured; what is not says so")
        .positive()
        .byDefault("none")
        .decidesResult()
        .readBy("parts", {"figures"}, "published figures");
    options
        .value("--budget SECONDS", request->budget,
               "The whole call ends then, with a report of what it has; the same command goes on from there")
        .positive()
        .byDefault("none");
    options.value("--seed S", request->seed, "Which data published figures are measured on")
        .decidesResult()
        .readBy("parts", {"figures"}, "published figures");
    options.value("--label NAME", request->label, "What this machine is called where reports are compared")
        .byDefault("its devices");
    addRestartOption(options, request->restart);
    addBackendOptions(options, request->options.device);
    options.footer(
        "Compares every backend, variant, dialect and number format with the reference, times what agreed, "
        "measures\n"
        "the published figures, and writes a report: report.html (one file, needs no network), .md, .json "
        "and "
        "tables\n"
        "as .csv. Each step's result is kept: a study that was stopped goes on where it was, called in the "
        "same way.\n"
        "Exit code 1 when a result was wrong. docs/studies.md explains what may be claimed from it.\n\n"
        "Examples:\n"
        "  glycine study bounds --quick -o first-look\n"
        "  glycine study all -o study --label \"workstation, RTX 4090\"\n"
        "  glycine study distance --input cohort.bed -o cohort-study\n"
        "  glycine study all --budget 480 --figure-limit 30    # in a slot of eight minutes; call it again "
        "to go "
        "on\n"
        "  glycine report here/report.json there/report.json -o both");
    return [request, &options](CommandContext& context) { return study(context, options, *request); };
}

void addStudyCommands() {
    CommandRegistry::instance().add(
        {"", "study", "Commands", "Compare and time all backends, and write a report", declareStudy});
    CommandRegistry::instance().add({"", "report", "Commands",
                                     "Compare the reports of studies of several machines", declareReport,
                                     false});
}

}  // namespace glycine::study
