#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <ostream>

#include "app/bounds/commands.hpp"
#include "engine/algorithms/bounds/input/input_file.hpp"
#include "engine/algorithms/bounds/input/random_bounds.hpp"
#include "engine/algorithms/bounds/study/agreement.hpp"
#include "engine/algorithms/bounds/study/verify_rows.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::bounds {

namespace {

/// Rows that are computed again in float64; each takes O(n²).
constexpr std::size_t kVerifiedRows = 16;

struct BenchOptions {
    std::vector<std::size_t> sizes{128, 256, 512, 1024};
    std::string which = "both";
    std::string format = "float32";
    std::uint64_t seed = 1;
    double known = 0.1;
    std::string input;
    TimingOptions common;

    bool isUpperOnly() const { return which == "upper"; }
};

template <class T>
void copyMatrix(MatrixView<T> from, MatrixView<T> to) {
    for (std::size_t i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), from.columns(), to.row(i));
}

/// Puts the unsmoothed bounds back.
void copyBounds(const AnyBoundMatrices& from, const AnyBoundMatrices& to) {
    std::visit(
        [&to]<class T>(const BoundMatrices<T>& source) {
            const auto& target = std::get<BoundMatrices<T>>(to);
            copyMatrix(source.upper, target.upper);
            if (source.hasLower()) copyMatrix(source.lower, target.lower);
        },
        from);
}

/// The input of one size at a time.
class BenchInput {
  public:
    explicit BenchInput(const BenchOptions& options)
        : options_(options), format_(parseNumberFormat(options.format)) {
        if (options.input.empty()) return;
        set_ = loadInputFile(options.input, {.format = format_, .allowInconsistent = true});
        dropLower();
        sizes_ = {atomCount(set_.matrices())};
    }

    const std::vector<std::size_t>& sizes() const { return sizes_.empty() ? options_.sizes : sizes_; }
    NumberFormat format() const { return format_; }
    std::string describe() const {
        return options_.input.empty() ? fmt::format("random atoms, {} of the pairs known, seed {}",
                                                    formatShare(options_.known, 1), options_.seed)
                                      : set_.description;
    }

    AnyBoundMatrices bounds(std::size_t atoms) {
        if (options_.input.empty() && made_ != atoms) {
            set_ = {};  // before the next one is made: two may not fit
            set_ = randomBounds({.atoms = atoms, .known = options_.known, .seed = options_.seed}, format_);
            dropLower();
            made_ = atoms;
        }
        return set_.matrices();
    }

  private:
    void dropLower() {
        if (options_.isUpperOnly()) std::visit([](auto& owned) { owned.lower = {}; }, set_.bounds);
    }

    const BenchOptions& options_;
    NumberFormat format_;
    std::vector<std::size_t> sizes_;
    std::size_t made_ = 0;
    BoundSet set_;
};

/// Checks some rows against values computed from the input alone; appends to `row.check`.
void verify(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, std::uint64_t seed,
            BenchRow& row) {
    const std::size_t atoms = atomCount(input);
    const double allowed = pathRoundingBound(
        numberFormat(input), atoms, std::max(largestFiniteBound(input), largestFiniteBound(smoothed)));
    const RowDeviations deviations = verifyRows(input, smoothed, sampleRows(atoms, kVerifiedRows, seed));
    row.isWrong = !(deviations.largest() <= allowed);
    if (row.isWrong) {
        const bool isUpper = deviations.upper >= deviations.lower;
        row.check = fmt::format(
            "{} bound of ({}, {}) is off by {:.2g} Å, {:.2g} allowed", isUpper ? "upper" : "lower",
            isUpper ? deviations.upperRow : deviations.lowerRow,
            isUpper ? deviations.upperColumn : deviations.lowerColumn, deviations.largest(), allowed);
    } else {
        row.check = deviations.largest() == 0
                        ? fmt::format("{} exact", formatCount(deviations.rows, "row"))
                        : fmt::format("{} within {:.1g} Å", formatCount(deviations.rows, "row"),
                                      deviations.largest());
    }
}

/// Runs once without timing, then `repeats` times; verifies the first and the last result.
void measure(Backend& backend, const AnyBoundMatrices& input, const BenchOptions& options,
             CommandContext& context, BenchRow& row) {
    const SmoothingOptions smoothing{.variant = parseVariant(row.configuration.variant)};
    AnyOwnedBounds work = cloneBounds(input);
    std::vector<double> upload, upper, lower, download, total;
    for (std::size_t run = 0; run <= options.common.repeats; ++run) {
        if (run > 0) copyBounds(input, viewBounds(work));
        context.setProgressPrefix(fmt::format("{}, {}, run {} of {}: ", row.configuration.label(),
                                              formatCount(row.size, "atom"), run, options.common.repeats));
        const SmoothingReport report = smooth(backend, viewBounds(work), smoothing, context.progress());
        row.configuration.variant = report.variant;
        row.note = report.note;
        if (run == 0 || run == options.common.repeats) verify(input, viewBounds(work), options.seed, row);
        if (row.isWrong) return;
        if (run == 0) continue;
        upload.push_back(report.times.upload);
        upper.push_back(report.times.upper);
        lower.push_back(report.times.lower);
        download.push_back(report.times.download);
        total.push_back(report.times.total());
    }
    const double n = static_cast<double>(row.size);
    const double relaxations = n * n * n / 1e9;
    row.stages.push_back({"upload", summarize(std::move(upload))});
    row.stages.push_back({"upper", summarize(std::move(upper)), relaxations});
    if (!options.isUpperOnly()) row.stages.push_back({"lower", summarize(std::move(lower)), relaxations});
    row.stages.push_back({"download", summarize(std::move(download))});
    row.total = summarize(std::move(total));
}

BenchRow benchConfiguration(const Configuration& configuration, std::size_t atoms, BackendSlot& slot,
                            BenchInput& input, const BenchOptions& options, CommandContext& context,
                            BenchReport& report) {
    BenchRow row;
    row.size = atoms;
    row.configuration = configuration;
    try {
        Backend& backend = slot.use(configuration);
        if (configuration.variant.empty()) throw UnavailableError("bounds is not implemented for it");
        const SmoothingRequest request{parseVariant(configuration.variant), input.format(), atoms};
        if (const Support support = supportsRequest(backend, request); !support)
            throw UnavailableError(support.reason());
        report.addDevice(describeDevice(backend, configuration.dialectName()));
        measure(backend, input.bounds(atoms), options, context, row);
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
    return row;
}

int bench(CommandContext& context, const CLI::App& command, BenchOptions& options) {
    if (options.which != "both" && options.which != "upper")
        throw UsageError(fmt::format("unknown kind of bounds '{}'; known: upper, both", options.which));
    if (!options.input.empty()) {
        if (command.count("--sizes") + command.count("--known") > 0)
            throw UsageError("--sizes and --known generate inputs; give them or --input, not both");
        requireInputKind(options.input);
    }
    std::vector<std::filesystem::path> inputs;
    if (!options.input.empty()) inputs.emplace_back(options.input);
    if (!options.common.output.empty()) checkOutputFiles({options.common.output}, inputs);
    options.common.filter.numberFormats = {options.format};
    options.common.filter.defaultVariantsOnly = true;
    const std::vector<Configuration> configurations =
        configurationsToTime(command, registeredAlgorithm(), options.common);

    BenchReport report;
    report.algorithm = "bounds";
    report.sizeLabel = "atoms";
    report.rateUnit = "G/s";
    report.environment = currentEnvironment();
    BenchInput input(options);
    BackendSlot slot(options.common.device);
    for (const Configuration& configuration : configurations)
        for (const std::size_t atoms : input.sizes())
            report.rows.push_back(
                benchConfiguration(configuration, atoms, slot, input, options, context, report));
    std::stable_sort(report.rows.begin(), report.rows.end(),
                     [](const auto& a, const auto& b) { return a.size < b.size; });
    context.clearProgressLine();

    report.settings = {
        {"input", input.describe()},
        {"bounds",
         fmt::format("{}, {}", options.isUpperOnly() ? "upper alone" : "upper and lower", options.format)},
        {"runs", fmt::format("1 dropped, {} timed: minimum (median)", options.common.repeats)},
        {"rates", "effective: n³ relaxations in 10⁹ / s (minimum time), whatever symmetry or pruning saved"},
        {"check", fmt::format("{} rows of the first and the last result against float64", kVerifiedRows)}};
    return concludeBench(context, report, options.common.output, options.common.json);
}

}  // namespace

CommandAction addBenchTask(CLI::App& command) {
    auto options = std::make_shared<BenchOptions>();
    command.add_option("--sizes", options->sizes, "Numbers of atoms (default: 128,256,512,1024)")
        ->type_name("N,…")
        ->delimiter(',')
        ->check(isPositive());
    command.add_option("--which", options->which, "both (default), or upper: the upper bounds alone")
        ->type_name("upper|both");
    command.add_option("--format", options->format, "float32 (default), float64 or fixed")->type_name("F");
    addSeedOption(command, options->seed, "bounds");
    command.add_option("--known", options->known, "Share of the pairs that is known (default: 0.1)")
        ->type_name("SHARE");
    command.add_option("--input", options->input, "Time this file instead (.npz, .pdb, .cif, …)")
        ->type_name("FILE");
    addTimingOptions(command, options->common, "its default");
    command.footer(
        "Times are those of the stages on the device. A result that fails its check gets no time and exit "
        "code 1.\n\n"
        "Examples:\n"
        "  glycine bench bounds --sizes 1024,2048,4096\n"
        "  glycine bench bounds --sizes 1024 --which upper --backend gl --variant packed,blocked\n"
        "  glycine bench bounds --input 1igt.pdb.gz --backend cpu,cuda --repeats 3 -o report.json");
    return [options, &command](CommandContext& context) { return bench(context, command, *options); };
}

}  // namespace glycine::bounds
