#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "app/crossapen/commands.hpp"
#include "engine/algorithms/crossapen/study/result_agreement.hpp"
#include "engine/algorithms/crossapen/study/validation_inputs.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::crossapen {

namespace {

/// Epochs of a generated input of a length that was asked for.
constexpr std::size_t kEpochs = 2;

struct ValidateOptions {
    std::string input;
    std::vector<unsigned> m;
    std::vector<double> r;
    std::optional<std::size_t> channels;
    std::vector<std::size_t> samples;
    std::size_t epochs = 2;
    std::uint64_t seed = 1;
    ValidationOptions common;
};

/// What the reference makes of the inputs, computed when it is first needed.
template <class Engine>
class Expectations {
  public:
    explicit Expectations(CommandContext& context) : context_(context) {}

    const ResultMatrices<Engine>& of(std::size_t index, const ValidationInput& input, NumberFormat format) {
        const auto key = std::pair(index, format);
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        context_.setProgressPrefix(fmt::format("reference {}, {}: ", toString(format), input.name));
        const Stopwatch watch;
        const ResultMatrices<Engine> plain =
            askReference<Engine>(input.plainBatch(format), input.ruleFor<Engine>(), context_.progress());
        seconds_ += watch.seconds();
        ResultMatrices<Engine> results;
        for (const auto& matrix : plain) {
            const std::size_t channels = input.epochs.front().rows();
            auto& result = results.emplace_back(channels, channels);
            for (std::size_t a = 0; a < channels; ++a)
                for (std::size_t b = 0; b < channels; ++b)
                    result(a, b) = matrix(input.plainChannel(a), input.plainChannel(b));
        }
        return known_.emplace(key, std::move(results)).first->second;
    }
    double seconds() const { return seconds_; }

  private:
    CommandContext& context_;
    std::map<std::pair<std::size_t, NumberFormat>, ResultMatrices<Engine>> known_;
    double seconds_ = 0;
};

class Validation {
  public:
    Validation(CommandContext& context, const std::vector<ValidationInput>& inputs,
               const BackendOptions& device, ValidationReport& report)
        : context_(context),
          inputs_(inputs),
          slot_(device),
          report_(report),
          matches_(context),
          memberships_(context) {}

    void run(const Configuration& configuration) {
        ValidationRow row;
        row.configuration = configuration;
        try {
            Backend& backend = slot_.use(configuration);
            if (configuration.variant.empty()) throw UnavailableError("crossapen is not implemented for it");
            report_.addDevice(describeDevice(backend, configuration.dialectName()));
            if (parseVariant(configuration.variant) == Variant::Membership)
                compareAll(*createEngine<MembershipSummer>(backend), memberships_, row);
            else
                compareAll(*createEngine<Matcher>(backend), matches_, row);
        } catch (const UnavailableError& error) {
            row.skipped = error.what();
        }
        report_.rows.push_back(std::move(row));
    }

    double referenceSeconds() const { return matches_.seconds() + memberships_.seconds(); }

  private:
    template <class Engine>
    void compareAll(Engine& engine, Expectations<Engine>& expectations, ValidationRow& row) {
        const Variant variant = parseVariant(row.configuration.variant);
        const NumberFormat format = parseNumberFormat(row.configuration.numberFormat);
        for (std::size_t index = 0; index < inputs_.size(); ++index) {
            const ValidationInput& input = inputs_[index];
            if (!input.concerns<Engine>()) continue;
            const EpochBatch batch = input.batch(format);
            const RuleOf<Engine>& rule = input.ruleFor<Engine>();
            if (const Support support = supportsBatch(engine, batch, rule, variant); !support) {
                row.refusals.push_back(fmt::format("{}: {}", input.name, support.reason()));
                continue;
            }
            const ResultMatrices<Engine>& expected = expectations.of(index, input, format);
            context_.setProgressPrefix(fmt::format("{}, {}: ", row.configuration.label(), input.name));
            Comparison comparison = compareWithReference(engine, batch, rule, variant, expected,
                                                         context_.progress(), row.seconds);
            comparison.input = input.name;
            row.add(comparison);
        }
        if (row.inputs == 0 && row.refusals.empty())
            throw UnavailableError("none of these inputs is for memberships");
    }

    CommandContext& context_;
    const std::vector<ValidationInput>& inputs_;
    BackendSlot slot_;
    ValidationReport& report_;
    Expectations<Matcher> matches_;
    Expectations<MembershipSummer> memberships_;
};

void checkOptions(const CLI::App& command, const ValidateOptions& options) {
    if (!options.input.empty()) {
        if (command.count("--seed") > 0) throw UsageError("--seed generates inputs; give it or IN, not both");
        if (options.samples.size() > 1)
            throw UsageError("--samples: a file is cut into epochs of one length; give one number");
        return;
    }
    if (command.count("--epochs") > 0) throw UsageError("--epochs limits a file; give IN with it");
    if (command.count("--channels") > 0 && options.samples.empty())
        throw UsageError("--channels needs --samples, the lengths of the generated epochs, or a file");
}

ValidationPlan planOf(const ValidateOptions& options) {
    ValidationPlan plan;
    plan.seed = options.seed;
    if (!options.input.empty()) {
        plan.m = {1, 2};
        plan.r = {0.2};
    }
    if (!options.m.empty()) plan.m = options.m;
    if (!options.r.empty()) plan.r = options.r;
    for (const std::size_t samples : options.samples)
        plan.shapes.push_back({options.channels.value_or(3), samples, kEpochs});
    return plan;
}

/// The inputs; `settings` gets what is to be said about them.
std::vector<ValidationInput> makeInputs(const ValidateOptions& options, Progress& progress,
                                        Fields& settings) {
    const ValidationPlan plan = planOf(options);
    if (!options.input.empty()) {
        SignalLimits limits{options.channels.value_or(16), options.epochs, {}};
        if (!options.samples.empty()) limits.samples = options.samples.front();
        const LimitedSignals signals(options.input, limits, progress);
        settings.emplace_back("input", signals.description());
        if (!signals.notes().empty())
            settings.emplace_back("notes", fmt::format("{}", fmt::join(signals.notes(), "\n")));
        for (const unsigned m : plan.m)
            if (!isLongEnough(signals.samples(), m))
                throw UsageError(
                    fmt::format("--m: epochs of {} samples are too short for m = {}", signals.samples(), m));
        return makeFileInputs(signals, plan);
    }
    std::vector<ValidationInput> inputs = makeValidationInputs(plan);
    settings.emplace_back(
        "input",
        fmt::format("generated: signals like EEG, distances of exactly r (≤ and <), outliers, no matches, r "
                    "of each pair, shifted and scaled signals, copies; m {}, r {}, seed {}",
                    fmt::join(plan.m, ", "), fmt::join(plan.r, ", "), plan.seed));
    return inputs;
}

int validate(CommandContext& context, const CLI::App& command, const ValidateOptions& options) {
    checkOptions(command, options);
    const std::vector<Configuration> configurations =
        configurationsToCompare(command, registeredAlgorithm(), options.common);

    ValidationReport report;
    report.algorithm = "crossapen";
    report.unit = "of the value";
    report.environment = currentEnvironment();
    const std::vector<ValidationInput> inputs = makeInputs(options, context.progress(), report.settings);
    Validation validation(context, inputs, options.common.device, report);
    for (const Configuration& configuration : configurations) validation.run(configuration);
    context.clearProgressLine();

    if (report.compared() > 0)
        report.settings.emplace_back(
            "reference",
            fmt::format("serial, {} for {} in the number formats compared",
                        formatSeconds(validation.referenceSeconds()), formatCount(inputs.size(), "input")));
    report.settings.emplace_back("compared",
                                 "all match counts, their logarithms and templates without a match of all "
                                 "ordered pairs, and what lies around them in memory");
    report.settings.emplace_back("allowed", "no difference; for memberships the rounding of their sums");
    return concludeValidation(context, report, options.common.json);
}

}  // namespace

CommandAction addValidateTask(CLI::App& command) {
    auto options = std::make_shared<ValidateOptions>();
    command
        .add_option("IN,--input", options->input,
                    "A recording, NPY matrix or table, cut into epochs and z-scored; generated signals if "
                    "absent")
        ->type_name("FILE");
    command.add_option("--m", options->m, "Template lengths (default: 1,2,3,5; of a file 1,2)")
        ->type_name("M,…")
        ->delimiter(',')
        ->check(isPositive());
    command
        .add_option("--r", options->r, "Tolerances, in standard deviations (default: 0.2,0.6; of a file 0.2)")
        ->type_name("R,…")
        ->delimiter(',')
        ->check(isNotNegative());
    command
        .add_option(
            "--samples", options->samples,
            "Lengths of the generated epochs (default: the shortest, 65, 131, 1025), or of those of a "
            "file (default: 1024)")
        ->type_name("N,…")
        ->delimiter(',')
        ->check(isPositive());
    command
        .add_option("--channels", options->channels,
                    "Channels of generated epochs (default: 3), or of a file at most (default: 16)")
        ->type_name("C")
        ->check(isPositive());
    command.add_option("--epochs", options->epochs, "Epochs of a file at most (default: 2)")
        ->type_name("E")
        ->check(isPositive());
    addSeedOption(command, options->seed, "signals");
    addValidationOptions(command, options->common, "Only these number formats: float32, float64");
    command.footer(
        "Every available backend, variant, dialect and number format is compared with the serial reference, "
        "the\n"
        "statistics of every ordered pair of channels with its own. Exit code 1 when one of them disagrees; "
        "what a\n"
        "variant is not made for counts as declined.\n\n"
        "Examples:\n"
        "  glycine validate crossapen\n"
        "  glycine validate crossapen S001R01.edf --backend gl,cpu --m 1,2 --r 0.15,0.2\n"
        "  glycine validate crossapen --samples 5000 --channels 2 --m 1 --backend gl --max-texture 1024");
    return [options, &command](CommandContext& context) { return validate(context, command, *options); };
}

}  // namespace glycine::crossapen
