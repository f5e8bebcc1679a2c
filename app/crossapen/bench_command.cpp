#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "app/crossapen/commands.hpp"
#include "engine/algorithms/crossapen/study/bench_input.hpp"
#include "engine/algorithms/crossapen/study/result_check.hpp"
#include "engine/algorithms/crossapen/study/study.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::crossapen {

namespace {

struct BenchOptions {
    BenchInputOptions input;
    bool isStudy = false;
    std::size_t subjects = 30;
    TimingOptions common;
};

/// Stage times of the runs, and what a row makes of them.
class StageTimes {
  public:
    void add(const MatchTimes& times, double total) {
        prepare_.push_back(times.prepare);
        upload_.push_back(times.upload);
        compute_.push_back(times.compute);
        download_.push_back(times.download);
        total_.push_back(total);
    }
    void store(double comparisons, BenchRow& row) {
        row.totalWork = comparisons / 1e9;
        row.stages.push_back({"prepare", summarize(std::move(prepare_))});
        row.stages.push_back({"upload", summarize(std::move(upload_))});
        row.stages.push_back({"compute", summarize(std::move(compute_)), row.totalWork});
        row.stages.push_back({"download", summarize(std::move(download_))});
        row.total = summarize(std::move(total_));
    }

  private:
    std::vector<double> prepare_, upload_, compute_, download_, total_;
};

/// Memberships take other sums than matches: a check of its own for each kind, of one batch.
struct BatchChecks {
    std::optional<ResultCheck<Matcher>> matches;
    std::optional<ResultCheck<MembershipSummer>> memberships;

    auto& of(const Matcher&) { return matches; }
    auto& of(const MembershipSummer&) { return memberships; }
};

class Bench {
  public:
    Bench(const BenchOptions& options, CommandContext& context, BenchReport& report)
        : options_(options), context_(context), report_(report), slot_(options.common.device) {}

    void timeBatch(const std::vector<Configuration>& configurations, const EpochBatch& batch,
                   const MatchRule& rule) {
        BatchChecks checks;
        const FuzzyRule fuzzy{.m = rule.m, .tolerance = options_.input.r};
        const SignalShape shape{batch.channels(), batch.samples(), batch.count()};
        for (const Configuration& configuration : configurations)
            addRow(configuration, shape, [&](Backend& backend, BenchRow& row) {
                if (parseVariant(configuration.variant) == Variant::Membership)
                    timeRuns(*createEngine<MembershipSummer>(backend), batch, fuzzy, checks, row);
                else
                    timeRuns(*createEngine<Matcher>(backend), batch, rule, checks, row);
            });
    }

    void timeStudy(const std::vector<Configuration>& configurations, const StudyPlan& plan) {
        Study study(plan, context_);
        for (const Configuration& configuration : configurations)
            addRow(configuration, plan.shape, [&](Backend& backend, BenchRow& row) {
                row.dimensions.insert(row.dimensions.begin(), {"subjects", plan.subjects});
                const StudyOutcome outcome =
                    study.run(*createEngine<Matcher>(backend), parseVariant(configuration.variant),
                              configuration.label());
                row.configuration.variant = toString(outcome.variant);
                row.check = outcome.check;
                row.isWrong = outcome.isWrong;
                row.note = fmt::format("signals made and normalised beside it in {}",
                                       formatSeconds(outcome.generateSeconds));
                StageTimes times;
                times.add(outcome.times, outcome.wallSeconds);
                times.store(plan.comparisons(), row);
            });
    }

  private:
    template <class Measure>
    void addRow(const Configuration& configuration, const SignalShape& shape, const Measure& measure) {
        BenchRow row;
        row.size = shape.samples;
        row.dimensions = {{"epochs", shape.epochs}, {"channels", shape.channels}, {"samples", shape.samples}};
        row.configuration = configuration;
        try {
            Backend& backend = slot_.use(configuration);
            if (configuration.variant.empty()) throw UnavailableError("crossapen is not implemented for it");
            report_.addDevice(describeDevice(backend, configuration.dialectName()));
            measure(backend, row);
        } catch (const UnavailableError& error) {
            row.skipped = error.what();
        }
        report_.rows.push_back(std::move(row));
    }

    /// Runs once without timing, then `repeats` times; verifies the first and the last result.
    template <class Engine>
    void timeRuns(Engine& engine, const EpochBatch& batch, const RuleOf<Engine>& rule, BatchChecks& checks,
                  BenchRow& row) {
        const Variant variant = parseVariant(row.configuration.variant);
        if (const Support support = supportsBatch(engine, batch, rule, variant); !support)
            throw UnavailableError(support.reason());
        auto& check = checks.of(engine);
        context_.setProgressPrefix("");
        if (!check)
            check.emplace(batch, rule, options_.input.seed, EngineTraits<Engine>::kReferenceBudget,
                          context_.progress());
        ResultMatrices<Engine> results = emptyResults<Engine>(batch);
        const auto views = viewsOf(results);
        StageTimes times;
        const std::size_t repeats = options_.common.repeats;
        for (std::size_t run = 0; run <= repeats; ++run) {
            context_.setProgressPrefix(
                fmt::format("{}, run {} of {}: ", row.configuration.label(), run, repeats));
            context_.progress().begin(std::string(EngineTraits<Engine>::kTask), batch.comparisons());
            if (run == repeats) clearResults(results);
            const Stopwatch watch;
            const MatchOutcome outcome =
                computePairs(engine, batch, rule, variant, views, context_.progress());
            const double seconds = watch.seconds();
            row.configuration.variant = toString(outcome.variant);
            if (run == 0 || run == repeats) {
                row.isWrong = !check->check(row.configuration.label(), results);
                row.check = check->verdict();
            }
            if (row.isWrong) return;
            if (run > 0) times.add(outcome.times, seconds);
        }
        times.store(batch.comparisons(), row);
    }

    const BenchOptions& options_;
    CommandContext& context_;
    BenchReport& report_;
    BackendSlot slot_;
};

StudyPlan studyPlan(const BenchOptions& options, const BenchInput& input) {
    StudyPlan plan;
    plan.subjects = options.subjects;
    plan.shape = input.shapes().front();
    plan.model = input.model();
    plan.rule = input.rule();
    plan.r = options.input.r;
    plan.format = input.format();
    plan.seed = options.input.seed;
    return plan;
}

Fields settingsOf(const BenchOptions& options, const BenchInput& input) {
    Fields settings{{"input", input.description()},
                    {"rule", fmt::format("m = {}, r = {}, {}", options.input.m, options.input.r,
                                         toString(input.format()))}};
    if (options.isStudy)
        settings.emplace_back(
            "runs",
            "each subject once, after the first one was matched without timing; compute and "
            "the other stages: on the device, summed over the subjects; total: on the "
            "clock, from normalised signals to match statistics in memory");
    else
        settings.emplace_back(
            "runs", fmt::format("1 dropped, {} timed: minimum (median); total: on the clock, from normalised "
                                "signals to match statistics in memory",
                                options.common.repeats));
    settings.emplace_back("rates", input.counting());
    settings.emplace_back("check",
                          options.isStudy
                              ? "pairs of each subject matched again by the reference, and checksums of all"
                              : "pairs of the first and the last result matched again by the reference, all "
                                "others as the first row found them");
    return settings;
}

/// Without named variants, each backend chooses the one that suits the shape.
std::vector<Configuration> configurationsFor(const CLI::App& command, BenchOptions& options) {
    options.common.filter.numberFormats = {options.input.format};
    std::vector<Configuration> all = configurationsToTime(command, registeredAlgorithm(), options.common);
    if (options.common.filter.variants.empty()) return leaveVariantToBackends(std::move(all));
    const auto memberships = std::count_if(all.begin(), all.end(), [](const Configuration& c) {
        return c.variant == toString(Variant::Membership);
    });
    if (memberships > 0 && (options.isStudy || static_cast<std::size_t>(memberships) < all.size()))
        throw UsageError(
            "memberships are other work than matches: time --variant membership alone, without --study");
    return all;
}

int bench(CommandContext& context, const CLI::App& command, BenchOptions& options) {
    if (command.count("--subjects") > 0 && !options.isStudy) throw UsageError("--subjects goes with --study");
    if (command.count("--repeats") > 0 && options.isStudy)
        throw UsageError("--study matches each subject once; --repeats does not go with it");
    BenchInput input(command, options.input, options.isStudy);
    if (!options.common.output.empty())
        checkOutputFiles({options.common.output},
                         options.input.file.empty() ? std::vector<std::filesystem::path>()
                                                    : std::vector<std::filesystem::path>{options.input.file});
    const std::vector<Configuration> configurations = configurationsFor(command, options);
    input.read(context.progress());

    BenchReport report;
    report.algorithm = "crossapen";
    report.sizeLabel =
        options.isStudy ? "subjects × epochs × channels × samples" : "epochs × channels × samples";
    report.rateUnit = "G/s";
    report.environment = currentEnvironment();
    report.settings = settingsOf(options, input);
    Bench run(options, context, report);
    if (options.isStudy) {
        run.timeStudy(configurations, studyPlan(options, input));
    } else {
        for (std::size_t shape = 0; shape < input.shapes().size(); ++shape)
            run.timeBatch(configurations, input.make(shape), input.rule());
    }
    context.clearProgressLine();
    return concludeBench(context, report, options.common.output, options.common.json);
}

}  // namespace

CommandAction addBenchTask(CLI::App& command) {
    auto options = std::make_shared<BenchOptions>();
    addBenchInputOptions(command, options->input);
    command.add_flag("--study", options->isStudy,
                     "Match the recordings of many subjects one after another: 49 epochs of 148 channels and "
                     "1024 samples each, as published");
    command.add_option("--subjects", options->subjects, "Of --study (default: 30, as published)")
        ->type_name("S")
        ->check(isPositive());
    addTimingOptions(command, options->common, "the one that suits the shape");
    command.footer(
        "A result that fails its check gets no time and exit code 1.\n\n"
        "Examples:\n"
        "  glycine bench crossapen --channels 8,64 --samples 1024,4096\n"
        "  glycine bench crossapen --pairs cross --backend cpu,cuda\n"
        "  glycine bench crossapen --backend gl --variant scalar,packed,bitset --dialect es300\n"
        "  glycine bench crossapen --study --backend cuda -o study.json\n"
        "  glycine bench crossapen --input S001R01.edf --m 2 --r 0.15");
    return [options, &command](CommandContext& context) { return bench(context, command, *options); };
}

}  // namespace glycine::crossapen
