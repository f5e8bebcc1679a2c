#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/time_limit.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/reproduction_report.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

struct Reproduction {
    std::string id;
    bool isList = false;
    bool isQuick = false;
    std::uint64_t seed = 1;
    std::string png;
    StudyOptions options;
};

/// The figure, and whose it is.
std::pair<PublishedFigure, const Subject*> findFigure(const std::string& id) {
    std::vector<std::string> known;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (PublishedFigure& figure : subject->published()) {
            if (figure.id == id) return {std::move(figure), subject.get()};
            known.push_back(figure.id);
        }
    throw UsageError(fmt::format("unknown figure '{}'; known: {}; `glycine reproduce --list` explains them",
                                 id, fmt::join(known, ", ")));
}

int listFigures(CommandContext& context, bool asJson) {
    std::vector<PublishedFigure> figures;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        std::ranges::move(subject->published(), std::back_inserter(figures));
    if (asJson) {
        Json list = jsonArray(figures, [](const PublishedFigure& figure) {
            return Json{{"figure", figure.id},
                        {"title", figure.title},
                        {"quick", figure.quick},
                        {"source", figure.source}};
        });
        printJson(context.out(), {{"command", "reproduce"}, {"figures", std::move(list)}});
        return 0;
    }
    TableOf<PublishedFigure> table;
    table.add({"figure"}, std::mem_fn(&PublishedFigure::id));
    table.add({"what it shows"}, std::mem_fn(&PublishedFigure::title));
    table.add({"--quick"}, std::mem_fn(&PublishedFigure::quick));
    table.add({"source"}, std::mem_fn(&PublishedFigure::source));
    table.print(context.out(), figures, terminalWidth());
    return 0;
}

void checkRequest(const Options& options, const Reproduction& request, const std::vector<FigureRow>& rows) {
    std::vector<std::string> backends = request.options.filter.backends;
    for (const std::string& backend : backends) BackendRegistry::instance().find(backend);
    if (backends.empty())
        for (const FigureRow& row : rows)
            if (!row.isPaperAlone() &&
                std::ranges::find(backends, row.configuration.backend) == backends.end())
                backends.push_back(row.configuration.backend);
    checkBackendOptions(options, backends);
    std::vector<std::filesystem::path> outputs;
    if (!request.options.output.empty()) outputs.emplace_back(request.options.output);
    if (!request.png.empty()) {
        picture::requirePictureFile("--png", request.png);
        outputs.emplace_back(request.png);
    }
    checkOutputFiles(outputs, {});
}

/// The time of a row's stage ("upper", "upper+lower") or of the whole run. The row has a time.
MeasuredTime stageTime(const MeasuredRow& row, const std::string& stage) {
    if (stage.empty()) return row.total;
    MeasuredTime sum{row.total.name};
    std::vector<double> samples(row.total.seconds.count, 0.0);
    std::istringstream names(stage);
    for (std::string name; std::getline(names, name, '+');) {
        const MeasuredTime* time = row.time(name);
        if (time == nullptr) throw std::logic_error(fmt::format("no stage is called '{}'", name));
        for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += time->seconds.samples[i];
        sum.work += time->work;
    }
    sum.seconds = summarize(std::move(samples));
    return sum;
}

/// Whether the row can be measured; else it gets the reason.
bool isWanted(FigureRow& row, const std::vector<std::string>& wanted) {
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    if (!wanted.empty() && std::ranges::find(wanted, row.configuration.backend) == wanted.end())
        row.skipped = "not among --backend";
    else if (processors > 0 && row.threads > processors)
        row.skipped = fmt::format("this machine has {}", formatCount(std::size_t(processors), "processor"));
    return row.skipped.empty();
}

/// Those of the uses that are about the time of the row's stage; of a row of the whole run, all.
std::vector<CeilingUse> usesOfStage(std::vector<CeilingUse> uses, const std::string& stage) {
    if (stage.empty()) return uses;
    const std::string among = "+" + stage + "+";
    std::erase_if(uses, [&](const CeilingUse& use) {
        return use.stage.empty() || among.find("+" + use.stage + "+") == std::string::npos;
    });
    return uses;
}

/// Makes the problems; where time is up before they are there, the rows say so and there are none.
std::vector<std::unique_ptr<Problem>> makeProblems(ReproductionReport& report, std::uint64_t seed,
                                                   CommandContext& context) {
    try {
        return report.figure.problems(report.scale, seed, context.progress());
    } catch (const TimeLimitError& error) {
        report.cutShort = fmt::format("its inputs were not made: {}", error.what());
        for (FigureRow& row : report.rows)
            if (!row.isPaperAlone()) row.skipped = report.cutShort;
        return {};
    }
}

void measure(const StudyOptions& options, std::uint64_t seed, const Subject& subject,
             ReproductionReport& report, CeilingsInUse& ceilings, CommandContext& context) {
    BackendPool backends(options.device);
    const ContestRules rules{
        .repeats = options.repeats, .enoughSeconds = report.figure.enoughSeconds, .unit = subject.unit()};
    ConditionsMeter meter;
    auto problems = makeProblems(report, seed, context);
    for (std::size_t index = 0; index < problems.size(); ++index) {
        // All rows of one problem, side by side; those of one method with different stages come from the
        // same runs.
        std::vector<MeasuredRow> contenders;
        std::vector<std::pair<FigureRow*, std::size_t>> measured;
        for (FigureRow& row : report.rows) {
            if (row.published.problem != index) continue;
            row.setProblem(*problems[index]);
            if (row.isPaperAlone() || !isWanted(row, options.filter.backends)) continue;
            const auto same = std::ranges::find_if(contenders, [&row](const MeasuredRow& contender) {
                return contender.configuration.label() == row.configuration.label() &&
                       contender.threads == row.threads;
            });
            measured.emplace_back(&row, same - contenders.begin());
            if (same == contenders.end()) contenders.push_back(row);
        }
        holdContest(*problems[index], contenders, backends, rules, meter, context);
        for (MeasuredRow& contender : contenders) {
            if (!contender.cutShort.empty())
                report.cutShort = incompleteText("problem", index, problems.size(), TimeLimit::reason());
            if (!contender.hasTime()) continue;
            const TimeLimit::Suspension suspension;  // what has a time is told whole
            context.setProgressPrefix("ceilings: ");
            contender.ceilings = usesOf(problems[index]->needs(contender.configuration),
                                        backends.use(contender.configuration, contender.threads), ceilings,
                                        context.progress());
        }
        for (const auto& [row, contender] : measured) {
            static_cast<MeasuredRow&>(*row) = contenders[contender];
            row->ceilings = usesOfStage(std::move(row->ceilings), row->published.stage);
            if (row->hasTime()) row->total = stageTime(contenders[contender], row->published.stage);
            report.addDevice(row->device);
        }
        problems[index].reset();
    }
    report.conditions = meter.finish(spreadsOf(report.rows));
}

std::vector<FigureRow> rowsOf(const PublishedFigure& figure, Scale scale, Dialect dialect) {
    std::vector<FigureRow> rows;
    for (PublishedRow& published : figure.rows(scale)) {
        FigureRow& row = rows.emplace_back();
        row.configuration = published.configuration;
        row.threads = published.threads;
        if (row.configuration.backend == "gl" && !row.configuration.dialect)
            row.configuration.dialect = dialect;
        row.published = std::move(published);
    }
    return rows;
}

int reproduce(CommandContext& context, const Options& options, const Reproduction& request) {
    if (request.isList) {
        options.requireOnly({"--list", "--json"}, "--list shows all figures");
        return listFigures(context, request.options.json);
    }
    if (request.id.empty())
        throw UsageError("reproduce needs the ID of a figure; see `glycine reproduce --list`");
    const auto [figure, subject] = findFigure(request.id);
    ReproductionReport report =
        reportOf(figure, request.isQuick ? Scale::Quick : Scale::Published, request.options.device.dialect);
    checkRequest(options, request, report.rows);
    CeilingsInUse ceilings;
    measureFigure(*subject, report, request.options, request.seed, ceilings, context);
    context.clearProgressLine();
    if (!request.png.empty()) report.draw(request.png);
    deliver(context, report, request.options.json, request.options.output, request.png);
    return std::ranges::any_of(report.rows, &FigureRow::isWrong) ? 1 : 0;
}

}  // namespace

ReproductionReport reportOf(const PublishedFigure& figure, Scale scale, Dialect dialect) {
    ReproductionReport report;
    report.figure = figure;
    report.scale = scale;
    report.rows = rowsOf(figure, scale, dialect);
    return report;
}

void measureFigure(const Subject& subject, ReproductionReport& report, const StudyOptions& options,
                   std::uint64_t seed, CeilingsInUse& ceilings, CommandContext& context) {
    if (report.figure.bytes) requireTimingMemory(report.figure.id, report.figure.bytes(report.scale));
    report.environment = currentEnvironment();
    report.settings = {
        {"seed", fmt::format("{}", seed)},
        {"runs",
         fmt::format(
             "in rounds, each method once a round; 1 dropped, {} timed, fewer where they take more than {} "
             "together: minimum (median)",
             options.repeats, formatSeconds(report.figure.enoughSeconds))},
        {"verdicts",
         "from the interval of the median (order statistics; of ratios round by round): undecided where it "
         "crosses the "
         "claim's limit"}};
    ceilings.beginReport();
    measure(options, seed, subject, report, ceilings, context);
    std::vector<MeasuredRow*> rows;
    for (FigureRow& row : report.rows) rows.push_back(&row);
    if (const std::string text = ceilings.text(raiseCeilings(rows, report.figure.id)); !text.empty())
        report.settings.emplace_back("ceilings", text);
    for (const Claim& claim : report.figure.claims(report.scale))
        report.claims.push_back(judge(claim, report.rows));
    if (report.cutShort.empty() &&
        std::ranges::none_of(report.rows, [](const FigureRow& row) { return row.hasTime() || row.isWrong; }))
        throw UnavailableError("nothing was measured: no method of the figure could run");
}

CommandAction declareReproduce(Options& options) {
    const auto request = std::make_shared<Reproduction>();
    options.value("ID", request->id, "Which figure or table");
    options.flag("--list", request->isList, "Show the figures that can be measured here").notASetting();
    options.flag("--quick", request->isQuick, "Smaller sizes, for small machines; the report says which");
    options
        .value("--backend B,…", request->options.filter.backends,
               "Only these backends (default: all of the figure)")
        .suggests(backendNames());
    options.value("--seed S", request->seed, "Which data are generated");
    options.value("--png FILE", request->png, "Also draw the times: PNG, SVG or PDF").notASetting();
    addReportOptions(options, request->options);
    addBackendOptions(options, request->options.device);
    options.footer(
        "Measures a figure or table of a publication on this machine, in the same rounds as `glycine bench`, "
        "and judges\n"
        "what the publication says about it. Every result is verified; a wrong one gets no time and exit "
        "code 1.\n\n"
        "Examples:\n"
        "  glycine reproduce --list\n"
        "  glycine reproduce gems2-table-43-1 --quick\n"
        "  glycine reproduce gems2-table-43-1 --backend cpu,gl --png table.png -o table.json");
    return [request, &options](CommandContext& context) { return reproduce(context, options, *request); };
}

void addReproduceCommand() {
    CommandRegistry::instance().add(
        {"", "reproduce", "Commands", "Measure a publication's figures on this machine", declareReproduce});
}

}  // namespace glycine::study
