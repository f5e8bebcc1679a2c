#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/time_limit.hpp"
#include "engine/core/compiled_kernels.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/reproduction_report.hpp"
#include "engine/study/study_runs.hpp"

namespace glycine::study {

namespace {

/// Time of the row's stage ("upper", "upper+lower") or of the whole run. Requires that the row has a time.
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

/// Whether the row can be measured; if not, stores the reason in the row.
bool isWanted(FigureRow& row, const std::vector<std::string>& wanted) {
    if (!wanted.empty() && std::ranges::find(wanted, row.configuration.backend) == wanted.end())
        row.skipped = "not among --backend";
    return row.skipped.empty();
}

/// The uses that refer to the time of the stage; all of them if the row is about the whole run.
std::vector<CeilingUse> usesOfStage(std::vector<CeilingUse> uses, const std::string& stage) {
    if (stage.empty()) return uses;
    const std::string among = "+" + stage + "+";
    std::erase_if(uses, [&](const CeilingUse& use) {
        return use.stage.empty() || among.find("+" + use.stage + "+") == std::string::npos;
    });
    return uses;
}

/// Measures the rows of a figure. Within a TimeLimit, rows that decide an open sentence run first, then rows
/// of undecided sentences again; the same for other open claims; then all others. A run does not begin if
/// shorter runs predict that it cannot finish. Rows of an earlier report keep their results.
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
        if (report.figure.facts) take(report.figure.facts(report.scale, seed));
    }

    void run(Goal goal) {
        report_.cutShort.clear();
        fitThreads(report_.rows, report_.figure.claims(report_.scale),
                   static_cast<int>(std::thread::hardware_concurrency()));
        for (FigureRow& row : report_.rows) {
            if (!row.cutShort.empty() && (!row.hasTime() || !row.fit.empty())) forget(row);
            describe(row);
            if (row.hasTime()) report_.addDevice(row.device);
        }
        const auto isUntried = [](const FigureRow& row) { return !row.hasTime() && row.skipped.empty(); };
        if (std::isinf(TimeLimit::secondsLeft())) {
            measure(isUntried, options_.repeats);
        } else {
            // Software renderers say nothing about GPUs: their rows do not use the budget.
            const std::set<std::string> first =
                openKeys(Goal::Claims, Cases::All, [](const auto&) { return true; });
            for (FigureRow& row : report_.rows)
                if (isUntried(row) && row.device.isSoftware && !first.contains(row.published.key))
                    row.skipped = "there is no GPU, the renderer is software";
            decide(Goal::Sentences);
            if (goal != Goal::Sentences) decide(Goal::Claims);
            // Rows of a claim that lacks something else do not need to be measured.
            std::set<std::string> claimed;
            for (const Claim& claim : report_.figure.claims(report_.scale))
                for (const std::string& key : keysOf(claim.quantity)) claimed.insert(key);
            if (goal == Goal::Everything)
                measure(
                    [&](const FigureRow& row) {
                        return isUntried(row) && !claimed.contains(row.published.key);
                    },
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
        Conditions conditions = meter_.finish(spreadsOf(report_.rows));
        if (report_.conditions.disturbance().empty()) report_.conditions = std::move(conditions);
    }

  private:
    static void forget(FigureRow& row) {
        row.skipped.clear();
        row.cutShort.clear();
        row.fit.clear();
        row.check.clear();
        row.total.seconds = {};
    }

    /// Measures what lacks for open sentences, or for all open claims.
    void decide(Goal goal) {
        // The papers' own loops take longest. They run later, so that the other claims get a verdict.
        const auto hasLoop = [this](const JudgedClaim& one) {
            const std::vector<std::string> keys = keysOf(one.claim.quantity);
            return std::ranges::any_of(report_.rows, [&](const FigureRow& row) {
                return row.configuration.backend == "reference" &&
                       std::ranges::find(keys, row.published.key) != keys.end();
            });
        };
        const auto isUnmeasured = [](const JudgedClaim& one) { return one.value.count == 0; };
        measureOpen(goal, [&](const JudgedClaim& one) { return isUnmeasured(one) && !hasLoop(one); });
        measureOpen(goal, isUnmeasured);
        const auto hasWideInterval = [&isUnmeasured](const JudgedClaim& one) {
            return one.verdict == Verdict::Undecided && !isUnmeasured(one);
        };
        // Three times as many runs narrow an interval by about 40 %.
        constexpr std::size_t kMaxVisits = 3;
        for (std::size_t visit = 0; visit < kMaxVisits && !TimeLimit::hasExpired(); ++visit) {
            const std::set<std::string> keys = openKeys(goal, Cases::All, hasWideInterval);
            std::size_t runs = options_.repeats;
            for (const FigureRow& row : report_.rows)
                if (keys.contains(row.published.key)) runs = std::max(runs, row.total.seconds.count);
            measureKeys(keys, 3 * runs);
        }
    }

    std::vector<JudgedClaim> judged() const {
        std::vector<JudgedClaim> all;
        for (const Claim& claim : report_.figure.claims(report_.scale))
            all.push_back(judge(claim, report_.rows, facts_));
        return all;
    }

    /// Stores the device that the row runs on, or the reason why it does not run.
    void describe(FigureRow& row) {
        if (row.isPaperAlone() || !isWanted(row, options_.filter.backends)) return;
        try {
            Backend& backend = backends_.use(row.configuration, row.threads);
            row.device = describeDevice(backend);
            if (report_.figure.deviceFacts) take(report_.figure.deviceFacts(backend, row.configuration));
        } catch (const UnavailableError& error) {
            row.skipped = error.what();
            if (report_.figure.deviceFacts) takeCompiled(row);
        }
    }

    void take(const std::map<std::string, double>& values, const std::string& origin = {}) {
        for (const auto& [name, value] : values) facts_.counted.try_emplace(name, value, origin);
    }

    /// Stores what the compiler reported of the row's kernel, which has no device here.
    void takeCompiled(const FigureRow& row) {
        facts_.missing = row.skipped;
        const auto found = compiledKernels().find(row.configuration.backend);
        if (found == compiledKernels().end()) return;
        const CompiledKernels kernels = found->second();
        if (!kernels.reason.empty()) facts_.missing = kernels.reason;
        const auto kernel = kernels.variants.find(row.configuration.variant);
        if (kernel == kernels.variants.end()) return;
        std::map<std::string, double> values = kernel->second.facts(kernel->first);
        if (kernel->second.occupancy == 0) values.erase("occupancy of " + kernel->first);
        take(values, fmt::format("compiled for {}", kernels.target));
    }

    /// Whether the row runs here on the kind of device that the publication means. Claims about results
    /// accept any device.
    bool canDecide(const std::string& key, bool isOfResults) const {
        const auto row =
            std::ranges::find(report_.rows, key, [](const FigureRow& one) { return one.published.key; });
        return row != report_.rows.end() && row->skipped.empty() && (isOfResults || !row->device.isSoftware);
    }

    /// Measures the open claims that are meant; of a sentence one case after another, until it has a verdict
    /// on each GPU backend.
    template <class IsMeant>
    void measureOpen(Goal goal, const IsMeant& isMeant) {
        std::set<std::string> last;
        while (!TimeLimit::hasExpired()) {
            const std::set<std::string> keys =
                openKeys(goal, goal == Goal::Sentences ? Cases::First : Cases::All, isMeant);
            if (keys.empty() || keys == last) return;
            measureKeys(keys, options_.repeats);
            last = keys;
        }
    }

    /// Which of the cases in which a sentence is judged.
    enum class Cases { First, All };

    /// Keys of the open claims that can be decided here; of open sentences only for Goal::Sentences.
    template <class IsMeant>
    std::set<std::string> openKeys(Goal goal, Cases cases, const IsMeant& isMeant) const {
        std::set<std::string> keys;
        const auto add = [&](const std::vector<JudgedClaim>& claims) {
            for (const JudgedClaim& one : claims) {
                const std::vector<std::string> own = keysOf(one.claim.quantity);
                const bool isOfResults = std::holds_alternative<ScoreRatio>(one.claim.quantity);
                if (isDecided(one.verdict) || own.empty() || !isMeant(one) ||
                    !std::ranges::all_of(own,
                                         [&](const std::string& key) { return canDecide(key, isOfResults); }))
                    continue;
                keys.insert(own.begin(), own.end());
                if (cases == Cases::First) break;
            }
        };
        for (const auto& sentence : sentencesOf(judged())) {
            if (goal != Goal::Sentences) {
                add(sentence);
                continue;
            }
            for (const auto& part : partsOf(sentence))
                if (!isDecided(verdictOn(part))) add(part);
        }
        return keys;
    }

    /// Measures the rows with these keys, after rows of smaller sizes that predict their run times.
    void measureKeys(const std::set<std::string>& keys, std::size_t repeats) {
        if (keys.empty()) return;
        makeProblems();
        std::set<std::string> meant = keys;
        for (const FigureRow& row : report_.rows)
            if (!row.hasTime() && std::ranges::any_of(report_.rows, [&](const FigureRow& other) {
                    return keys.contains(other.published.key) && !other.hasTime() &&
                           isSameMethod(row, other) && isSmaller(row, other);
                }))
                meant.insert(row.published.key);
        measure(
            [&](const FigureRow& row) {
                return !row.published.key.empty() && meant.contains(row.published.key);
            },
            repeats);
    }

    static bool isSameMethod(const FigureRow& row, const FigureRow& other) {
        return row.threads == other.threads && row.configuration.label() == other.configuration.label();
    }
    static bool isSmaller(const FigureRow& row, const FigureRow& other) {
        if (row.dimensions.size() != other.dimensions.size()) return false;
        std::size_t smaller = 0, others = 0;
        for (std::size_t d = 0; d < row.dimensions.size(); ++d)
            if (row.dimensions[d].second < other.dimensions[d].second)
                ++smaller;
            else if (row.dimensions[d] != other.dimensions[d])
                ++others;
        return smaller == 1 && others == 0;
    }

    /// If a run is expected to take longer than the time left, by extrapolation from smaller sizes, stores
    /// that as the reason.
    void refuseEndless(FigureRow& row) const {
        std::string fit;
        const double left = TimeLimit::secondsLeft();
        if (const auto expected = std::isinf(left) ? std::nullopt : extrapolated(row, report_.rows, fit);
            expected && 2 * expected->median > left)
            row.skipped = row.cutShort =
                fmt::format("not begun: two runs take some {}, and {} are left",
                            formatSeconds(2 * expected->median), formatSeconds(std::max(left, 0.0)));
    }

    /// Makes the problems once; later visits reuse what the first one verified. If the time limit ends first,
    /// there are no problems, and the rows say so.
    void makeProblems() {
        if (!problems_.empty()) return;
        try {
            problems_ = report_.figure.problems(report_.scale, seed_, context_.progress());
        } catch (const TimeLimitError& error) {
            report_.cutShort = fmt::format("its inputs were not made: {}", error.what());
            for (FigureRow& row : report_.rows)
                if (!row.isPaperAlone() && !row.hasTime() && row.skipped.empty())
                    row.skipped = row.cutShort = report_.cutShort;
        }
        for (FigureRow& row : report_.rows)
            if (row.published.problem < problems_.size()) row.setProblem(*problems_[row.published.problem]);
    }

    /// Measures all wanted rows of each problem side by side, small problems first. Rows of one method with
    /// different stages come from the same runs.
    template <class IsWanted>
    void measure(const IsWanted& isWantedNow, std::size_t repeats) {
        if (std::ranges::none_of(report_.rows, isWantedNow)) return;
        makeProblems();
        std::vector<std::size_t> order(problems_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t index) {
            double extent = 1;
            for (const auto& [name, length] : problems_[index]->dimensions()) extent *= double(length);
            return extent;
        });
        const bool isOnly = std::isinf(TimeLimit::secondsLeft());
        for (std::size_t done = 0; done < order.size(); ++done) {
            measure(*problems_[order[done]], order[done], isWantedNow, repeats);
            if (TimeLimit::hasExpired() && report_.cutShort.empty())
                report_.cutShort = incompleteText("problem", done, problems_.size(), TimeLimit::reason());
            if (isOnly) problems_[order[done]].reset();
        }
    }

    template <class IsWanted>
    void measure(Problem& problem, std::size_t index, const IsWanted& isWantedNow, std::size_t repeats) {
        std::vector<MeasuredRow> contenders;
        const auto find = [&contenders](const FigureRow& row) {
            return std::ranges::find_if(contenders, [&row](const MeasuredRow& contender) {
                return contender.configuration.label() == row.configuration.label() &&
                       contender.threads == row.threads;
            });
        };
        std::vector<std::pair<FigureRow*, std::size_t>> measured;
        for (FigureRow& row : report_.rows) {
            if (row.published.problem != index || row.isPaperAlone() || !row.skipped.empty()) continue;
            if (!isWantedNow(row)) continue;
            if (!row.hasTime()) refuseEndless(row);
            if (row.skipped.empty() && find(row) == contenders.end())
                contenders.push_back({row.configuration, row.threads});
        }
        if (contenders.empty()) return;
        // If time is short, a round begins with the methods that need least of it, so that their claims get a
        // verdict.
        std::ranges::stable_sort(contenders, {}, [](const MeasuredRow& contender) {
            return std::ranges::find(kDefaultOrder, contender.configuration.backend) - kDefaultOrder;
        });
        for (FigureRow& row : report_.rows)
            if (row.published.problem == index && !row.isPaperAlone() && row.skipped.empty())
                if (const auto same = find(row); same != contenders.end())
                    measured.emplace_back(&row, same - contenders.begin());
        constexpr double kShares = 8;
        const ContestRules rules{
            .repeats = repeats,
            .enoughSeconds = std::min(report_.figure.enoughSeconds, TimeLimit::secondsLeft() / kShares),
            .keepsLongFirst = true,
            .unit = subject_.unit()};
        runContest(problem, contenders, backends_, rules, meter_, context_);
        for (MeasuredRow& contender : contenders) {
            if (!contender.hasTime()) continue;
            const TimeLimit::Suspension suspension;  // rows with a time are reported in full
            context_.setProgressPrefix("ceilings: ");
            contender.ceilings = usesOf(problem.needs(contender.configuration),
                                        backends_.use(contender.configuration, contender.threads), ceilings_,
                                        context_.progress());
        }
        for (const auto& [row, contender] : measured) {
            const MeasuredRow& now = contenders[contender];
            // Earlier samples stay if another visit took fewer.
            if (row->hasTime() && !now.isWrong &&
                (!now.hasTime() || now.total.seconds.count < row->total.seconds.count))
                continue;
            static_cast<MeasuredRow&>(*row) = now;
            row->ceilings = usesOfStage(std::move(row->ceilings), row->published.stage);
            if (row->hasTime()) row->total = stageTime(now, row->published.stage);
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
    Facts facts_;
    std::vector<std::unique_ptr<Problem>> problems_;
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

}  // namespace

ReproductionReport reportOf(const PublishedFigure& figure, Scale scale, Dialect dialect) {
    ReproductionReport report;
    report.figure = figure;
    report.scale = scale;
    report.rows = rowsOf(figure, scale, dialect);
    return report;
}

void measureFigure(const Subject& subject, ReproductionReport& report, const StudyOptions& options,
                   std::uint64_t seed, CeilingsInUse& ceilings, CommandContext& context, Goal goal) {
    if (report.figure.bytes) requireTimingMemory(report.figure.id, report.figure.bytes(report.scale));
    report.environment = currentEnvironment();
    report.settings = {
        {"seed", fmt::format("{}", seed)},
        {"runs", fmt::format("in rounds, each method once a round; 1 dropped, {} timed, fewer where they "
                             "take more than {} or an eighth of "
                             "what is left of a budget; a single run of that length counts: minimum (median)",
                             options.repeats, formatSeconds(report.figure.enoughSeconds))},
        {"verdicts",
         "from the interval of the median (order statistics; of ratios round by round): undecided where it "
         "crosses the claim's limit"}};
    ceilings.beginReport();
    FigureRun(options, seed, subject, report, ceilings, context).run(goal);
    std::vector<MeasuredRow*> rows;
    for (FigureRow& row : report.rows) rows.push_back(&row);
    if (const std::string text = ceilings.text(raiseCeilings(rows, report.figure.id)); !text.empty())
        report.settings.emplace_back("ceilings", text);
    if (report.cutShort.empty() &&
        std::ranges::none_of(report.rows, [](const FigureRow& row) { return row.hasTime() || row.isWrong; }))
        report.cutShort = "nothing was measured: no method of the figure could run";
}

}  // namespace glycine::study
