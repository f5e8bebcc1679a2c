#include "engine/study/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "engine/core/error.hpp"

namespace glycine::study {

namespace {

/// Shorter runs are preceded by one without timing.
constexpr double kShortRun = 0.02;

/// A contender while it runs.
class Run {
  public:
    Run(Contender& contender, Problem& problem, const ContestRules& rules, CommandContext& context)
        : contender_(contender), problem_(problem), rules_(rules), context_(context) {}

    void start(BackendPool& backends) {
        attempt([&] {
            const Configuration& configuration = contender_.configuration;
            Backend& backend = backends.use(configuration, contender_.threads);
            if (configuration.variant.empty())
                throw UnavailableError(rules_.algorithm + " is not implemented for it");
            if (const Support support = problem_.supports(backend, configuration); !support)
                throw UnavailableError(support.reason());
            label_ = configuration.label();
            contender_.device = describeDevice(backend, configuration.dialectName());
            context_.setProgressPrefix(fmt::format("{}: ", problem_.name()));
            computation_ = problem_.start(backend, configuration, Depth::Sampled, context_.progress());
        });
    }

    bool isActive() const { return computation_ != nullptr; }

    void runRound(std::size_t round) {
        attempt([&] {
            context_.setProgressPrefix(
                fmt::format("{}, {}, run {} of {}: ", label_, problem_.name(), round, rules_.repeats));
            if (round > 0 && last_.seconds < kShortRun) computation_->run(context_.progress());
            last_ = computation_->run(context_.progress());
            if (round > 0) take(last_);
            const bool isLast = round >= rules_.repeats || timedSeconds_ >= rules_.enoughSeconds;
            if (round == 0 || isLast) check();
            if (isLast) computation_.reset();
        });
    }

    void finish() {
        for (std::size_t s = 0; s < stageSamples_.size(); ++s)
            contender_.stages.push_back(
                {last_.stages[s].name, summarize(std::move(stageSamples_[s])), last_.stages[s].work});
        contender_.total = {"", summarize(std::move(samples_)), last_.work};
    }

  private:
    template <class Step>
    void attempt(const Step& step) {
        try {
            step();
        } catch (const UnavailableError& error) {
            contender_.skipped = error.what();
            computation_.reset();
        }
    }

    void take(const Outcome& outcome) {
        contender_.configuration.variant = outcome.variant;
        contender_.note = outcome.note;
        samples_.push_back(outcome.seconds);
        timedSeconds_ += outcome.seconds;
        stageSamples_.resize(outcome.stages.size());
        for (std::size_t s = 0; s < outcome.stages.size(); ++s)
            stageSamples_[s].push_back(outcome.stages[s].seconds);
    }

    void check() {
        const Comparison comparison = computation_->check(context_.progress());
        contender_.isWrong = !comparison.agrees();
        contender_.check = comparison.verdict;
        if (!contender_.isWrong) return;
        if (contender_.check.empty())
            contender_.check =
                fmt::format("{}, at {}", describeDifference(comparison, rules_.unit), comparison.place);
        computation_.reset();
    }

    Contender& contender_;
    Problem& problem_;
    const ContestRules& rules_;
    CommandContext& context_;
    std::string label_;
    std::unique_ptr<Computation> computation_;
    Outcome last_;
    double timedSeconds_ = 0;
    std::vector<double> samples_;
    std::vector<std::vector<double>> stageSamples_;
};

void holdHeat(Problem& problem, const std::vector<Contender*>& contenders, BackendPool& backends,
              const ContestRules& rules, ConditionsMeter& meter, CommandContext& context) {
    std::vector<Run> runs;
    for (Contender* contender : contenders)
        runs.emplace_back(*contender, problem, rules, context).start(backends);
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

void holdContest(Problem& problem, std::vector<Contender>& contenders, BackendPool& backends,
                 const ContestRules& rules, ConditionsMeter& meter, CommandContext& context) {
    // One OpenGL context at a time: all that need none run beside the first dialect.
    std::vector<Contender*> waiting;
    for (Contender& contender : contenders) waiting.push_back(&contender);
    while (!waiting.empty()) {
        std::optional<Dialect> dialect;
        std::vector<Contender*> heat, later;
        for (Contender* contender : waiting) {
            const std::optional<Dialect> own = contender->configuration.dialect;
            if (!dialect) dialect = own;
            (!own || own == dialect ? heat : later).push_back(contender);
        }
        holdHeat(problem, heat, backends, rules, meter, context);
        waiting = std::move(later);
    }
}

}  // namespace glycine::study
