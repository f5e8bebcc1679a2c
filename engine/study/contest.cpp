#include "engine/study/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "engine/command/time_limit.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::study {

namespace {

/// Runs shorter than this many seconds are preceded by an untimed run and repeated within their turn, until
/// the turn lasts this long or reaches kMaxRunsOfATurn.
constexpr double kShortRun = 0.02;
constexpr std::size_t kMaxRunsOfATurn = 25;

/// The outcome with the median wall-clock time.
const Outcome& medianOf(std::vector<Outcome>& outcomes) {
    const auto middle = outcomes.begin() + static_cast<std::ptrdiff_t>((outcomes.size() - 1) / 2);
    std::ranges::nth_element(outcomes, middle, {}, &Outcome::seconds);
    return *middle;
}

/// A row during its measurement.
class Run {
  public:
    Run(MeasuredRow& row, Problem& problem, const ContestRules& rules, CommandContext& context)
        : row_(row), problem_(problem), rules_(rules), context_(context) {}

    void start(BackendPool& backends) {
        if (!row_.skipped.empty()) return;
        if (TimeLimit::hasExpired()) return markCutShort();
        attempt([&] {
            const Configuration& configuration = row_.configuration;
            Backend& backend = backends.use(configuration, row_.threads);
            if (const Support support = problem_.supports(backend, configuration); !support)
                throw UnavailableError(support.reason());
            label_ = configuration.label();
            row_.device = describeDevice(backend);
            if (rules_.energy != nullptr) energy_ = &rules_.energy->of(backend);
            context_.setProgressPrefix(fmt::format("{}: ", problem_.name()));
            computation_ = problem_.start(backend, configuration, CheckScope::Sampled, context_.progress());
        });
    }

    bool isActive() const { return computation_ != nullptr; }

    void runRound(std::size_t round) {
        if (TimeLimit::hasExpired()) return endEarly();
        attempt([&] {
            context_.setProgressPrefix(
                fmt::format("{}, {}, run {} of {}: ", label_, problem_.name(), round, rules_.repeats));
            if (round > 0 && last_.seconds < kShortRun) computation_->run(context_.progress());
            const std::vector<double> before = joulesNow(round);
            last_ = computation_->run(context_.progress());
            const bool isEnough = rules_.keepsLongFirst && last_.seconds >= rules_.enoughSeconds;
            if (round > 0 || isEnough) {
                std::vector<Outcome> turn{last_};
                for (double spent = last_.seconds; spent < kShortRun && turn.size() < kMaxRunsOfATurn;
                     spent += turn.back().seconds)
                    turn.push_back(computation_->run(context_.progress()));
                takeEnergy(before, joulesNow(round));
                for (const Outcome& one : turn) timedSeconds_ += one.seconds;
                timedRuns_ += turn.size();
                last_ = medianOf(turn);
                take(last_);
            }
            const bool isLast = round >= rules_.repeats || timedSeconds_ >= rules_.enoughSeconds;
            if (round == 0 || isLast) check();
            if (isLast) computation_.reset();
        });
    }

    void finish() {
        for (std::size_t s = 0; s < stageSamples_.size(); ++s)
            row_.stages.push_back(
                {last_.stages[s].name, summarize(std::move(stageSamples_[s])), last_.stages[s].work});
        row_.total = {"total", summarize(std::move(samples_)), last_.work};
        if (energy_ != nullptr && row_.hasTime()) reportEnergy();
    }

  private:
    template <class Step>
    void attempt(const Step& step) {
        try {
            step();
        } catch (const UnavailableError& error) {
            row_.skipped = error.what();
            computation_.reset();
        } catch (const TimeLimitError&) {
            // Interrupted in the middle of a run: that result is lost, earlier ones stay.
            computation_.reset();
            markCutShort();
        }
    }

    /// Stops between two runs; the last run's result is still checked.
    void endEarly() {
        const TimeLimit::Suspension suspension;
        if (!samples_.empty()) attempt([&] { check(); });
        computation_.reset();
        markCutShort();
    }

    void markCutShort() {
        row_.cutShort =
            fmt::format("{} of {} rounds: {}", samples_.size(), rules_.repeats, TimeLimit::reason());
        if (samples_.empty()) row_.skipped = "not finished: " + TimeLimit::reason();
    }

    /// Reading of each counter, in joules; empty in the untimed round.
    std::vector<double> joulesNow(std::size_t round) const {
        std::vector<double> now;
        if (energy_ != nullptr && round > 0)
            for (const auto& counter : energy_->counters) now.push_back(counter->joules());
        return now;
    }

    void takeEnergy(const std::vector<double>& before, const std::vector<double>& after) {
        joules_.resize(after.size());
        for (std::size_t c = 0; c < after.size(); ++c) joules_[c] += after[c] - before[c];
    }

    void reportEnergy() {
        row_.energyAbsent = energy_->absent;
        if (joules_.empty()) return;
        for (std::size_t c = 0; c < joules_.size(); ++c) {
            const EnergyCounter& counter = *energy_->counters[c];
            if (timedSeconds_ >= counter.leastSeconds())
                row_.energy.push_back(
                    {counter.name(), counter.how(), joules_[c] / static_cast<double>(timedRuns_)});
            else if (row_.energyAbsent.empty())
                row_.energyAbsent = fmt::format(
                    "the runs took {} together, and the counter of {} resolves nothing below {}",
                    formatSeconds(timedSeconds_), counter.name(), formatSeconds(counter.leastSeconds()));
        }
    }

    void take(const Outcome& outcome) {
        row_.configuration.variant = outcome.variant;
        row_.note = outcome.note;
        row_.scores = outcome.scores;
        samples_.push_back(outcome.seconds);
        stageSamples_.resize(outcome.stages.size());
        for (std::size_t s = 0; s < outcome.stages.size(); ++s)
            stageSamples_[s].push_back(outcome.stages[s].seconds);
    }

    void check() {
        // The first check follows the first run, whose digest this is.
        if (!row_.digest) row_.digest = computation_->digest();
        const Comparison comparison = computation_->check(context_.progress());
        row_.isWrong = !comparison.agrees();
        row_.check = comparison.verdict;
        if (!row_.isWrong) return;
        if (row_.check.empty())
            row_.check =
                fmt::format("{}, at {}", describeDifference(comparison, rules_.unit), comparison.place);
        computation_.reset();
    }

    MeasuredRow& row_;
    Problem& problem_;
    const ContestRules& rules_;
    CommandContext& context_;
    std::string label_;
    std::unique_ptr<Computation> computation_;
    Outcome last_;
    double timedSeconds_ = 0;
    std::size_t timedRuns_ = 0;  ///< all runs of one turn make one sample
    const EnergyCounters* energy_ = nullptr;
    std::vector<double> joules_;  ///< sum over all timed runs, one per counter
    std::vector<double> samples_;
    std::vector<std::vector<double>> stageSamples_;
};

void holdHeat(Problem& problem, const std::vector<MeasuredRow*>& rows, BackendPool& backends,
              const ContestRules& rules, ConditionsMeter& meter, CommandContext& context) {
    std::vector<Run> runs;
    for (MeasuredRow* row : rows) runs.emplace_back(*row, problem, rules, context).start(backends);
    for (std::size_t round = 0; round <= rules.repeats; ++round) {
        for (Run& run : runs) {
            if (!run.isActive()) continue;
            meter.probe();
            run.runRound(round);
        }
    }
    for (Run& run : runs) run.finish();
}

}  // namespace

const MeasuredTime* MeasuredRow::time(std::string_view name) const {
    if (!hasTime()) return nullptr;
    if (name == total.name) return &total;
    const auto found = std::ranges::find(stages, name, &MeasuredTime::name);
    return found == stages.end() ? nullptr : &*found;
}

double MeasuredRow::computingSeconds(std::string_view stageName) const {
    if (!hasTime()) return 0;
    if (!stageName.empty()) {
        const MeasuredTime* named = time(stageName);
        return named == nullptr ? 0 : named->seconds.minimum;
    }
    if (const MeasuredTime* compute = time("compute")) return compute->seconds.minimum;
    std::vector<double> sums;
    for (const MeasuredTime& stage : stages) {
        if (!(stage.work > 0)) continue;
        sums.resize(stage.seconds.samples.size());
        for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += stage.seconds.samples[s];
    }
    return sums.empty() ? total.seconds.minimum : std::ranges::min(sums);
}

double MeasuredRow::ceilingShare() const {
    if (ceilings.empty()) return 0;
    return ceilings.front().shareOf(computingSeconds(ceilings.front().stage));
}

void MeasuredRow::setProblem(const Problem& theProblem) {
    problem = theProblem.name();
    size = theProblem.size();
    dimensions = theProblem.dimensions();
}

void runContest(Problem& problem, std::vector<MeasuredRow>& rows, BackendPool& backends,
                const ContestRules& rules, ConditionsMeter& meter, CommandContext& context) {
    // Only one OpenGL context exists at a time. Rows without a dialect run with the first dialect.
    std::vector<MeasuredRow*> waiting;
    for (MeasuredRow& row : rows) {
        row.setProblem(problem);
        waiting.push_back(&row);
    }
    while (!waiting.empty()) {
        std::optional<Dialect> dialect;
        std::vector<MeasuredRow*> heat, later;
        for (MeasuredRow* row : waiting) {
            const std::optional<Dialect> own = row->configuration.dialect;
            if (!dialect) dialect = own;
            (!own || own == dialect ? heat : later).push_back(row);
        }
        holdHeat(problem, heat, backends, rules, meter, context);
        waiting = std::move(later);
    }
}

}  // namespace glycine::study
