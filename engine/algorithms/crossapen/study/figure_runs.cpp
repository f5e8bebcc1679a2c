#include "engine/algorithms/crossapen/study/figure_runs.hpp"

#include <fmt/format.h>

#include <vector>

#include "engine/algorithms/crossapen/match_counts.hpp"
#include "engine/algorithms/crossapen/study/paper_loop.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

constexpr MatchRule kRule{};
constexpr double kTolerance = 0.2;
/// A trial: two independent signals.
constexpr std::size_t kSignals = 2;
constexpr SignalModel kTrialModel{.kind = SignalKind::White, .coupling = 0};
/// Timed runs of one row end after so many seconds.
constexpr double kEnough = 10;

BackendOptions withOneThread(BackendOptions options) {
    options.threads = 1;
    return options;
}

/// What the loops do not count stays zero.
MatchStatistics statisticsOf(const LoopCounts& counts, const LogTable& logs) {
    MatchStatistics statistics = summarise({counts.shortMatches, counts.longMatches, 0}, logs);
    statistics.matchesWithin = 0;
    return statistics;
}

}  // namespace

std::string TrialShape::text() const {
    return fmt::format("{} × {}", formatCount(trials), formatCount(samples));
}

FigureRuns::FigureRuns(const BackendOptions& device, std::size_t repeats, std::uint64_t seed,
                       CommandContext& context, FigureReport& report)
    : device_(device),
      repeats_(repeats),
      seed_(seed),
      context_(context),
      report_(report),
      slot_(device),
      oneThread_(withOneThread(device)) {}

FigureRuns::Trials& FigureRuns::trialsOf(const TrialShape& shape) {
    if (const auto found = trials_.find(shape); found != trials_.end()) return found->second;
    Trials& trials = trials_
                         .emplace(shape, Trials{generateBatch(NumberFormat::Float32,
                                                              {kSignals, shape.samples, shape.trials},
                                                              kTrialModel, kTolerance, seed_),
                                                {}})
                         .first->second;
    context_.setProgressPrefix(fmt::format("reference, {}: ", shape.text()));
    trials.check.emplace(trials.batch, kRule, seed_, EngineTraits<Matcher>::kReferenceBudget,
                         context_.progress());
    return trials;
}

FigureRow FigureRuns::rowFor(const FigureMethod& method) const {
    FigureRow row;
    row.configuration.backend = method.backend;
    row.configuration.variant = toString(method.variant);
    row.configuration.numberFormat = toString(NumberFormat::Float32);
    if (method.backend == "gl") row.configuration.dialect = device_.dialect;
    row.method = fmt::format("{} {}{}", method.backend, toString(method.variant),
                             method.isOneThread ? ", 1 thread" : "");
    return row;
}

template <class Measure>
void FigureRuns::withMatcher(const FigureMethod& method, FigureRow& row, const Measure& measure) {
    try {
        Backend& backend = (method.isOneThread ? oneThread_ : slot_).use(row.configuration);
        const std::unique_ptr<Matcher> matcher = createEngine<Matcher>(backend);
        report_.addDevice(describeDevice(backend, row.configuration.dialectName()));
        measure(*matcher);
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
}

FigureRow FigureRuns::measure(const FigureMethod& method, const TrialShape& shape) {
    FigureRow row = rowFor(method);
    row.size = shape.text();
    const auto key = std::pair(row.method, shape);
    if (const auto found = measured_.find(key); found != measured_.end()) return found->second;
    withMatcher(method, row, [&](Matcher& matcher) {
        Trials& trials = trialsOf(shape);
        row.comparisons = trials.batch.comparisons();
        if (const Support support = supportsBatch(matcher, trials.batch, kRule, method.variant); !support)
            throw UnavailableError(support.reason());
        context_.setProgressPrefix(fmt::format("{}, {}: ", row.method, row.size));
        measureRuns(matcher, method.variant, trials, row);
    });
    measured_.emplace(key, row);
    return row;
}

void FigureRuns::measureRuns(Matcher& matcher, Variant variant, Trials& trials, FigureRow& row) {
    ResultMatrices<Matcher> results = emptyResults<Matcher>(trials.batch);
    const auto views = viewsOf(results);
    const auto run = [&] {
        context_.progress().begin("matching", trials.batch.comparisons());
        return computePairs(matcher, trials.batch, kRule, variant, views, context_.progress());
    };
    const auto verify = [&] {
        row.isWrong = !trials.check->check(row.method, results);
        row.check = trials.check->verdict();
        return !row.isWrong;
    };
    const Stopwatch whole;
    const MatchOutcome dropped = run();
    if (variant == Variant::Default) {
        row.configuration.variant = toString(dropped.variant);
        row.method = fmt::format("{} {}", row.configuration.backend, row.configuration.variant);
    }
    if (!verify()) return;
    std::vector<double> seconds;
    std::vector<double> compute;
    for (bool isLast = false; !isLast;) {
        isLast = seconds.size() + 1 >= repeats_ || whole.seconds() > kEnough;
        if (isLast) clearResults(results);
        const Stopwatch watch;
        const MatchOutcome outcome = run();
        seconds.push_back(watch.seconds());
        compute.push_back(outcome.times.compute);
    }
    if (!verify()) return;
    row.seconds = summarize(std::move(seconds));
    row.compute = summarize(std::move(compute));
}

FigureRow FigureRuns::measureLoop(bool isMerged, std::size_t samples) {
    const EpochBatch batch =
        generateBatch(NumberFormat::Float32, {kSignals, samples, 1}, kTrialModel, kTolerance, seed_);
    context_.setProgressPrefix(fmt::format("C({}), {}: ", isMerged ? 2 : 1, formatCount(samples)));
    MatchStatistics expected = askReference<Matcher>(batch, kRule, context_.progress()).front()(0, 1);
    expected.matchesWithin = 0;

    FigureRow row;
    row.method = isMerged ? "C(2), one sweep" : "C(1), two sweeps";
    row.size = TrialShape{1, samples}.text();
    row.comparisons = static_cast<double>(samples) * static_cast<double>(samples);
    const auto epoch = std::get<Epoch<float>>(batch.views().front());
    const std::span<const float> u(epoch.signals.row(0), samples);
    const std::span<const float> v(epoch.signals.row(1), samples);
    std::vector<std::uint32_t> shortMatches(shortTemplates(samples, kRule.m));
    std::vector<std::uint32_t> longMatches(longTemplates(samples, kRule.m));
    const LoopCounts counts{shortMatches, longMatches};
    const LogTable logs(samples);
    std::vector<double> seconds;
    for (std::size_t run = 0; run <= repeats_; ++run) {
        context_.progress().throwIfCancelled();
        const Stopwatch watch;
        if (isMerged)
            countInOneSweep(u, v, kRule.m, epoch.tolerance[0], counts);
        else
            countInTwoSweeps(u, v, kRule.m, epoch.tolerance[0], counts);
        if (run > 0) seconds.push_back(watch.seconds());
        row.isWrong = statisticsOf(counts, logs) != expected;
        if (row.isWrong) {
            row.check = "its matches are not those of the reference";
            return row;
        }
    }
    row.check = "1 pair exact";
    row.seconds = summarize(std::move(seconds));
    return row;
}

FigureRow FigureRuns::measureStudy(const std::string& backend, Study& study, const StudyPlan& plan) {
    const FigureMethod method{backend};
    FigureRow row = rowFor(method);
    row.size = fmt::format("{} × {} × {} × {}", plan.subjects, plan.shape.epochs, plan.shape.channels,
                           formatCount(plan.shape.samples));
    row.comparisons = plan.comparisons();
    withMatcher(method, row, [&](Matcher& matcher) {
        const StudyOutcome outcome = study.run(matcher, method.variant, row.method);
        row.configuration.variant = toString(outcome.variant);
        row.method = fmt::format("{} {}", backend, row.configuration.variant);
        row.check = outcome.check;
        row.isWrong = outcome.isWrong;
        row.note = fmt::format(
            "by stages: prepare {}, upload {}, compute {}, download {}, {} in all; signals made and "
            "normalised "
            "beside it in {}",
            formatSeconds(outcome.times.prepare), formatSeconds(outcome.times.upload),
            formatSeconds(outcome.times.compute), formatSeconds(outcome.times.download),
            formatSeconds(outcome.times.total()), formatSeconds(outcome.generateSeconds));
        row.seconds = summarize({outcome.wallSeconds});
        row.compute = summarize({outcome.times.compute});
    });
    return row;
}

}  // namespace glycine::crossapen
