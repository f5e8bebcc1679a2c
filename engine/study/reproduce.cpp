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
#include <set>
#include <sstream>
#include <thread>
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
#include "engine/io/text/byte_source.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/study/configuration_options.hpp"
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
    std::string input;                                        ///< of a figure that is drawn
    double budget = std::numeric_limits<double>::infinity();  ///< seconds
    StudyOptions options;
};

Scale scaleOf(const Reproduction& request) {
    return request.isQuick ? Scale::Quick : Scale::Published;
}

std::vector<DrawnFigure> drawnFigures() {
    std::vector<DrawnFigure> figures;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        std::ranges::move(subject->drawn(), std::back_inserter(figures));
    return figures;
}

/// The figure, and whose it is.
std::pair<PublishedFigure, const Subject*> findFigure(const std::string& id) {
    std::vector<std::string> known;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (PublishedFigure& figure : subject->published()) {
            if (figure.id == id) return {std::move(figure), subject.get()};
            known.push_back(figure.id);
        }
    for (const DrawnFigure& figure : drawnFigures()) known.push_back(figure.id);
    throw UsageError(fmt::format("unknown figure '{}'; known: {}; `glycine reproduce --list` explains them",
                                 id, fmt::join(known, ", ")));
}

int listFigures(CommandContext& context, bool asJson) {
    std::vector<PublishedFigure> figures;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        std::ranges::move(subject->published(), std::back_inserter(figures));
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

/// The rows of a figure, measured. Within a TimeLimit those come first that decide a claim here, then those
/// again whose claims are undecided, then the others; and no run begins that shorter ones say does not end.
class FigureRun {
  public:
    FigureRun(const StudyOptions& options, std::uint64_t seed, const Subject& subject,
              ReproductionReport& report, CeilingsInUse& ceilings, CommandContext& context)
        : options_(options),
          seed_(seed),
          subject_(subject),
          report_(report),
          ceilings_(ceilings),
          context_(context),
          backends_(options.device) {
        if (report.figure.facts) facts_ = report.figure.facts(report.scale, seed);
    }

    void run() {
        for (FigureRow& row : report_.rows) describe(row);
        const auto isUntried = [](const FigureRow& row) { return !row.hasTime() && row.skipped.empty(); };
        if (std::isinf(TimeLimit::secondsLeft())) {
            measure(isUntried, options_.repeats);
        } else {
            std::set<std::string> deciding = keysOfClaims(true);
            // Shorter runs of the papers' own loops tell how long theirs take.
            for (const FigureRow& row : report_.rows)
                if (row.configuration.backend == "reference" &&
                    std::ranges::any_of(report_.rows, [&](const FigureRow& other) {
                        return deciding.contains(other.published.key) && other.threads == row.threads &&
                               other.configuration.label() == row.configuration.label();
                    }))
                    deciding.insert(row.published.key);
            // Of GPUs nothing is learned here: the budget is for what can be.
            for (FigureRow& row : report_.rows)
                if (row.skipped.empty() && row.device.isSoftware && !deciding.contains(row.published.key))
                    row.skipped = "there is no GPU, the renderer is software";
            measure([&](const FigureRow& row) { return deciding.contains(row.published.key); },
                    options_.repeats);
            if (const std::set<std::string> again = undecidedKeys(); !again.empty())
                measure([&](const FigureRow& row) { return again.contains(row.published.key); },
                        3 * options_.repeats);
            // Where a claim lacks something else, its other rows need no time.
            const std::set<std::string> claimed = keysOfClaims(false);
            measure(
                [&](const FigureRow& row) { return isUntried(row) && !claimed.contains(row.published.key); },
                options_.repeats);
        }
        for (FigureRow& row : report_.rows) {
            if (row.hasTime() || row.cutShort.empty()) continue;
            const std::optional<Statistics> fitted = extrapolated(row, report_.rows, row.fit);
            if (!fitted) continue;
            row.total.seconds = *fitted;
            row.skipped.clear();
            row.check = "not verified: " + row.fit;
        }
        report_.claims = judged();
        report_.conditions = meter_.finish(spreadsOf(report_.rows));
    }

  private:
    std::vector<JudgedClaim> judged() const {
        std::vector<JudgedClaim> all;
        for (const Claim& claim : report_.figure.claims(report_.scale))
            all.push_back(judge(claim, report_.rows, facts_));
        return all;
    }

    /// What it runs on, or why it does not.
    void describe(FigureRow& row) {
        if (row.isPaperAlone() || !isWanted(row, options_.filter.backends)) return;
        try {
            Backend& backend = backends_.use(row.configuration, row.threads);
            row.device = describeDevice(backend);
            if (report_.figure.deviceFacts)
                facts_.merge(report_.figure.deviceFacts(backend, row.configuration));
        } catch (const UnavailableError& error) {
            row.skipped = error.what();
        }
    }

    /// Whether the row runs here, and on what the publication means; of results, anything does.
    bool canDecide(const std::string& key, bool isOfResults) const {
        const auto row =
            std::ranges::find(report_.rows, key, [](const FigureRow& one) { return one.published.key; });
        return row != report_.rows.end() && row->skipped.empty() && (isOfResults || !row->device.isSoftware);
    }

    /// Of all claims, or of those that can be decided here.
    std::set<std::string> keysOfClaims(bool onlyDeciding) const {
        std::set<std::string> keys;
        for (const Claim& claim : report_.figure.claims(report_.scale)) {
            const std::vector<std::string> own = keysOf(claim.quantity);
            const bool isOfResults = std::holds_alternative<ScoreRatio>(claim.quantity);
            if (!onlyDeciding ||
                std::ranges::all_of(own, [&](const std::string& key) { return canDecide(key, isOfResults); }))
                keys.insert(own.begin(), own.end());
        }
        return keys;
    }

    std::set<std::string> undecidedKeys() const {
        std::set<std::string> keys;
        for (const JudgedClaim& one : judged())
            if (one.verdict == Verdict::Undecided)
                for (const std::string& key : keysOf(one.claim.quantity)) keys.insert(key);
        return keys;
    }

    /// Where a run takes more than is left, by those of smaller sizes, the row gets that as its reason.
    void refuseEndless(FigureRow& row) const {
        std::string fit;
        const double left = TimeLimit::secondsLeft();
        if (const auto expected = std::isinf(left) ? std::nullopt : extrapolated(row, report_.rows, fit);
            expected && 2 * expected->median > left)
            row.skipped = row.cutShort =
                fmt::format("not begun: two runs take some {}, and {} are left",
                            formatSeconds(2 * expected->median), formatSeconds(std::max(left, 0.0)));
    }

    /// All wanted rows of one problem, side by side; those of one method with different stages come from the
    /// same runs. Small problems come first.
    template <class IsWanted>
    void measure(const IsWanted& isWantedNow, std::size_t repeats) {
        if (std::ranges::none_of(report_.rows, isWantedNow)) return;
        auto problems = makeProblems(report_, seed_, context_);
        std::vector<std::size_t> order(problems.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t index) {
            double extent = 1;
            for (const auto& [name, length] : problems[index]->dimensions()) extent *= double(length);
            return extent;
        });
        for (std::size_t done = 0; done < order.size(); ++done) {
            measure(*problems[order[done]], order[done], isWantedNow, repeats);
            if (TimeLimit::isOver())
                report_.cutShort = incompleteText("problem", done, problems.size(), TimeLimit::reason());
            problems[order[done]].reset();
        }
    }

    template <class IsWanted>
    void measure(Problem& problem, std::size_t index, const IsWanted& isWantedNow, std::size_t repeats) {
        std::vector<MeasuredRow> contenders;
        std::vector<std::pair<FigureRow*, std::size_t>> measured;
        for (FigureRow& row : report_.rows) {
            if (row.published.problem != index) continue;
            row.setProblem(problem);
            if (row.isPaperAlone() || !row.skipped.empty() || !isWantedNow(row)) continue;
            if (!row.hasTime()) refuseEndless(row);
            if (!row.skipped.empty()) continue;
            const auto same = std::ranges::find_if(contenders, [&row](const MeasuredRow& contender) {
                return contender.configuration.label() == row.configuration.label() &&
                       contender.threads == row.threads;
            });
            measured.emplace_back(&row, same - contenders.begin());
            if (same == contenders.end()) contenders.push_back({row.configuration, row.threads});
        }
        if (contenders.empty()) return;
        const ContestRules rules{
            .repeats = repeats, .enoughSeconds = report_.figure.enoughSeconds, .unit = subject_.unit()};
        holdContest(problem, contenders, backends_, rules, meter_, context_);
        for (MeasuredRow& contender : contenders) {
            if (!contender.hasTime()) continue;
            const TimeLimit::Suspension suspension;  // what has a time is told whole
            context_.setProgressPrefix("ceilings: ");
            contender.ceilings = usesOf(problem.needs(contender.configuration),
                                        backends_.use(contender.configuration, contender.threads), ceilings_,
                                        context_.progress());
        }
        for (const auto& [row, contender] : measured) {
            // What was measured before stays where another visit found nothing.
            if (row->hasTime() && !contenders[contender].hasTime() && !contenders[contender].isWrong)
                continue;
            static_cast<MeasuredRow&>(*row) = contenders[contender];
            row->ceilings = usesOfStage(std::move(row->ceilings), row->published.stage);
            if (row->hasTime()) row->total = stageTime(contenders[contender], row->published.stage);
            report_.addDevice(row->device);
        }
    }

    const StudyOptions& options_;
    std::uint64_t seed_;
    const Subject& subject_;
    ReproductionReport& report_;
    CeilingsInUse& ceilings_;
    CommandContext& context_;
    BackendPool backends_;
    ConditionsMeter meter_;
    std::map<std::string, double> facts_;
};

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

/// A figure that cannot be measured at all says why: all others are.
void measureOrExplain(const Subject& subject, ReproductionReport& report, const Reproduction& request,
                      CeilingsInUse& ceilings, CommandContext& context) {
    try {
        measureFigure(subject, report, request.options, request.seed, ceilings, context);
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

/// Claims that more time may decide.
std::size_t openClaims(const ReproductionReport& report) {
    const auto isCutShort = [&report](const std::string& key) {
        return std::ranges::any_of(report.rows, [&key](const FigureRow& row) {
            return row.published.key == key && !row.cutShort.empty();
        });
    };
    return static_cast<std::size_t>(std::ranges::count_if(report.claims, [&](const JudgedClaim& judged) {
        return judged.verdict == Verdict::Undecided ||
               (judged.verdict == Verdict::Untested &&
                std::ranges::any_of(keysOf(judged.claim.quantity), isCutShort));
    }));
}

/// What is kept of a figure in the folder of `reproduce all`, whichever run measured it.
Json keptOf(const ReproductionReport& report, const std::filesystem::path& charts) {
    const PublishedFigure& figure = report.figure;
    DocumentChart chart{.name = figure.id, .title = figure.title};
    if (report.canDraw()) {
        const std::filesystem::path picture = charts / (figure.id + ".svg");
        report.draw(picture);
        chart.svg = io::readText(picture);
    }
    Document page;
    report.describe(page, std::move(chart));
    Json verdicts = Json::object();
    for (const auto& sentence : report.sentences()) {
        Json& count = verdicts[std::string(toString(verdictOn(sentence)))];
        count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    return {{"report", report.toJson()},
            {"page", page.toJson()},
            {"verdicts", std::move(verdicts)},
            {"open", openClaims(report)},
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
    std::set<std::string> seen;
    for (const FigureRow& row : rows) {
        if (row.isPaperAlone() || !seen.insert(row.configuration.backend).second) continue;
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

/// Files and words of all figures. Returns the exit code.
int tellAll(CommandContext& context, const std::filesystem::path& folder, const std::vector<Json>& kept) {
    Document document{.title = "Published figures, measured on this machine"};
    Document details;
    Json json{{"command", "reproduce"}, {"figures", Json::array()}};
    std::map<std::string, std::size_t> counts;
    bool isWrong = false;
    for (const Json& one : kept) {
        const Json& report = one["report"];
        writeJson(folder / (report["figure"].get<std::string>() + ".json"), report);
        json["figures"].push_back(report);
        std::ranges::move(Document::fromJson(one["page"]).blocks, std::back_inserter(details.blocks));
        for (const auto& [verdict, count] : one["verdicts"].items())
            counts[verdict] += count.get<std::size_t>();
        isWrong = isWrong || one["wrong"].get<bool>();
    }
    std::size_t all = 0, decided = 0;
    DocumentTable table{{"verdict", "claims"}, {}, {false, true}};
    for (const auto& [verdict, name] : namesOf(Verdict{}).table) {
        const std::size_t count = counts[std::string(name)];
        table.rows.push_back({std::string(name), formatCount(count)});
        json["claims"][std::string(name)] = count;
        all += count;
        if (isDecided(verdict)) decided += count;
    }
    const std::string summary = fmt::format("{} of {} are decided ({})", decided, formatCount(all, "claim"),
                                            formatShare(double(decided), double(all)));
    document.paragraph(summary +
                       ". A sentence of a publication that is judged on several backends counts once.");
    document.table("Verdicts", std::move(table));
    std::ranges::move(details.blocks, std::back_inserter(document.blocks));
    writeJson(folder / "report.json", json);
    writeText(folder / "report.md", toMarkdown(document));
    writeText(folder / "report.html", toHtml(document));
    context.out() << summary << "\n\nWrote " << (folder / "report.html").string()
                  << ", report.md, report.json and a file a figure\n";
    return isWrong ? 1 : 0;
}

/// Every figure, each in a file of its own with its picture, and one report of all of them. What an earlier
/// run left in the folder is kept; where claims are open, a budget is for them.
int reproduceAll(CommandContext& context, const Options& options, const Reproduction& request) {
    if (request.options.output.empty() || !request.png.empty())
        throw UsageError(
            "reproduce all draws every figure into a folder: name it by -o FOLDER, without pictures");
    std::vector<std::pair<PublishedFigure, const Subject*>> figures;
    std::vector<FigureRow> allRows;
    std::vector<std::string> ids;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (PublishedFigure& figure : subject->published()) {
            std::ranges::move(rowsOf(figure, scaleOf(request), request.options.device.dialect),
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
    const auto measureWithin = [&](std::size_t f, double share) {
        ReproductionReport report =
            reportOf(figures[f].first, scaleOf(request), request.options.device.dialect);
        const TimeLimit limit(share,
                              fmt::format("the figure's share of the budget, {}", formatSeconds(share)));
        measureOrExplain(*figures[f].second, report, request, ceilings, context);
        Json now = keptOf(report, folder.path() / "charts");
        if (kept[f].is_null() || now["decided"].get<int>() > kept[f]["decided"].get<int>())
            kept[f] = std::move(now);
        kept[f]["share"] = std::min(share, std::numeric_limits<double>::max());  // JSON has no infinity
        folder.keep(f, kept[f]);
    };
    std::vector<std::size_t> missing;
    for (std::size_t f = 0; f < figures.size(); ++f)
        if (folder.isDone(f))
            kept[f] = folder.load(f);
        else
            missing.push_back(f);
    const double even = request.budget / static_cast<double>(figures.size());
    for (std::size_t k = 0; k < missing.size(); ++k)
        measureWithin(missing[k], std::min(even, left() / static_cast<double>(missing.size() - k)));
    if (std::isfinite(request.budget)) {
        // What others leave over goes to where longer runs may decide most, in a later run to those first
        // that have had least.
        const auto openOf = [&kept](std::size_t f) { return kept[f]["open"].get<int>(); };
        const auto shareOf = [&kept](std::size_t f) { return kept[f]["share"].get<double>(); };
        std::vector<std::size_t> open;
        for (std::size_t f = 0; f < figures.size(); ++f)
            if (openOf(f) > 0) open.push_back(f);
        std::ranges::stable_sort(open, std::ranges::greater{}, openOf);
        std::ranges::stable_sort(open, {}, shareOf);
        open.resize(std::min(open.size(), static_cast<std::size_t>(left() / (2 * even))));
        for (std::size_t k = 0; k < open.size(); ++k)
            measureWithin(open[k], left() / static_cast<double>(open.size() - k));
    }
    context.clearProgressLine();
    return tellAll(context, folder.path(), kept);
}

/// Draws a figure of the user's file.
int drawFigure(CommandContext& context, const Options& options, const Reproduction& request,
               const DrawnFigure& figure) {
    options.requireOnly(
        {"ID", "--input", "--quick", "--output", "--backend", "--json", "--context", "--device", "--threads"},
        fmt::format("{} is drawn, and nothing is measured", figure.id));
    if (request.input.empty())
        throw UsageError(fmt::format("{} needs --input FILE: {}", figure.id, figure.input));
    if (request.png.empty())
        throw UsageError(fmt::format("{} is a picture: name it by -o FILE.png, .svg or .pdf", figure.id));
    if (!request.options.output.empty())
        throw UsageError(
            fmt::format("{}: {} is drawn, and has no report", request.options.output, figure.id));
    const std::vector<std::string>& backends = request.options.filter.backends;
    if (backends.size() > 1)
        throw UsageError(
            fmt::format("{} is computed by one backend; --backend names {}", figure.id, backends.size()));
    checkOutputFiles({request.png}, {request.input});
    const Fields fields = figure.draw({request.input, request.png, request.isQuick,
                                       backends.empty() ? "" : backends[0], request.options.device},
                                      context.progress());
    context.clearProgressLine();
    if (request.options.json) {
        Json json{{"command", "reproduce"}, {"figure", figure.id}, {"title", figure.title}};
        for (const auto& [name, value] : fields) json[name] = value;
        json["files"] = Json::array({request.png});
        printJson(context.out(), json);
        return 0;
    }
    Fields all{{"Figure", figure.title}};
    all.insert(all.end(), fields.begin(), fields.end());
    addFileFields(all, {request.png});
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
    if (request.restart) throw UsageError("--restart forgets what `reproduce all` has left in its folder");
    for (const DrawnFigure& figure : drawnFigures())
        if (figure.id == request.id) return drawFigure(context, options, request, figure);
    if (!request.input.empty())
        throw UsageError(fmt::format("--input is for figures that are drawn; {} is measured", request.id));
    const auto [figure, subject] = findFigure(request.id);
    ReproductionReport report = reportOf(figure, scaleOf(request), request.options.device.dialect);
    checkRequest(options, request, report.rows);
    const TimeLimit limit(request.budget, fmt::format("the budget of {}", formatSeconds(request.budget)));
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
         "crosses the claim's limit"}};
    ceilings.beginReport();
    FigureRun(options, seed, subject, report, ceilings, context).run();
    std::vector<MeasuredRow*> rows;
    for (FigureRow& row : report.rows) rows.push_back(&row);
    if (const std::string text = ceilings.text(raiseCeilings(rows, report.figure.id)); !text.empty())
        report.settings.emplace_back("ceilings", text);
    if (report.cutShort.empty() &&
        std::ranges::none_of(report.rows, [](const FigureRow& row) { return row.hasTime() || row.isWrong; }))
        report.cutShort = "nothing was measured: no method of the figure could run";
}

CommandAction declareReproduce(Options& options) {
    const auto request = std::make_shared<Reproduction>();
    options.value("ID", request->id, "Which figure or table; all: every one, into the folder of -o");
    options.flag("--list", request->isList, "Show the figures that can be measured here").notASetting();
    options.flag("--quick", request->isQuick, "Smaller sizes, for small machines; the report says which");
    options
        .value("--backend B,…", request->options.filter.backends,
               "Only these backends (default: all of the figure)")
        .suggests(backendNames());
    options.value("--seed S", request->seed, "Which data are generated");
    options
        .value(
            "--budget SECONDS", request->budget,
            "Ends by itself: claims that can be decided come first, times that do not fit are extrapolated")
        .positive();
    options.value("--input FILE", request->input,
                  "Of a figure that is drawn: the data; without it, where they are to be had");
    addRestartOption(options, request->restart);
    addReportOptions(options, request->options);
    options.remove("--output");
    options
        .value(
            "-o,--output FILE", request->outputs,
            "Also write the report as .json, or draw the times: .png, .svg, .pdf; can be given several times")
        .repeated()
        .notASetting()
        .formerly("--png", "-o FILE.png");
    addBackendOptions(options, request->options.device);
    options.footer(
        "Measures a figure or table of a publication on this machine, in the same rounds as `glycine bench`, "
        "and judges\n"
        "what the publication says about it. Every result is verified; a wrong one gets no time and exit "
        "code 1. `reproduce all` into the folder of an earlier run keeps what is decided there, and spends\n"
        "its budget on open claims.\n\n"
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
    CommandRegistry::instance().add(
        {"", "reproduce", "Commands", "Measure a publication's figures on this machine", declareReproduce});
}

}  // namespace glycine::study
