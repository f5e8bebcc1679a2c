#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <ostream>

#include "app/distance/commands.hpp"
#include "engine/algorithms/distance/random_data.hpp"
#include "engine/algorithms/distance/study/figure_report.hpp"
#include "engine/algorithms/distance/study/paper_loop.hpp"
#include "engine/algorithms/distance/study/tiled_run.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::distance {

namespace {

struct ReproduceOptions {
    DataSize size{112, 512};
    std::size_t sets = 25;
    std::size_t repeats = 5;
    std::uint64_t seed = 1;
    std::vector<std::string> backends;
    std::string output;
    std::string png;
    bool json = false;
    BackendOptions device;
};

/// One of the data sets, with what the paper's CPU loop makes of it.
struct SampleSet {
    std::unique_ptr<SymbolMatrix> genotypes;
    std::vector<int> distances;  ///< N × N
};

SampleSet makeSet(const ReproduceOptions& options, std::size_t index) {
    const auto [instances, attributes] = options.size;
    const auto source = randomGenotypes(
        {.instances = instances, .attributes = attributes, .seed = options.seed + index, .uniform = true});
    Matrix<std::uint8_t> symbols(instances, attributes);
    source->readSymbols({0, instances}, {0, attributes}, symbols.view());
    SampleSet set;
    set.genotypes = std::make_unique<SymbolMatrix>(std::move(symbols), source->shape());
    return set;
}

/// Times the paper's loop on one data set; leaves its distances there. Returns the best time.
double timeLoop(SampleSet& set, const ReproduceOptions& options, Progress& progress) {
    const auto [instances, attributes] = options.size;
    Matrix<std::uint8_t> symbols(instances, attributes);
    set.genotypes->readSymbols({0, instances}, {0, attributes}, symbols.view());
    const std::vector<int> data(symbols.data(), symbols.data() + symbols.size());
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t run = 0; run <= options.repeats; ++run) {
        progress.throwIfCancelled();
        set.distances.assign(instances * instances, 0);
        const Stopwatch watch;
        countAsInPaper(static_cast<int>(instances), static_cast<int>(attributes), data.data(),
                       set.distances.data());
        // The first run is dropped, as everywhere.
        if (run > 0) best = std::min(best, watch.seconds());
    }
    return best;
}

/// Compares all pairs of a data set with the CPU loop's.
class LoopCheck {
  public:
    LoopCheck(const SampleSet& set, std::size_t instances) : set_(set), instances_(instances) {}

    void operator()(const PairTile& tile, const TileResult& result) {
        for (std::size_t r = 0; r < tile.rows.size(); ++r) {
            const std::size_t columns = tile.isDiagonal() ? r : tile.columns.size();
            for (std::size_t c = 0; c < columns; ++c) {
                const std::size_t row = tile.rows.begin + r;
                const std::size_t column = tile.columns.begin + c;
                const auto expected = static_cast<std::uint32_t>(set_.distances[column + instances_ * row]);
                ++pairs_;
                if (failure_.empty() && result.counts.differing(r, c) != expected)
                    failure_ = fmt::format("pair ({}, {}): {} differing attributes instead of {}", row,
                                           column, result.counts.differing(r, c), expected);
            }
        }
    }
    const std::string& failure() const { return failure_; }
    std::size_t pairs() const { return pairs_; }

  private:
    const SampleSet& set_;
    std::size_t instances_;
    std::size_t pairs_ = 0;
    std::string failure_;
};

/// Measures one backend and variant on one data set: once from the start, then with the operands where they
/// are.
void measureSet(PairEngine& engine, const SampleSet& set, const ReproduceOptions& options, Progress& progress,
                FigureRow& row) {
    const DataView data{set.genotypes.get(), {}};
    TiledRun tiled(engine, data, questionFor(data, Measure::Mismatch),
                   parseVariant(row.configuration.variant));
    LoopCheck check(set, options.size.instances);
    const Stopwatch watch;
    tiled.start();
    const double startSeconds = watch.seconds();
    const double whole = startSeconds + tiled.compute(std::ref(check), progress);
    double kernel = std::numeric_limits<double>::infinity();
    for (std::size_t run = 1; run <= options.repeats; ++run) {
        const double before = tiled.run().times().compute;
        tiled.compute(run == options.repeats ? TiledRun::Visitor(std::ref(check)) : TiledRun::Visitor(),
                      progress);
        kernel = std::min(kernel, tiled.run().times().compute - before);
    }
    row.note = tiled.run().note();
    if (!check.failure().empty()) {
        row.isWrong = true;
        row.check = check.failure();
        return;
    }
    row.kernel.seconds.push_back(kernel);
    row.whole.seconds.push_back(whole);
}

void measureRow(FigureRow& row, const std::vector<SampleSet>& sets, const ReproduceOptions& options,
                BackendSlot& slot, CommandContext& context, FigureReport& report) {
    try {
        Backend& backend = slot.use(row.configuration);
        const std::unique_ptr<PairEngine> engine = createPairEngine(backend);
        const DataView data{sets.front().genotypes.get(), {}};
        const PairRequest request =
            requestFor(data, questionFor(data, Measure::Mismatch), parseVariant(row.configuration.variant));
        if (const Support support = engine->supports(request); !support)
            throw UnavailableError(support.reason());
        report.addDevice(describeDevice(backend, row.configuration.dialectName()));
        context.setProgressPrefix(fmt::format("{}: ", row.configuration.label()));
        FigureRow dropped = row;
        measureSet(*engine, sets.front(), options, context.progress(), dropped);
        for (const SampleSet& set : sets) {
            measureSet(*engine, set, options, context.progress(), row);
            if (row.isWrong) return;
        }
        row.check = fmt::format("all pairs of {}", formatCount(sets.size(), "data set"));
    } catch (const UnavailableError& error) {
        row.skipped = error.what();
    }
}

/// The paper's methods, then our own.
std::vector<FigureRow> rowsToMeasure(const ReproduceOptions& options) {
    std::vector<FigureRow> rows = publishedRows();
    const auto add = [&](const char* backend, std::initializer_list<Variant> variants) {
        for (const Variant variant : variants) {
            FigureRow row;
            row.configuration.backend = backend;
            row.configuration.variant = toString(variant);
            row.configuration.numberFormat = "counts";
            if (row.configuration.backend == "gl") row.configuration.dialect = options.device.dialect;
            row.method = fmt::format("{} {}", backend, toString(variant));
            rows.push_back(std::move(row));
        }
    };
    add("cpu", {Variant::Bitplane});
    add("gl", {Variant::Scalar, Variant::Packed, Variant::Bits});
    add("cuda", {Variant::Bitplane, Variant::BitTensor, Variant::Tensor});
    return rows;
}

Fields settingsOf(const ReproduceOptions& options) {
    return {
        {"figure",
         "4 of Sinnott-Armstrong et al. 2010: mean times on a GeForce 9600M GT and a Core 2 Duo 2.66 GHz, "
         "112 × 512"},
        {"data",
         fmt::format("{} of {} (instances × attributes), 0, 1, 2 with equal probability, seeds {} … {}",
                     formatCount(options.sets, "random data set"), formatDataSize(options.size), options.seed,
                     options.seed + options.sets - 1)},
        {"here", fmt::format("mean over the data sets of the best of {}; best: the smallest of all",
                             formatCount(options.repeats, "run"))},
        {"timed",
         "the counting alone: operands on the device, until it is idle; whole: from symbols in memory to "
         "counts in memory, with packing and transfers"},
        {"pairs",
         "N × N in the CPU loop and the published kernels, each pair once in Glycine's own variants"}};
}

void checkOptions(const CLI::App& command, const ReproduceOptions& options) {
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
    const auto [instances, attributes] = options.size;
    if (instances > kMost / std::max(instances, attributes))
        throw UsageError(fmt::format(
            "--instances, --attributes: the paper's loop counts elements in 32-bit integers; {} are too many",
            formatDataSize(options.size)));
    for (const std::string& backend : options.backends) BackendRegistry::instance().find(backend);
    checkBackendOptions(
        command, options.backends.empty() ? std::vector<std::string>{"cpu", "gl", "cuda"} : options.backends);
    std::vector<std::filesystem::path> outputs;
    if (!options.output.empty()) outputs.emplace_back(options.output);
    if (!options.png.empty()) {
        picture::requirePictureFile("--png", options.png);
        outputs.emplace_back(options.png);
    }
    checkOutputFiles(outputs, {});
}

int reproduce(CommandContext& context, const CLI::App& command, const ReproduceOptions& options) {
    checkOptions(command, options);
    FigureReport report;
    report.size = options.size;
    report.sets = options.sets;
    report.settings = settingsOf(options);
    report.environment = currentEnvironment();
    report.rows = rowsToMeasure(options);

    FigureRow& loop = report.rows.front();
    std::vector<SampleSet> sets;
    context.progress().begin("CPU loop", static_cast<double>(options.sets));
    for (std::size_t index = 0; index < options.sets; ++index) {
        sets.push_back(makeSet(options, index));
        loop.kernel.seconds.push_back(timeLoop(sets.back(), options, context.progress()));
        context.progress().advance(1);
    }
    loop.check = "what the others are compared with";
    BackendSlot slot(options.device);
    for (FigureRow& row : report.rows) {
        if (&row == &loop) continue;
        const bool isWanted =
            options.backends.empty() || std::find(options.backends.begin(), options.backends.end(),
                                                  row.configuration.backend) != options.backends.end();
        if (isWanted)
            measureRow(row, sets, options, slot, context, report);
        else
            row.skipped = "not among --backend";
    }
    context.clearProgressLine();

    if (!options.png.empty()) drawFigure(options.png, report);
    if (!options.output.empty()) writeJson(options.output, toJson(report));
    if (options.json) {
        printJson(context.out(), toJson(report));
    } else {
        printFigureReport(context.out(), report, terminalWidth());
        for (const std::string& file : {options.output, options.png})
            if (!file.empty()) context.out() << fmt::format("\nWrote {}\n", file);
    }
    return report.hasWrongRows() ? 1 : 0;
}

}  // namespace

CommandAction addReproduceTask(CLI::App& command) {
    auto options = std::make_shared<ReproduceOptions>();
    command.add_option("-o,--output", options->output, "Also write the report as JSON")
        ->type_name("REPORT.json");
    command.add_option("--png", options->png, "Also draw the figure: PNG, SVG or PDF")
        ->type_name("FIGURE.png");
    command.add_option("--backend", options->backends, "Only these backends (default: cpu, gl, cuda)")
        ->type_name("B,…")
        ->delimiter(',');
    command.add_option("--sets", options->sets, "Number of random data sets (default: 25, as published)")
        ->type_name("S")
        ->check(isPositive());
    command.add_option("--instances", options->size.instances, "Instances (default: 112, as published)")
        ->type_name("N")
        ->check(isPositive());
    command.add_option("--attributes", options->size.attributes, "Attributes (default: 512, as published)")
        ->type_name("M")
        ->check(isPositive());
    command.add_option("--repeats", options->repeats, "Timed runs a data set (default: 5)")
        ->type_name("R")
        ->check(isPositive());
    addSeedOption(command, options->seed, "data");
    command.add_flag("--json", options->json, "Print the report as one JSON object");
    addBackendOptions(command, options->device);
    command.footer(
        "Measures figure 4 of Sinnott-Armstrong et al. 2010 on this machine: the paper's CPU loop, its five "
        "CUDA\n"
        "kernels, and Glycine's own variants on the same data. Every result is compared with the CPU loop's; "
        "a\n"
        "wrong one gets no time and exit code 1.\n\n"
        "Examples:\n"
        "  glycine reproduce distance --png figure4.png -o figure4.json\n"
        "  glycine reproduce distance --backend cpu,gl --dialect es300\n"
        "  glycine reproduce distance --instances 1000 --attributes 10000 --sets 3 --backend cpu,cuda");
    return [options, &command](CommandContext& context) { return reproduce(context, command, *options); };
}

}  // namespace glycine::distance
