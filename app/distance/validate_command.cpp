#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <ostream>

#include "app/distance/commands.hpp"
#include "engine/algorithms/distance/study/pair_agreement.hpp"
#include "engine/algorithms/distance/study/validation_inputs.hpp"
#include "engine/command/command_context.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/comparison_options.hpp"
#include "engine/study/validation_report.hpp"

namespace glycine::distance {

namespace {

struct ValidateOptions {
    std::string input;
    std::vector<DataSize> sizes{{1, 1}, {2, 1}, {1, 64}, {3, 63}, {17, 65}, {33, 129}, {70, 1000}};
    std::uint64_t seed = 1;
    ValidationOptions common;
};

/// How the numbers of these data are called among number formats.
std::string formatOf(const DataView& data) {
    return data.isCoordinates() ? "float32" : "counts";
}

/// One data set with what the reference makes of it, computed when it is first needed.
class Input {
  public:
    Input(DataSet data, CommandContext& context) : data_(std::move(data)), context_(context) {
        options_.measure = data_.kind == DataKind::Coordinates ? Measure::Euclidean
                           : data_.kind == DataKind::Genotypes ? Measure::Allele
                                                               : Measure::Proportion;
        options_.missing = defaultMissingRule(options_.measure);
        options_.founders = data_.founders;
    }

    DataView data() const { return data_.view(); }
    const std::string& name() const { return data_.description; }
    const std::vector<std::string>& notes() const { return data_.notes; }
    /// The usual measure of these data.
    const DistanceOptions& options() const { return options_; }

    const PairAnswers& answers() {
        if (!answers_) {
            context_.setProgressPrefix(fmt::format("reference, {}: ", name()));
            answers_ = askReference(data(), context_.progress());
        }
        return *answers_;
    }
    const ResultStore& values() {
        if (!values_) {
            context_.setProgressPrefix(fmt::format("reference, {}: ", name()));
            values_ = computeValues(*BackendRegistry::instance().create("reference", {}), data(), options_,
                                    context_.progress());
        }
        return *values_;
    }
    double referenceSeconds() const { return answers_ ? answers_->seconds : 0; }

  private:
    DataSet data_;
    CommandContext& context_;
    DistanceOptions options_;
    std::optional<PairAnswers> answers_;
    std::unique_ptr<ResultStore> values_;
};

std::vector<Input> makeInputs(const ValidateOptions& options, CommandContext& context) {
    std::vector<Input> inputs;
    if (!options.input.empty()) {
        inputs.emplace_back(readDataSet(options.input, {}), context);
        return inputs;
    }
    for (const DataSize size : options.sizes)
        for (const InputKind kind : allInputKinds())
            inputs.emplace_back(makeValidationInput(kind, size, options.seed), context);
    return inputs;
}

/// Puts all questions about an input to one engine; adds what comes of it to `row`.
void validateInput(PairEngine& engine, Input& input, Variant variant, CommandContext& context,
                   ValidationRow& row) {
    for (const PairQuestion& question : questionsAbout(input.data())) {
        const std::string name = fmt::format("{}: {}", input.name(), question.name);
        if (const Support support = engine.supports(requestFor(input.data(), question, variant)); !support) {
            row.refusals.push_back(fmt::format("{}: {}", name, support.reason()));
            continue;
        }
        const PairAnswers& answers = input.answers();
        context.setProgressPrefix(fmt::format("{}, {}: ", row.configuration.label(), input.name()));
        Comparison comparison = compareWithReference(engine, input.data(), question, variant, answers,
                                                     context.progress(), row.seconds);
        comparison.input = name;
        row.add(comparison);
    }
}

/// The values of the usual measure, as `glycine distance` would write them.
void validateValues(Backend& backend, Input& input, Variant variant, CommandContext& context,
                    ValidationRow& row) {
    DistanceOptions options = input.options();
    options.variant = variant;
    const std::string name = fmt::format("{}: {}", input.name(), toString(options.measure));
    if (const Support support = supportsDistances(backend, input.data(), options); !support) {
        row.refusals.push_back(fmt::format("{}: {}", name, support.reason()));
        return;
    }
    const ResultStore& expected = input.values();
    context.setProgressPrefix(fmt::format("{}, {}: ", row.configuration.label(), input.name()));
    const auto found = computeValues(backend, input.data(), options, context.progress());
    Comparison comparison = compareValues(expected, *found, input.data(), options.measure);
    comparison.input = name;
    row.add(comparison);
}

ValidationRow validateConfiguration(const Configuration& configuration, BackendSlot& slot,
                                    std::vector<Input>& inputs, bool isFile, CommandContext& context,
                                    ValidationReport& report) {
    ValidationRow row;
    row.configuration = configuration;
    try {
        Backend& backend = slot.use(configuration);
        if (configuration.variant.empty()) throw UnavailableError("distance is not implemented for it");
        const std::unique_ptr<PairEngine> engine = createPairEngine(backend);
        const Variant variant = parseVariant(configuration.variant);
        report.addDevice(describeDevice(backend, configuration.dialectName()));
        for (Input& input : inputs) {
            if (formatOf(input.data()) != configuration.numberFormat) continue;
            validateInput(*engine, input, variant, context, row);
            if (isFile) validateValues(backend, input, variant, context, row);
        }
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
    return row;
}

std::string describeInputs(const ValidateOptions& options, const std::vector<Input>& inputs) {
    if (!options.input.empty()) return inputs.front().name();
    std::vector<std::string> sizes;
    for (const DataSize size : options.sizes) sizes.push_back(formatDataSize(size));
    std::vector<std::string_view> kinds;
    for (const InputKind kind : allInputKinds()) kinds.push_back(toString(kind));
    return fmt::format("generated: {}; {} (instances × attributes); seed {}", fmt::join(kinds, ", "),
                       fmt::join(sizes, ", "), options.seed);
}

/// Takes away what is for other kinds of numbers than the inputs have.
void dropOtherFormats(std::vector<Configuration>& configurations, const std::vector<Input>& inputs) {
    std::erase_if(configurations, [&inputs](const Configuration& c) {
        return !c.numberFormat.empty() && std::none_of(inputs.begin(), inputs.end(), [&](const Input& input) {
            return formatOf(input.data()) == c.numberFormat;
        });
    });
    if (configurations.empty())
        throw UsageError(fmt::format("nothing to compare: --format {} is not what {} holds, {}",
                                     formatOf(inputs.front().data()) == "counts" ? "float32" : "counts",
                                     inputs.front().name(), formatOf(inputs.front().data())));
}

int validate(CommandContext& context, const CLI::App& command, const ValidateOptions& options) {
    if (!options.input.empty()) {
        if (command.count("--sizes") + command.count("--seed") > 0)
            throw UsageError("--sizes and --seed generate inputs; give them or IN, not both");
        requireInputKind(options.input);
    }
    std::vector<Configuration> configurations =
        configurationsToCompare(command, registeredAlgorithm(), options.common);
    std::vector<Input> inputs = makeInputs(options, context);
    dropOtherFormats(configurations, inputs);

    ValidationReport report;
    report.algorithm = "distance";
    report.unit = "of the value";
    report.environment = currentEnvironment();
    BackendSlot slot(options.common.device);
    for (const Configuration& configuration : configurations)
        report.rows.push_back(
            validateConfiguration(configuration, slot, inputs, !options.input.empty(), context, report));
    context.clearProgressLine();

    double referenceSeconds = 0;
    for (const Input& input : inputs) referenceSeconds += input.referenceSeconds();
    report.settings.emplace_back("input", describeInputs(options, inputs));
    if (!inputs.front().notes().empty())
        report.settings.emplace_back("notes", fmt::format("{}", fmt::join(inputs.front().notes(), "\n")));
    if (report.compared() > 0)
        report.settings.emplace_back("reference",
                                     fmt::format("serial, {} for {}", formatSeconds(referenceSeconds),
                                                 formatCount(inputs.size(), "input")));
    report.settings.emplace_back("tiles", "one, and thirds of the instances, on and off the diagonal");
    report.settings.emplace_back(
        "allowed",
        "no difference for counts; for sums the rounding of float32 terms added up in "
        "any order");
    return concludeValidation(context, report, options.common.json);
}

}  // namespace

CommandAction addValidateTask(CLI::App& command) {
    auto options = std::make_shared<ValidateOptions>();
    command.add_option("IN", options->input,
                       "Genotypes, aligned sequences or coordinates (.bed, .vcf, .fa, .npy, .csv, …); "
                       "generated ones if absent");
    command
        .add_option_function<std::vector<std::string>>(
            "--sizes",
            [options](const std::vector<std::string>& texts) {
                options->sizes.clear();
                for (const std::string& text : texts) options->sizes.push_back(parseDataSize(text));
            },
            "Instances x attributes of the generated inputs (default: "
            "1x1,2x1,1x64,3x63,17x65,33x129,70x1000)")
        ->type_name("NxM,…")
        ->delimiter(',');
    addSeedOption(command, options->seed, "inputs");
    addValidationOptions(command, options->common,
                         "Only these kinds of numbers: counts (genotypes, sequences), float32 (coordinates)");
    command.footer(
        "Every available backend, variant, dialect and kind of numbers is compared with the serial "
        "reference,\n"
        "tile by tile, and for a file also the values that come out at the end. Exit code 1 when one of "
        "them\n"
        "disagrees; what a variant is not made for counts as declined.\n\n"
        "Examples:\n"
        "  glycine validate distance\n"
        "  glycine validate distance cohort.bed --backend gl,cpu\n"
        "  glycine validate distance --sizes 300x5000 --backend gl --max-texture 128 --format counts");
    return [options, &command](CommandContext& context) { return validate(context, command, *options); };
}

}  // namespace glycine::distance
