#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <thread>
#include <vector>

#include "engine/command/backend_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/reproduction_report.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::study {

namespace {

/// A method whose runs have taken so long together is not repeated further.
constexpr double kEnoughSeconds = 30;

struct Reproduction {
    std::string id;
    bool isList = false;
    bool isQuick = false;
    std::vector<std::string> backends;
    std::size_t repeats = 5;
    std::uint64_t seed = 1;
    std::string output;
    std::string png;
    bool json = false;
    BackendOptions device;
};

/// The figure, and whose it is.
std::pair<PublishedFigure, const Subject*> findFigure(const std::string& id) {
    std::vector<std::string> known;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (PublishedFigure& figure : subject->published()) {
            if (figure.id == id) return {std::move(figure), subject.get()};
            known.push_back(figure.id);
        }
    throw UsageError(fmt::format("unknown figure '{}'; known: {}", id, fmt::join(known, ", ")));
}

int listFigures(CommandContext& context, bool asJson) {
    Json list = Json::array();
    TextTable table({{"figure"}, {"what it shows"}, {"--quick"}, {"source"}});
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (const PublishedFigure& figure : subject->published()) {
            table.addRow({figure.id, figure.title, figure.quick, figure.source});
            list.push_back({{"figure", figure.id},
                            {"title", figure.title},
                            {"quick", figure.quick},
                            {"source", figure.source}});
        }
    if (asJson)
        printJson(context.out(), {{"command", "reproduce"}, {"figures", std::move(list)}});
    else
        table.print(context.out(), terminalWidth());
    return 0;
}

void checkRequest(const Options& options, const Reproduction& request, const std::vector<MeasuredRow>& rows) {
    std::vector<std::string> backends = request.backends;
    for (const std::string& backend : backends) BackendRegistry::instance().find(backend);
    if (backends.empty())
        for (const MeasuredRow& row : rows)
            if (!row.isPaperAlone() && std::find(backends.begin(), backends.end(),
                                                 row.published.configuration.backend) == backends.end())
                backends.push_back(row.published.configuration.backend);
    checkBackendOptions(options, backends);
    std::vector<std::filesystem::path> outputs;
    if (!request.output.empty()) outputs.emplace_back(request.output);
    if (!request.png.empty()) {
        picture::requirePictureFile("--png", request.png);
        outputs.emplace_back(request.png);
    }
    checkOutputFiles(outputs, {});
}

/// The time of a row's stage ("upper", "upper+lower") or of the whole run.
MeasuredTime stageTime(const Contender& contender, const std::string& stage) {
    if (stage.empty()) return contender.total;
    MeasuredTime sum;
    std::vector<double> samples(contender.total.seconds.count, 0.0);
    for (std::size_t begin = 0; begin <= stage.size();) {
        const std::size_t end = std::min(stage.find('+', begin), stage.size());
        const std::string name = stage.substr(begin, end - begin);
        const auto found = std::find_if(contender.stages.begin(), contender.stages.end(),
                                        [&name](const MeasuredTime& time) { return time.name == name; });
        if (found == contender.stages.end())
            throw std::logic_error(fmt::format("no stage is called '{}'", name));
        for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += found->seconds.samples[i];
        sum.work += found->work;
        begin = end + 1;
    }
    sum.seconds = summarize(std::move(samples));
    return sum;
}

class Measurement {
  public:
    Measurement(const Reproduction& request, CommandContext& context, ReproductionReport& report,
                const Subject& subject)
        : request_(request),
          context_(context),
          report_(report),
          backends_(request.device),
          rules_{.repeats = request.repeats,
                 .enoughSeconds = kEnoughSeconds,
                 .algorithm = std::string(subject.algorithm().name()),
                 .unit = subject.unit()} {}

    void measureAll() {
        auto problems = report_.figure.problems(report_.scale, request_.seed, context_.progress());
        for (std::size_t index = 0; index < problems.size(); ++index) {
            measure(*problems[index], index);
            problems[index].reset();
        }
        std::vector<double> spreads;
        for (const MeasuredRow& row : report_.rows)
            if (row.hasTime()) spreads.push_back(row.seconds.spread());
        report_.conditions = meter_.finish(std::move(spreads));
    }

  private:
    /// All rows of one problem, side by side; rows of one method with different stages come from the same
    /// runs.
    void measure(Problem& problem, std::size_t index) {
        std::vector<Contender> contenders;
        std::vector<std::pair<MeasuredRow*, std::size_t>> measured;
        for (MeasuredRow& row : report_.rows) {
            if (row.published.problem != index) continue;
            row.problem = problem.name();
            row.dimensions = problem.dimensions();
            if (row.isPaperAlone() || !isWanted(row)) continue;
            const auto same =
                std::find_if(contenders.begin(), contenders.end(), [&row](const Contender& contender) {
                    return contender.configuration.label() == row.configuration.label() &&
                           contender.threads == row.published.threads;
                });
            measured.emplace_back(&row, same - contenders.begin());
            if (same == contenders.end())
                contenders.push_back({.configuration = row.configuration, .threads = row.published.threads});
        }
        holdContest(problem, contenders, backends_, rules_, meter_, context_);
        for (const auto& [row, contender] : measured) take(contenders[contender], *row);
    }

    /// Whether the row can be measured; else it gets the reason.
    bool isWanted(MeasuredRow& row) const {
        const std::vector<std::string>& wanted = request_.backends;
        const auto processors = static_cast<int>(std::thread::hardware_concurrency());
        if (!wanted.empty() &&
            std::find(wanted.begin(), wanted.end(), row.configuration.backend) == wanted.end())
            row.skipped = "not among --backend";
        else if (processors > 0 && row.published.threads > processors)
            row.skipped =
                fmt::format("this machine has {}", formatCount(std::size_t(processors), "processor"));
        return row.skipped.empty();
    }

    void take(const Contender& contender, MeasuredRow& row) {
        row.configuration = contender.configuration;
        row.skipped = contender.skipped;
        row.isWrong = contender.isWrong;
        row.check = contender.check;
        row.note = contender.note;
        const DeviceDescription& device = contender.device;
        if (!device.backend.empty() &&
            std::find(report_.devices.begin(), report_.devices.end(), device) == report_.devices.end())
            report_.devices.push_back(device);
        if (!contender.hasTime()) return;
        MeasuredTime time = stageTime(contender, row.published.stage);
        row.seconds = std::move(time.seconds);
        row.work = time.work;
    }

    const Reproduction& request_;
    CommandContext& context_;
    ReproductionReport& report_;
    BackendPool backends_;
    ContestRules rules_;
    ConditionsMeter meter_;
};

std::vector<MeasuredRow> rowsOf(const PublishedFigure& figure, Scale scale, Dialect dialect) {
    std::vector<MeasuredRow> rows;
    for (PublishedRow& published : figure.rows(scale)) {
        MeasuredRow& row = rows.emplace_back();
        row.configuration = published.configuration;
        if (row.configuration.backend == "gl" && !row.configuration.dialect)
            row.configuration.dialect = dialect;
        row.published = std::move(published);
    }
    return rows;
}

int reproduce(CommandContext& context, const Options& options, const Reproduction& request) {
    if (request.isList) {
        if (!request.id.empty()) throw UsageError("--list shows all figures; give it or ID, not both");
        return listFigures(context, request.json);
    }
    if (request.id.empty())
        throw UsageError("reproduce needs the ID of a figure; see `glycine reproduce --list`");
    ReproductionReport report;
    const auto [figure, subject] = findFigure(request.id);
    report.figure = figure;
    report.scale = request.isQuick ? Scale::Quick : Scale::Published;
    report.rows = rowsOf(report.figure, report.scale, request.device.dialect);
    checkRequest(options, request, report.rows);
    report.environment = currentEnvironment();
    report.settings = {
        {"seed", fmt::format("{}", request.seed)},
        {"runs",
         fmt::format(
             "in rounds, each method once a round; 1 dropped, {} timed, fewer where they take more than {} "
             "together: minimum (median)",
             request.repeats, formatSeconds(kEnoughSeconds))},
        {"verdicts",
         "from the interval of the median (order statistics; of ratios round by round): undecided where it "
         "crosses the "
         "claim's limit"}};
    Measurement(request, context, report, *subject).measureAll();
    for (const Claim& claim : report.figure.claims(report.scale))
        report.claims.push_back(judge(claim, report.rows));
    context.clearProgressLine();
    if (std::none_of(report.rows.begin(), report.rows.end(),
                     [](const MeasuredRow& row) { return row.hasTime() || row.isWrong; }))
        throw UnavailableError("nothing was measured: no method of the figure could run");

    if (!request.png.empty()) drawReproduction(request.png, report);
    if (!request.output.empty()) writeJson(request.output, toJson(report));
    if (request.json) {
        printJson(context.out(), toJson(report));
    } else {
        printReproduction(context.out(), report, terminalWidth());
        for (const std::string& file : {request.output, request.png})
            if (!file.empty()) context.out() << fmt::format("\nWrote {}\n", file);
    }
    return report.hasWrongRows() ? 1 : 0;
}

}  // namespace

CommandAction declareReproduce(Options& options) {
    const auto request = std::make_shared<Reproduction>();
    options.value("ID", request->id, "Which figure or table");
    options.flag("--list", request->isList, "Show the figures that can be measured here").notASetting();
    options.flag("--quick", request->isQuick, "Smaller sizes, for small machines; the report says which");
    options.value("--backend", request->backends, "Only these backends (default: all of the figure)")
        .type("B,…");
    options.value("--seed", request->seed, "Which data are generated").type("S");
    options.value("--png", request->png, "Also draw the times: PNG, SVG or PDF")
        .type("FIGURE.png")
        .notASetting();
    addReportOptions(options, request->repeats, request->output, request->json);
    addBackendOptions(options, request->device);
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
