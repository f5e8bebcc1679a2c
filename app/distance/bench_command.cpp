#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "app/distance/commands.hpp"
#include "engine/algorithms/distance/study/bench_input.hpp"
#include "engine/algorithms/distance/study/sampled_pairs.hpp"
#include "engine/algorithms/distance/study/tiled_run.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::distance {

namespace {

/// All pairs among so many rows are computed again.
constexpr std::size_t kVerifiedRows = 16;

struct BenchOptions {
    BenchInputOptions input;
    std::string measure;
    TimingOptions common;
};

/// Runs once without timing, then `repeats` times; verifies the first and the last result.
void measureRuns(PairEngine& engine, const DataView& data, const PairQuestion& question,
                 const BenchOptions& options, CommandContext& context, BenchRow& row) {
    SampledPairs pairs(data, question.term, kVerifiedRows, options.input.seed);
    TiledRun tiled(engine, data, question, parseVariant(row.configuration.variant));
    std::vector<double> pack, upload, compute, download, total;
    for (std::size_t run = 0; run <= options.common.repeats; ++run) {
        const bool isChecked = run == 0 || run == options.common.repeats;
        context.setProgressPrefix(fmt::format("{}, {}, run {} of {}: ", row.configuration.label(),
                                              formatDataSize({data.instances(), data.attributes()}), run,
                                              options.common.repeats));
        const Stopwatch watch;
        tiled.start();
        const double startSeconds = watch.seconds();
        const auto check = [&pairs](const PairTile& tile, const TileResult& result) {
            pairs.check(tile, result);
        };
        const double seconds =
            startSeconds + tiled.compute(isChecked ? check : TiledRun::Visitor(), context.progress());
        row.configuration.variant = toString(tiled.run().variant());
        row.note = tiled.run().note();
        if (isChecked) {
            row.isWrong = !pairs.finish();
            row.check = pairs.verdict();
        }
        if (row.isWrong) return;
        if (run == 0) continue;
        const PairTimes times = tiled.run().times();
        pack.push_back(times.pack);
        upload.push_back(times.upload);
        compute.push_back(times.compute);
        download.push_back(times.download);
        total.push_back(seconds);
    }
    const double n = static_cast<double>(data.instances());
    row.totalWork = n * n * static_cast<double>(data.attributes()) / 1e9;
    row.stages.push_back({"pack", summarize(std::move(pack))});
    row.stages.push_back({"upload", summarize(std::move(upload))});
    row.stages.push_back({"compute", summarize(std::move(compute)), row.totalWork});
    row.stages.push_back({"download", summarize(std::move(download))});
    row.total = summarize(std::move(total));
}

Measure measureOf(const BenchInput& input, const BenchOptions& options) {
    if (!options.measure.empty()) return parseMeasure(options.measure);
    return input.isCoordinates() ? Measure::Euclidean : Measure::Mismatch;
}

BenchRow benchConfiguration(const Configuration& configuration, BenchInput& input, BackendSlot& slot,
                            const BenchOptions& options, CommandContext& context, BenchReport& report) {
    BenchRow row;
    row.size = input.size().instances;
    row.dimensions = {{"instances", input.size().instances}, {"attributes", input.size().attributes}};
    row.configuration = configuration;
    try {
        Backend& backend = slot.use(configuration);
        if (configuration.variant.empty()) throw UnavailableError("distance is not implemented for it");
        const std::unique_ptr<PairEngine> engine = createPairEngine(backend);
        const PairQuestion question = questionFor(input.data(), measureOf(input, options));
        const PairRequest request = requestFor(input.data(), question, parseVariant(configuration.variant));
        if (const Support support = engine->supports(request); !support)
            throw UnavailableError(support.reason());
        report.addDevice(describeDevice(backend, configuration.dialectName()));
        measureRuns(*engine, input.data(), question, options, context, row);
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
    return row;
}

Fields settingsOf(const BenchInput& input, const BenchOptions& options) {
    const Measure measure = measureOf(input, options);
    Fields settings{{"input", input.description()}};
    if (!input.notes().empty())
        settings.emplace_back("notes", fmt::format("{}", fmt::join(input.notes(), "\n")));
    settings.emplace_back(
        "measure", fmt::format("{}, {}: {}", toString(measure), input.isCoordinates() ? "summed" : "counted",
                               questionFor(input.data(), measure).name));
    settings.emplace_back("runs",
                          fmt::format("1 dropped, {} timed: minimum (median); total: on the clock, from the "
                                      "start of a run until its last tile lies in memory",
                                      options.common.repeats));
    settings.emplace_back(
        "rates",
        "N² · M comparisons in 10⁹ / s (minimum time), counted in full although each pair is "
        "computed once");
    settings.emplace_back(
        "check", fmt::format("all pairs among {} rows of the first and the last result counted again",
                             std::min(kVerifiedRows, input.size().instances)));
    return settings;
}

/// Without named variants, each backend chooses the one that suits the data.
std::vector<Configuration> configurationsFor(const CLI::App& command, BenchOptions& options,
                                             bool isCoordinates) {
    options.common.filter.numberFormats = {isCoordinates ? "float32" : "counts"};
    std::vector<Configuration> all = configurationsToTime(command, registeredAlgorithm(), options.common);
    return options.common.filter.variants.empty() ? leaveVariantToBackends(std::move(all)) : all;
}

int bench(CommandContext& context, const CLI::App& command, BenchOptions& options) {
    if (!options.measure.empty()) parseMeasure(options.measure);
    if (!options.common.output.empty())
        checkOutputFiles({options.common.output}, options.input.file.empty()
                                                      ? std::vector<std::filesystem::path>()
                                                      : inputFiles(options.input.file));
    BenchInput input(command, options.input);
    const std::vector<Configuration> configurations =
        configurationsFor(command, options, input.isCoordinates());

    BenchReport report;
    report.algorithm = "distance";
    report.sizeLabel = "instances × attributes";
    report.rateUnit = "G/s";
    report.environment = currentEnvironment();
    BackendSlot slot(options.common.device);
    for (std::size_t s = 0; s < input.sizeCount(); ++s) {
        context.setProgressPrefix("");
        input.prepare(s, context.progress());
        if (s == 0) report.settings = settingsOf(input, options);
        for (const Configuration& configuration : configurations)
            report.rows.push_back(benchConfiguration(configuration, input, slot, options, context, report));
    }
    context.clearProgressLine();
    return concludeBench(context, report, options.common.output, options.common.json);
}

}  // namespace

CommandAction addBenchTask(CLI::App& command) {
    auto options = std::make_shared<BenchOptions>();
    addBenchInputOptions(command, options->input);
    command
        .add_option(
            "--measure", options->measure,
            "What is computed (default: mismatch; euclidean for coordinates), up to the counts or sums")
        ->type_name("M");
    addTimingOptions(command, options->common, "the one that suits the data");
    command.footer(
        "A result that fails its check gets no time and exit code 1.\n\n"
        "Examples:\n"
        "  glycine bench distance --sizes 112x512,2000x100000\n"
        "  glycine bench distance --sizes 500x20000 --backend gl --variant scalar,packed,bits\n"
        "  glycine bench distance --data coordinates --sizes 1000x2000 --measure manhattan\n"
        "  glycine bench distance --input cohort.bed --measure allele --backend cpu,cuda -o report.json");
    return [options, &command](CommandContext& context) { return bench(context, command, *options); };
}

}  // namespace glycine::distance
