#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <ostream>

#include "app/bounds/commands.hpp"
#include "engine/algorithms/bounds/device_comparison.hpp"
#include "engine/algorithms/bounds/input/input_file.hpp"
#include "engine/algorithms/bounds/study/agreement.hpp"
#include "engine/algorithms/bounds/study/guarded_bounds.hpp"
#include "engine/algorithms/bounds/study/validation_inputs.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/comparison_options.hpp"
#include "engine/study/validation_report.hpp"

namespace glycine::bounds {

namespace {

struct ValidateOptions {
    std::string input;
    std::vector<std::size_t> sizes{1, 2, 3, 5, 17, 64, 65, 100};
    std::uint64_t seed = 1;
    std::string interop = "auto";
    ValidationOptions common;
};

/// One input in one number format, with what the reference made of it.
struct Expectation {
    AnyOwnedBounds input;
    AnyOwnedBounds smoothed;
    bool isConsistent = true;
    double largest = 0;  ///< Å
};

/// The inputs, made when they are first needed.
class Inputs {
  public:
    Inputs(const ValidateOptions& options, CommandContext& context) : options_(options), context_(context) {
        if (!options.input.empty()) {
            names_.push_back(options.input);
            return;
        }
        for (const std::size_t atoms : options.sizes)
            for (const InputKind kind : {InputKind::Dense, InputKind::Sparse, InputKind::Contradictory})
                names_.push_back(fmt::format("{}, {}", toString(kind), formatCount(atoms, "atom")));
    }

    std::size_t count() const { return names_.size(); }
    const std::string& name(std::size_t index) const { return names_[index]; }
    bool isGenerated() const { return options_.input.empty(); }
    double referenceSeconds() const { return referenceSeconds_; }

    Expectation& expectation(std::size_t index, NumberFormat format) {
        const auto key = std::pair(index, format);
        if (const auto found = expectations_.find(key); found != expectations_.end()) return found->second;
        Expectation expectation;
        expectation.input = makeInput(index, format);
        const AnyBoundMatrices input = viewBounds(expectation.input);
        expectation.smoothed = cloneBounds(input);
        const auto reference = BackendRegistry::instance().create("reference", {});
        context_.setProgressPrefix(fmt::format("reference {}, {}: ", toString(format), names_[index]));
        const SmoothingReport report =
            smooth(*reference, viewBounds(expectation.smoothed), {}, context_.progress());
        referenceSeconds_ += report.times.total();
        expectation.isConsistent = report.violationCount == 0;
        expectation.largest =
            std::max(largestFiniteBound(input), largestFiniteBound(viewBounds(expectation.smoothed)));
        return expectations_.emplace(key, std::move(expectation)).first->second;
    }

  private:
    AnyOwnedBounds makeInput(std::size_t index, NumberFormat format) const {
        // Contradictions are welcome here: backends have to agree on them as well.
        if (!isGenerated())
            return loadInputFile(options_.input, {.format = format, .allowInconsistent = true}).bounds;
        const InputKind kind = static_cast<InputKind>(index % 3);
        return makeValidationInput(kind, options_.sizes[index / 3], options_.seed, format);
    }

    const ValidateOptions& options_;
    CommandContext& context_;
    std::vector<std::string> names_;
    std::map<std::pair<std::size_t, NumberFormat>, Expectation> expectations_;
    double referenceSeconds_ = 0;
};

/// Smooths a copy of the input; generated inputs inside guards. Nothing when elements outside were
/// overwritten.
std::optional<AnyOwnedBounds> smoothCopy(Backend& backend, Expectation& expectation, bool isGuarded,
                                         Variant variant, Progress& progress, double& seconds) {
    AnyOwnedBounds input = cloneBounds(viewBounds(expectation.input));
    const SmoothingOptions options{.variant = variant};
    if (!isGuarded) {
        seconds += smooth(backend, viewBounds(input), options, progress).times.total();
        return input;
    }
    return std::visit(
        [&]<class T>(OwnedBounds<T>& owned) -> std::optional<AnyOwnedBounds> {
            GuardedBounds<T> guarded(owned.matrices());
            seconds += smooth(backend, guarded.matrices(), options, progress).times.total();
            if (!guarded.isIntact()) return std::nullopt;
            return cloneBounds(guarded.matrices());
        },
        input);
}

Comparison compare(Backend& backend, Expectation& expectation, const Inputs& inputs, std::size_t index,
                   NumberFormat format, Variant variant, Progress& progress, double& seconds) {
    Comparison comparison;
    comparison.input = inputs.name(index);
    const AnyBoundMatrices expected = viewBounds(expectation.smoothed);
    comparison.allowedDifference = allowedDifference(format, variant, expectation.isConsistent,
                                                     atomCount(expected), expectation.largest);
    std::optional<AnyOwnedBounds> found =
        smoothCopy(backend, expectation, inputs.isGenerated(), variant, progress, seconds);
    if (!found) {
        comparison.fail("elements outside the matrices, which were overwritten");
        return comparison;
    }
    const BoundDifference difference = compareBounds(expected, viewBounds(*found));
    comparison.isEqual = difference.isEqual;
    comparison.largestDifference = difference.largest;
    if (!difference.isEqual) comparison.place = difference.place();
    return comparison;
}

ValidationRow validateConfiguration(const Configuration& configuration, BackendSlot& slot, Inputs& inputs,
                                    CommandContext& context, ValidationReport& report) {
    ValidationRow row;
    row.configuration = configuration;
    try {
        Backend& backend = slot.use(configuration);
        if (configuration.variant.empty()) throw UnavailableError("bounds is not implemented for it");
        const NumberFormat format = parseNumberFormat(configuration.numberFormat);
        const Variant variant = parseVariant(configuration.variant);
        if (const Support support = supportsRequest(backend, {variant, format, 0}); !support)
            throw UnavailableError(support.reason());
        report.addDevice(describeDevice(backend, configuration.dialectName()));
        for (std::size_t index = 0; index < inputs.count(); ++index) {
            Expectation& expectation = inputs.expectation(index, format);
            const std::size_t atoms = atomCount(viewBounds(expectation.input));
            if (const Support support = supportsRequest(backend, {variant, format, atoms}); !support) {
                row.refusals.push_back(fmt::format("{}: {}", inputs.name(index), support.reason()));
                continue;
            }
            context.setProgressPrefix(fmt::format("{}, {}: ", configuration.label(), inputs.name(index)));
            row.add(compare(backend, expectation, inputs, index, format, variant, context.progress(),
                            row.seconds));
        }
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
    return row;
}

/// gl and cuda on the same data, compared on the device: one more row beside those against the reference.
ValidationRow validateInterop(const ValidateOptions& options, Inputs& inputs, CommandContext& context,
                              ValidationReport& report) {
    ValidationRow row;
    row.configuration = {
        .backend = "gl = cuda", .variant = "blocked", .dialect = Dialect::Gl33, .numberFormat = "float32"};
    const InteropMode mode = parseInteropMode(options.interop);
    try {
#ifdef GLYCINE_HAVE_CUDA
        DeviceComparison device(options.common.device, mode);
        report.settings.emplace_back(
            "gl = cuda",
            fmt::format("compared on the device, CUDA reaching OpenGL's data {}", device.description()));
        for (std::size_t index = 0; index < inputs.count(); ++index) {
            Expectation& expectation = inputs.expectation(index, NumberFormat::Float32);
            const BoundMatrices<float> input = std::get<OwnedBounds<float>>(expectation.input).matrices();
            const Matrix<float> noLower(input.hasLower() ? 0 : input.atoms(), input.atoms(), 0.0F);
            const DeviceDifference found = device.compare(
                input.upper, input.hasLower() ? MatrixView<const float>(input.lower) : noLower.view(),
                context.progress());
            Comparison comparison;
            comparison.input = inputs.name(index);
            comparison.largestDifference = std::max(found.upper, found.lower);
            comparison.isEqual = comparison.largestDifference == 0;
            comparison.allowedDifference =
                allowedDifference(NumberFormat::Float32, Variant::Blocked, expectation.isConsistent,
                                  input.atoms(), expectation.largest);
            comparison.place = found.upper >= found.lower ? "the upper bounds" : "the lower bounds";
            row.add(comparison);
            row.seconds += found.glSeconds + found.cudaSeconds + found.handoverSeconds;
        }
#else
        static_cast<void>(mode);
        static_cast<void>(inputs);
        static_cast<void>(context);
        static_cast<void>(report);
        throw UnavailableError("cuda: built without nvcc");
#endif
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
    return row;
}

int validate(CommandContext& context, const CLI::App& command, const ValidateOptions& options) {
    if (!options.input.empty() && command.count("--sizes") > 0)
        throw UsageError("--sizes generates inputs; give it or IN, not both");
    const std::vector<Configuration> configurations =
        configurationsToCompare(command, registeredAlgorithm(), options.common);

    ValidationReport report;
    report.algorithm = "bounds";
    report.unit = "Å";
    report.environment = currentEnvironment();
    Inputs inputs(options, context);
    BackendSlot slot(options.common.device);
    for (const Configuration& configuration : configurations)
        report.rows.push_back(validateConfiguration(configuration, slot, inputs, context, report));
    // Only when both sides were asked for (or the user says how).
    const auto selected = [&](const char* backend) {
        return std::any_of(configurations.begin(), configurations.end(), [&](const Configuration& c) {
            return c.backend == backend && c.variant == "blocked" && c.numberFormat == "float32";
        });
    };
    slot.release();
    if (command.count("--interop") > 0 || (selected("gl") && selected("cuda")))
        report.rows.push_back(validateInterop(options, inputs, context, report));
    context.clearProgressLine();

    report.settings.emplace_back(
        "input", inputs.isGenerated()
                     ? fmt::format("generated: dense, sparse and contradictory bounds of {} atoms, seed {}",
                                   fmt::join(options.sizes, ", "), options.seed)
                     : options.input);
    if (report.compared() > 0)
        report.settings.emplace_back("reference", fmt::format("serial, {} for {} in each number format",
                                                              formatSeconds(inputs.referenceSeconds()),
                                                              formatCount(inputs.count(), "input")));
    report.settings.emplace_back(
        "allowed",
        "no difference for fixed, nor for variants that sum in the reference's order on "
        "consistent input; else the rounding of a path of n sums");
    return concludeValidation(context, report, options.common.json);
}

}  // namespace

CommandAction addValidateTask(CLI::App& command) {
    auto options = std::make_shared<ValidateOptions>();
    command.add_option("IN", options->input,
                       "Bounds (.npz) or a structure (.pdb, .cif, …); generated ones if absent");
    command
        .add_option("--sizes", options->sizes,
                    "Numbers of atoms of the generated bounds (default: 1,2,3,5,17,64,65,100)")
        ->type_name("N,…")
        ->delimiter(',')
        ->check(isPositive());
    addSeedOption(command, options->seed, "bounds");
    command
        .add_option("--interop", options->interop,
                    "How CUDA reaches OpenGL's data when both are compared on the device: auto (default), "
                    "direct (in place, or not at all) or staged (through the host)")
        ->type_name("HOW");
    addValidationOptions(command, options->common, "Only these number formats");
    command.footer(
        "Every available backend, variant, dialect and number format is compared with the serial reference.\n"
        "Exit code 1 when one of them disagrees.\n\n"
        "Examples:\n"
        "  glycine validate bounds\n"
        "  glycine validate bounds 2sdf.pdb.gz --backend gl,cpu --format float32\n"
        "  glycine validate bounds --sizes 300 --max-texture 128 --backend gl --variant blocked");
    return [options, &command](CommandContext& context) { return validate(context, command, *options); };
}

}  // namespace glycine::bounds
