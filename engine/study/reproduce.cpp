#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/command/run_report.hpp"
#include "engine/command/time_limit.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/figure_charts.hpp"
#include "engine/study/measured_rows.hpp"
#include "engine/study/reports/document.hpp"
#include "engine/study/reports/study_files.hpp"
#include "engine/study/reproduction_report.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/study_folder.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

struct Reproduction {
    std::string id;
    bool isList = false;
    bool isQuick = false;
    bool restart = false;
    std::uint64_t seed = 1;
    std::vector<std::string> outputs;
    std::string png;
    std::string input;                                        ///< file for a figure that is drawn
    double budget = std::numeric_limits<double>::infinity();  ///< seconds
    StudyOptions options;
};

Scale scaleOf(const Reproduction& request) {
    return request.isQuick ? Scale::Quick : Scale::Published;
}

/// The figures of all subjects that are drawn from the user's file, without measuring anything.
std::vector<DrawnFigure> drawnFigures() {
    std::vector<DrawnFigure> figures;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        std::ranges::move(subject->drawn(), std::back_inserter(figures));
    return figures;
}

/// The figure with this ID, and its subject.
std::pair<PublishedFigure, const Subject*> findFigure(const std::string& id) {
    std::vector<std::string> known;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (PublishedFigure& figure : subject->published()) {
            if (figure.id == id) return {std::move(figure), subject.get()};
            known.push_back(figure.id);
        }
    for (const DrawnFigure& figure : drawnFigures()) known.push_back(figure.id);
    throw UsageError(fmt::format("unknown figure '{}'; {}; `glycine reproduce --list` explains all", id,
                                 suggestNames(id, known)));
}

int listFigures(CommandContext& context, bool asJson) {
    std::vector<PublishedFigure> figures = SubjectRegistry::instance().published();
    for (const DrawnFigure& drawn : drawnFigures()) {
        PublishedFigure& figure = figures.emplace_back();
        figure.id = drawn.id;
        figure.title = drawn.title;
        figure.quick = drawn.quick;
        figure.source = drawn.source;
    }
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
    if (!request.options.output.empty() && request.id != "all") outputs.emplace_back(request.options.output);
    if (!request.png.empty()) outputs.emplace_back(request.png);
    checkOutputFiles(outputs, {});
}

/// Measures a figure. If that is impossible, reports the reason, so that the other figures still run.
void measureOrExplain(const Subject& subject, ReproductionReport& report, const Reproduction& request,
                      CeilingsInUse& ceilings, CommandContext& context, Goal goal) {
    try {
        measureFigure(subject, report, request.options, request.seed, ceilings, context, goal);
    } catch (const CancelledError&) {
        throw;
    } catch (const Error& error) {
        report.cutShort = error.what();
        for (FigureRow& row : report.rows)
            if (!row.isPaperAlone() && !row.hasTime()) row.skipped = error.what();
        report.claims.clear();
        for (const Claim& claim : report.figure.claims(report.scale))
            report.claims.push_back(judge(claim, report.rows));
    }
}

/// Numbers of sentences that lack a verdict (of one of the GPU backends), and of claims, that more time may
/// decide.
struct OpenClaims {
    std::size_t sentences = 0, claims = 0;
};
OpenClaims openClaims(const ReproductionReport& report) {
    OpenClaims open;
    for (const auto& sentence : sentencesOf(report.claims)) {
        open.claims +=
            static_cast<std::size_t>(std::ranges::count(sentence, Verdict::Undecided, &JudgedClaim::verdict));
        const auto parts = partsOf(sentence);
        if (std::ranges::count(parts, Verdict::Undecided, verdictOn) > 0) ++open.sentences;
    }
    return open;
}

/// The data of a figure that the folder of `reproduce all` keeps, whichever run measured it.
Json keptOf(const ReproductionReport& report, const std::filesystem::path& charts) {
    Json json = report.toJson();
    Document page;
    report.describe(page, figureCharts(report.figure, json, charts));
    Json verdicts = Json::object();
    for (const auto& sentence : report.sentences()) {
        Json& count = verdicts[std::string(toString(verdictOn(sentence)))];
        count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    const OpenClaims open = openClaims(report);
    return {{"report", std::move(json)},
            {"measured", measuredRowsOf(report)},
            {"page", page.toJson()},
            {"verdicts", std::move(verdicts)},
            {"openSentences", open.sentences},
            {"openClaims", open.claims},
            {"cases", report.claims.size() + report.figure.untested.size()},
            {"decided", std::ranges::count_if(report.claims,
                                              [](const JudgedClaim& one) { return isDecided(one.verdict); })},
            {"wrong", std::ranges::any_of(report.rows, &FigureRow::isWrong)}};
}

std::string identityOf(const Options& options, const Reproduction& request,
                       const std::vector<FigureRow>& rows) {
    RunIdentity identity(options);
    identity.add("commit", buildInfo().commit);
    identity.add("backends", fmt::format("{}", fmt::join(request.options.filter.backends, ",")));
    identity.add("scale", std::string(toString(scaleOf(request))));
    identity.add("seed", fmt::format("{}", request.seed));
    identity.add("processor", currentEnvironment().processor);
    BackendPool backends(request.options.device);
    std::set<std::string> named;
    for (const FigureRow& row : rows) {
        if (row.isPaperAlone() || !named.insert(row.configuration.backend).second) continue;
        std::string device;
        try {
            device = backends.use(row.configuration.backend, row.configuration.dialect).device();
        } catch (const UnavailableError&) {
            device = "none";
        }
        identity.add("device of " + row.configuration.backend, device);
    }
    return identity.text();
}

/// Adds the reservations about the times of all figures, which also stand in each figure's section.
void addConditions(Document& document, const std::vector<Json>& kept) {
    DocumentTable table{{"figure", "quiet machine", "finished"}};
    for (const Json& one : kept) {
        const Json& report = one["report"];
        const auto busy = report.value("busy", ""), cutShort = report.value("cutShort", "");
        table.rows.push_back({report["figure"].get<std::string>(),
                              busy.empty() ? "yes" : "BUSY MACHINE: " + busy,
                              cutShort.empty() ? "yes" : "no: " + cutShort});
    }
    document.section("Conditions and warnings");
    document.table("", std::move(table));
}

/// Writes the files of all figures and prints the summary. Returns the exit code.
int reportAll(CommandContext& context, const std::filesystem::path& folder, const std::vector<Json>& kept) {
    Document document{.title = "Published figures, measured on this machine"};
    Document details;
    Json json{{"command", "reproduce"}, {"figures", Json::array()}};
    std::map<std::string, std::size_t> counts;
    bool isWrong = false;
    std::size_t cases = 0, decidedCases = 0;
    for (const Json& one : kept) {
        const Json& report = one["report"];
        writeJson(folder / (report["figure"].get<std::string>() + ".json"), report);
        json["figures"].push_back(report);
        std::ranges::move(Document::fromJson(one["page"]).blocks, std::back_inserter(details.blocks));
        for (const auto& [verdict, count] : one["verdicts"].items())
            counts[verdict] += count.get<std::size_t>();
        isWrong = isWrong || one["wrong"].get<bool>();
        cases += one["cases"].get<std::size_t>();
        decidedCases += one["decided"].get<std::size_t>();
    }
    std::size_t all = 0, decided = 0;
    std::vector<std::string> verdicts;
    DocumentTable table{{"verdict", "sentences"}, {}, {false, true}};
    for (const auto& [verdict, name] : namesOf(Verdict{}).table) {
        const std::size_t count = counts[std::string(name)];
        table.rows.push_back({std::string(name), formatCount(count)});
        json["claims"][std::string(name)] = count;
        if (count > 0) verdicts.push_back(fmt::format("{} {}", name, formatCount(count)));
        all += count;
        if (isDecided(verdict)) decided += count;
    }
    json["cases"] = {{"all", cases}, {"decided", decidedCases}};
    const std::string summary =
        fmt::format("{} of {} are decided ({}), {} of {} ({})", decided, formatCount(all, "sentence"),
                    formatShare(double(decided), double(all)), decidedCases, formatCount(cases, "case"),
                    formatShare(double(decidedCases), double(cases)));
    document.answer("Claims of publications", fmt::format("{}: {}.", summary, fmt::join(verdicts, ", ")));
    document.section("Verdicts");
    document.paragraph(
        "A sentence of a publication that is judged in several cases (backends, sizes) counts once. It "
        "differs if it holds in some cases and no longer in others.");
    document.table("", std::move(table));
    std::ranges::move(details.blocks, std::back_inserter(document.blocks));
    addConditions(document, kept);
    std::string leftOut;
    for (const DrawnFigure& figure : drawnFigures()) {
        leftOut += fmt::format("left out: {} needs --input FILE, in a call of its own\n", figure.id);
        document.paragraph(
            fmt::format("Left out: {} ({}), which needs a file: {}.", figure.id, figure.title, figure.input));
        json["leftOut"].push_back({{"figure", figure.id}, {"reason", "needs --input FILE"}});
    }
    writeJson(folder / "report.json", json);
    writeText(folder / "report.md", toMarkdown(document));
    writeText(folder / "report.html", toHtml(document));
    context.out() << summary << '\n'
                  << leftOut << "\nWrote " << (folder / "report.html").string()
                  << ", report.md, report.json and a file per figure\n";
    return isWrong ? 1 : 0;
}

/// Measures every figure, each into its own file with a picture, and writes one report of all. Times of an
/// earlier run in the folder are kept; a budget is spent on what open claims lack.
int reproduceAll(CommandContext& context, const Options& options, const Reproduction& request) {
    if (request.options.output.empty() || !request.png.empty())
        throw UsageError(
            "reproduce all draws every figure into a folder: name it by -o FOLDER, without pictures");
    if (!request.input.empty())
        throw UsageError(
            "--input is for a figure that is drawn; expected its ID instead of 'all' (`glycine reproduce "
            "--list`)");
    std::vector<std::pair<PublishedFigure, const Subject*>> figures;
    std::vector<FigureRow> allRows;
    std::vector<std::string> ids;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (PublishedFigure& figure : subject->published()) {
            std::ranges::move(reportOf(figure, scaleOf(request), request.options.device.dialect).rows,
                              std::back_inserter(allRows));
            ids.push_back(figure.id);
            figures.emplace_back(std::move(figure), subject.get());
        }
    checkRequest(options, request, allRows);
    StudyFolder folder(request.options.output, identityOf(options, request, allRows), ids, request.restart);
    makeFolder(folder.path() / "charts");
    CeilingsInUse ceilings;
    const Clock::TimePoint begin = Clock::now();
    const auto left = [&] {
        return std::max(request.budget - Clock::secondsBetween(begin, Clock::now()), 0.0);
    };
    std::vector<Json> kept(figures.size());
    std::vector<std::optional<ReproductionReport>> reports(figures.size());  // measured in this run
    // Returns whether time is all that the figure lacks: it was stopped, or decided more than before.
    const auto measureWithin = [&](std::size_t f, double share, Goal goal) {
        const bool isFirst = kept[f].is_null();
        if (!reports[f]) {
            reports[f] = reportOf(figures[f].first, scaleOf(request), request.options.device.dialect);
            if (!isFirst) restoreRows(*reports[f], kept[f].at("measured"), kept[f].at("report"));
        }
        const TimeLimit limit(share,
                              fmt::format("the figure's share of the budget, {}", formatSeconds(share)));
        measureOrExplain(*figures[f].second, *reports[f], request, ceilings, context, goal);
        const double before = isFirst ? 0 : kept[f]["share"].get<double>();
        const int decidedBefore = isFirst ? 0 : kept[f]["decided"].get<int>();
        const bool wasStopped = TimeLimit::hasExpired();
        Json now = keptOf(*reports[f], folder.path() / "charts");
        const int decidedNow = now["decided"].get<int>();
        if (decidedNow >= decidedBefore) kept[f] = std::move(now);
        constexpr double kMost = std::numeric_limits<double>::max();  // JSON has no infinity
        kept[f]["share"] = std::min(before + share, kMost);
        kept[f]["lastShare"] = std::min(share, kMost);
        folder.keep(f, kept[f]);
        return wasStopped || decidedNow > decidedBefore;
    };
    std::vector<std::size_t> missing;
    for (std::size_t f = 0; f < figures.size(); ++f)
        if (folder.isDone(f))
            kept[f] = folder.load(f);
        else
            missing.push_back(f);
    const bool isLimited = std::isfinite(request.budget);
    const double even = request.budget / static_cast<double>(figures.size());
    for (std::size_t k = 0; k < missing.size(); ++k)
        measureWithin(missing[k], std::min(even, left() / static_cast<double>(missing.size() - k)),
                      isLimited ? Goal::Sentences : Goal::Everything);
    if (isLimited) {
        // Time that remains goes to sentences without a verdict, then to other open claims. Figures that have
        // had the least time come first, then those with the most open ones. A figure that is still undecided
        // after its share gets one twice as long, so that fewer figures get longer shares.
        const auto shareOf = [&kept](std::size_t f) { return kept[f]["share"].get<double>(); };
        constexpr double kLeastShare = 1;  // seconds
        for (const Goal goal : {Goal::Sentences, Goal::Claims}) {
            const auto openOf = [&kept, goal](std::size_t f) {
                return kept[f][goal == Goal::Sentences ? "openSentences" : "openClaims"].get<int>();
            };
            std::vector<bool> lacksTime(figures.size(), true);
            while (left() > kLeastShare) {
                std::vector<std::size_t> open;
                for (std::size_t f = 0; f < figures.size(); ++f)
                    if (lacksTime[f] && openOf(f) > 0) open.push_back(f);
                if (open.empty()) break;
                std::ranges::stable_sort(open, std::ranges::greater{}, openOf);
                std::ranges::stable_sort(open, {}, shareOf);
                std::vector<double> wanted;
                double sum = 0;
                for (const std::size_t f : open) {
                    const double next = std::max(2 * kept[f]["lastShare"].get<double>(), kLeastShare);
                    if (!wanted.empty() && sum + next > left()) break;
                    wanted.push_back(next);
                    sum += next;
                }
                for (std::size_t k = 0; k < wanted.size() && left() > kLeastShare; ++k) {
                    lacksTime[open[k]] = measureWithin(open[k], left() * wanted[k] / sum, goal);
                    sum -= wanted[k];
                }
            }
        }
        // The rest goes to methods without a claim.
        for (std::size_t f = 0; f < figures.size(); ++f)
            if (reports[f] && left() > kLeastShare)
                measureWithin(f, left() / static_cast<double>(figures.size() - f), Goal::Everything);
    }
    context.clearProgressLine();
    return reportAll(context, folder.path(), kept);
}

/// Draws a figure and prints what it shows. Refuses those of the command's `options` that a drawing does not
/// use. Returns the exit code. Throws UsageError.
int drawFigure(CommandContext& context, const Options& options, const DrawnFigure& figure,
               DrawnFigure::Request request, const StudyOptions& chosen) {
    options.requireOnly(
        {"ID", "--input", "--quick", "--output", "--backend", "--json", "--context", "--device", "--threads"},
        fmt::format("{} is only drawn: there is nothing to measure", figure.id));
    if (request.input.empty())
        throw UsageError(fmt::format("{} needs --input FILE: {}", figure.id, figure.input));
    if (request.output.empty())
        throw UsageError(fmt::format("{} is a picture: name it by -o FILE.png, .svg or .pdf", figure.id));
    if (!chosen.output.empty())
        throw UsageError(fmt::format("{}: {} is only drawn and has no report; expected a picture",
                                     chosen.output, figure.id));
    const std::vector<std::string>& backends = chosen.filter.backends;
    if (backends.size() > 1)
        throw UsageError(
            fmt::format("{} is computed by one backend; --backend names {}", figure.id, backends.size()));
    checkOutputFiles({request.output}, {request.input});
    BackendRequest named;
    if (!backends.empty()) named.backend = backends[0];
    named.device = chosen.device;
    request.device = chosen.device;
    request.choose = [&](const auto& canRun, double hostSeconds) {
        return selectBackend(options, named, canRun, hostSeconds);
    };
    const Fields fields = figure.draw(request, context.progress());
    context.clearProgressLine();
    if (chosen.json) {
        Json json{{"command", "reproduce"}, {"figure", figure.id}, {"title", figure.title}};
        for (const auto& [name, value] : fields) json[name] = value;
        json["files"] = Json::array({request.output.string()});
        printJson(context.out(), json);
        return 0;
    }
    Fields all{{"Figure", figure.title}};
    all.insert(all.end(), fields.begin(), fields.end());
    addFileFields(all, {request.output.string()});
    printFields(context.out(), all, terminalWidth());
    return 0;
}

int reproduce(CommandContext& context, const Options& options, const Reproduction& request) {
    if (request.isList) {
        options.requireOnly({"--list", "--json"}, "--list shows all figures");
        return listFigures(context, request.options.json);
    }
    if (request.id.empty())
        throw UsageError("reproduce needs the ID of a figure, or all; see `glycine reproduce --list`");
    if (request.id == "all") return reproduceAll(context, options, request);
    if (request.restart)
        throw UsageError("--restart is for `reproduce all`, whose folder keeps finished figures");
    for (const DrawnFigure& figure : drawnFigures())
        if (figure.id == request.id)
            return drawFigure(context, options, figure,
                              {.input = request.input, .output = request.png, .isQuick = request.isQuick},
                              request.options);
    if (!request.input.empty())
        throw UsageError(fmt::format("--input is for figures that are drawn; {} is measured", request.id));
    const auto [figure, subject] = findFigure(request.id);
    ReproductionReport report = reportOf(figure, scaleOf(request), request.options.device.dialect);
    checkRequest(options, request, report.rows);
    const TimeLimit limit(request.budget, fmt::format("the budget of {}", formatSeconds(request.budget)));
    CeilingsInUse ceilings;
    measureFigure(*subject, report, request.options, request.seed, ceilings, context);
    context.clearProgressLine();
    std::string picture = request.png;
    if (!picture.empty())
        if (const std::string why = drawFirstChart(report.figure, report.toJson(), picture); !why.empty()) {
            report.notes.push_back(fmt::format("{} was not drawn: {}", picture, why));
            picture.clear();
        }
    deliver(context, report, request.options.json, request.options.output, picture);
    return std::ranges::any_of(report.rows, &FigureRow::isWrong) ? 1 : 0;
}

}  // namespace

CommandAction declareReproduce(Options& options) {
    const auto request = std::make_shared<Reproduction>();
    options.value("ID", request->id, "Figure or table to reproduce; all: every one, into the folder of -o");
    options.flag("--list", request->isList, "List the figures that can be measured on this machine")
        .notASetting();
    options.flag("--quick", request->isQuick, "Use smaller sizes, for small machines; the report says which");
    options
        .value("--backend B,…", request->options.filter.backends,
               "Only these backends (default: all backends of the figure)")
        .suggests(backendNames());
    options.value("--seed S", request->seed, "Random seed of the generated data");
    options
        .value("--budget SECONDS", request->budget,
               "Time limit; claims that can be decided come first, times that do not fit are extrapolated")
        .positive();
    options.value("--input FILE", request->input,
                  "Data of a figure to draw; without it, an error says where to get them");
    addRestartOption(options, request->restart);
    addReportOptions(options, request->options);
    options.remove("--output");
    options
        .value("-o,--output FILE", request->outputs,
               "Also write the report as .json, or draw the figure: .png, .svg, .pdf; can be given several "
               "times")
        .repeated()
        .notASetting()
        .formerly("--png", "-o FILE.png");
    addBackendOptions(options, request->options.device);
    options.footer(
        "Measures a figure or table of a publication on this machine, in the same rounds as `glycine\n"
        "bench`, and judges the publication's claims. Every result is verified; a wrong one gets no\n"
        "time, and exit code 1. `reproduce all` into the folder of an earlier run keeps the times\n"
        "measured there, and spends its budget first on sentences without a verdict.\n\n"
        "Pictures are drawn as the publication draws them (lines over a size, bars, shares of stages,\n"
        "speed-ups, curves of occupancy), printed values next to measured ones; hollow: extrapolated.\n"
        "`-o FILE.png` draws a figure's first chart, `all` each, and `glycine report` draws them again.\n\n"
        "Examples:\n"
        "  glycine reproduce --list\n"
        "  glycine reproduce gems2-table-43-1 --quick\n"
        "  glycine reproduce gems2-figure-43-1 --input 1igt.pdb -o antibody.png\n"
        "  glycine reproduce all --budget 600 -o figures\n"
        "  glycine reproduce gems2-table-43-1 --backend cpu,gl -o table.json -o table.png");
    return [request, &options](CommandContext& context) {
        request->png = takePicture(request->outputs);
        if (request->outputs.size() > 1)
            throw UsageError(
                fmt::format("-o names two reports, {} and {}", request->outputs[0], request->outputs[1]));
        if (!request->outputs.empty()) request->options.output = request->outputs.front();
        if (!request->outputs.empty() && request->id != "all" && !request->options.output.ends_with(".json"))
            throw UsageError(fmt::format("{}: -o takes a report, .json, or a picture: .png, .svg, .pdf",
                                         request->options.output));
        return reproduce(context, options, *request);
    };
}

void addReproduceCommand() {
    CommandRegistry::instance().add({"", "reproduce", "Commands",
                                     "Reproduce figures and tables of publications on this machine",
                                     declareReproduce});
}

}  // namespace glycine::study
