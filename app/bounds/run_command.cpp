#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>

#include "app/bounds/bounds_commands.hpp"
#include "app/bounds/bounds_report.hpp"
#include "engine/bounds/bounds_algorithm.hpp"
#include "engine/bounds/exact_row.hpp"
#include "engine/bounds/explain.hpp"
#include "engine/bounds/input/input_file.hpp"
#include "engine/bounds/results/contradiction_tables.hpp"
#include "engine/bounds/smoother.hpp"
#include "engine/command/backend_options.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/recount.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/text.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::bounds {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStructures = "structures (.pdb, .cif)";

struct RunOptions {
    std::string input;
    std::string upper;
    std::string lower;
    std::string output;
    std::string png;
    std::string tsv;
    BackendRequest backend;
    InputFileOptions reading;
    double violationTolerance = 1e-4;
    std::optional<std::size_t> contradictions;  ///< how many are shown
    std::string contradictionsTable;
    std::string violationsTable;
    bool json = false;
};

std::size_t parseContradictions(const std::string& text) {
    std::size_t count = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || stop != end || count == 0)
        throw UsageError(
            fmt::format("--explain: '{}' is no number above 0 (an input file goes before --explain)", text));
    return count;
}

void declareComputationOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Computation");
    addBackendChoice(options, run.backend, {algorithm()});
    options.choice("--format F", run.reading.format,
                   "float32, float64, or fixed: units of 2⁻²⁰ Å, the same bits on every backend");
    options.choice(
        "--rounding HOW", run.reading.rounding,
        "nearest, or outward: upper bounds up, lower ones down, so that no bound excludes what the "
        "exact ones allow; fixed always does");
}

void declareStructureOptions(Options& options, RunOptions& run) {
    MoleculeBoundsOptions& molecule = run.reading.molecule;
    const Heading heading(options, "Bounds from a structure");
    const auto isRead = [](Option& option) -> Option& {
        return option.readBy("input", {"structure"}, kStructures);
    };
    isRead(
        options.choice("--atoms WHICH", molecule.atoms, "all, heavy (no hydrogens) or ca (alpha carbons)"));
    isRead(options.value("--model N", run.reading.model, "Number of the model").positive())
        .byDefault("the first one");
    isRead(
        options.value("--known SHARE", molecule.known, "Share of the pairs below the cut-off that is known"))
        .within(0, 1);
    isRead(options.value("--cutoff Å", molecule.cutoff, "Only pairs closer than this can be known"))
        .above(0, kLargestOptionAngstrom);
    isRead(options.value("--tolerance Å", molecule.tolerance, "Bounds of a known pair: distance ± this"))
        .within(0, kLargestOptionAngstrom);
    isRead(options.value("--seed S", molecule.seed, "Which of the pairs are known"));
    isRead(options.value("--diameter Å", molecule.diameter, "Upper bound of the other pairs"))
        .above(0, kLargestOptionAngstrom)
        .byDefault("the largest distance in the molecule");
    isRead(
        options.value("--hydrogen-diameter Å", molecule.hydrogenDiameter, "Lower bound of the other pairs"))
        .within(0, kLargestOptionAngstrom);
}

void declareContradictionOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Contradictions");
    options
        .value("--violation-tolerance Å", run.violationTolerance,
               "A pair is inconsistent when its lower bound exceeds the upper one by more")
        .within(0, kLargestOptionAngstrom);
    options.flag("--allow-inconsistent", run.reading.allowInconsistent,
                 "Go on when a lower bound exceeds its upper bound on input");
    options
        .parsed(
            "--explain [N]",
            [&run](const std::string& text) { run.contradictions = parseContradictions(text); },
            [&run] { return run.contradictions ? fmt::format("{}", *run.contradictions) : ""; },
            "Show which input bounds contradict each other: N groups of all, which --json lists; without N: "
            "3")
        .withoutValue("3")
        .byDefault("");
    options
        .value("--contradictions FILE.tsv", run.contradictionsTable,
               "Also write all groups of contradicting bounds: a table with a line for each group")
        .notASetting();
    options
        .value("--violations FILE.tsv", run.violationsTable,
               "Also write all inconsistent pairs, the worst first: a table with a line for each pair")
        .notASetting();
}

void declareOptions(Options& options, RunOptions& run) {
    options.value(
        "IN", run.input,
        "Bounds (.npz) or a structure (.pdb, .ent, .cif, .mmcif, also with .gz); - is standard input");
    options
        .value("-o,--output OUT", run.output,
               "Smoothed bounds: .npz (arrays upper, lower and, where known, atoms), or .csv, a line for "
               "each pair; - is .csv to standard output")
        .required()
        .notASetting();
    options.value("--upper U.npy", run.upper, "Instead of IN: the upper bounds, an n × n array in Å");
    options.value("--lower L.npy", run.lower, "With --upper: the lower bounds").byDefault("0");
    options.value("--png FILE", run.png, "Also draw the matrices before and after: PNG, SVG or PDF")
        .notASetting();
    options.value("--tsv FILE.tsv", run.tsv, "Also write a table with a line for each pair").notASetting();
    addJsonOption(options, run.json, "Print the report as one JSON object (atoms count from 0)");

    declareComputationOptions(options, run);
    declareStructureOptions(options, run);
    declareContradictionOptions(options, run);
    addBackendOptions(options, run.backend.device);
    options.footer(
        "Examples:\n"
        "  glycine bounds 2sdf.pdb.gz -o smoothed.npz --png smoothed.png\n"
        "  glycine bounds 1igt.cif -o antibody.npz --atoms heavy --known 0.5 --cutoff 5\n"
        "  glycine bounds --upper u.npy --lower l.npy -o smoothed.npz --format fixed --explain\n"
        "  glycine bounds in.npz -o out.npz --backend gl --variant packed --json");
}

std::vector<fs::path> inputFiles(const Options& declared, const RunOptions& options) {
    if (options.input.empty() && options.upper.empty())
        throw UsageError("nothing to smooth: give IN, or --upper (and --lower)");
    if (!options.input.empty() && !(options.upper.empty() && options.lower.empty()))
        throw UsageError("give either IN or --upper and --lower, not both");
    const bool isStructure = !options.input.empty() && io::isStructureFile(options.input);
    declared.requireReaders({"input", {isStructure ? "structure" : "bounds"}, "the input holds bounds"});
    if (!options.input.empty()) {
        requireInputKind(options.input);
        return {options.input};
    }
    if (options.lower.empty()) return {options.upper};
    return {options.upper, options.lower};
}

/// Whether the result is written as text, a line a pair.
bool isTable(const fs::path& output) {
    return storage::isStandardOutput(output) || lowerCase(output.extension().string()) == ".csv";
}

std::vector<fs::path> outputFiles(const RunOptions& options) {
    if (!isTable(options.output)) requireExtension("-o", options.output, ".npz", ".npz or .csv");
    std::vector<fs::path> files{options.output};
    if (!options.png.empty()) {
        picture::requirePictureFile("--png", options.png);
        files.emplace_back(options.png);
    }
    for (const std::string& table : {options.tsv, options.contradictionsTable, options.violationsTable})
        if (!table.empty()) files.emplace_back(table);
    return files;
}

BoundSet readInput(const RunOptions& options, Progress& progress) {
    if (!options.input.empty()) return loadInputFile(options.input, options.reading, progress);
    return loadBounds(options.upper, options.lower.empty() ? std::nullopt : std::optional(options.lower),
                      options.reading);
}

/// Before and after of one kind of bound share a row, hence a scale.
void drawMatrices(const fs::path& file, std::vector<picture::HeatMapPanel> panels, const RunReport& report) {
    std::swap(panels[1], panels[2]);
    const std::span<const picture::HeatMapPanel> all(panels);
    const picture::HeatMapScale scale{.valueLabel = "Å"};
    const picture::HeatMapSection sections[] = {{all.first(2), 2, scale}, {all.subspan(2), 2, scale}};
    picture::writeHeatMaps(
        file, sections,
        {.title = report.input,
         .footer = fmt::format("{} {} on {}, {}", describeBuild(), report.smoothing.backend,
                               report.device.device, report.smoothing.variant),
         .rowLabel = "atom",
         .columnLabel = "atom"});
}

/// Whole rows by Dijkstra's algorithm: a single element of the reference takes as long as all of them. Where
/// there is no time for all rows, pairs of the others by the bounds next to them.
void recountBounds(const Backend& backend, const BackendRequest& request, const AnyBoundMatrices& input,
                   const AnyBoundMatrices& smoothed, RunReport& report) {
    Recount recount(backend, request, "row", "by Dijkstra's algorithm");
    ExactRows exact(input, smoothed, report.smoothing.step);
    const RecountTime time{secondsForExactRow(report.atoms, report.smoothing.step),
                           report.readSeconds + report.smoothSeconds};
    const auto comparison = [&report](Recount& by, std::size_t row) {
        return [&report, &by, row](std::string_view kind, std::size_t column, double found, double expected,
                                   double allowed) {
            by.compare(report.smoothing.variant, found, expected, allowed, [&] {
                return fmt::format("{} bound of atoms {} and {} in Å", kind, row + 1, column + 1);
            });
        };
    };
    recount.countSome(report.atoms, Recount::kMost, time, [&](std::size_t row) {
        exact.compare(row, comparison(recount, row));
        return std::size_t{1};
    });
    report.recount = recount.report();
    if (!report.recount || report.recount->elements == report.atoms) return;
    Recount pairs(backend, request, "pair", "from the bounds next to it");
    pairs.countSome(report.atoms * (report.atoms - 1), Recount::kMost,
                    {secondsForExactElement(report.atoms), time.run}, [&](std::size_t place) {
                        const std::size_t row = place / (report.atoms - 1);
                        const std::size_t other = place % (report.atoms - 1);
                        exact.compareElement(row, other + (other >= row ? 1 : 0), comparison(pairs, row));
                        return std::size_t{1};
                    });
    report.pairRecount = pairs.report();
}

int runBounds(CommandContext& context, const Options& declared, const RunOptions& options) {
    const std::vector<fs::path> outputs = outputFiles(options);
    checkOutputFiles(outputs, inputFiles(declared, options));
    checkBackendUse(declared, algorithm(), options.backend);
    const Variant variant = fromString<Variant>(options.backend.variant);
    if (options.reading.format == NumberFormat::Fixed && declared.isGiven("--rounding") &&
        options.reading.rounding == Rounding::Nearest)
        throw UsageError("--format fixed rounds outward, always; nearest is for float32 and float64");

    RunReport report;
    Stopwatch watch;
    BoundSet set = readInput(options, context.progress());
    const AnyBoundMatrices matrices = set.matrices();
    report.readSeconds = watch.restart();
    context.progress().throwIfCancelled();
    report.input = set.description;
    report.atoms = atomCount(matrices);
    report.knownPairs = set.knownPairs;
    report.warnings = set.warnings;
    report.atomNames = set.atomNames;

    const BackendChoice choice = selectBackend(declared, options.backend, [&](Backend& backend) {
        return supportsRequest(backend, {variant, options.reading.format, report.atoms,
                                         options.reading.rounding, smallestBound(matrices)});
    });
    report.options = &declared;
    report.backendReason = choice.reason;
    report.device = describeDevice(*choice.backend);
    AnyOwnedBounds input = cloneBounds(matrices);
    std::vector<picture::HeatMapPanel> panels;
    if (!options.png.empty()) panels = boundPanels("before", matrices);

    SmoothingOptions smoothing;
    smoothing.variant = variant;
    const bool explains = options.contradictions || !options.contradictionsTable.empty();
    if (explains || !options.violationsTable.empty())
        smoothing.maxListedViolations = std::numeric_limits<std::size_t>::max();
    smoothing.rounding = report.rounding = options.reading.rounding;
    smoothing.tolerance = report.violationTolerance = options.violationTolerance;
    watch.restart();
    report.smoothing = smooth(*choice.backend, matrices, smoothing, context.progress());
    report.smoothSeconds = watch.restart();
    recountBounds(*choice.backend, options.backend, viewBounds(input), matrices, report);
    context.clearProgressLine();

    report.upper = measureUpperTightening(viewBounds(input), matrices);
    report.lower = measureLowerTightening(viewBounds(input), matrices);
    if (explains) {
        report.contradictions =
            explainViolations(viewBounds(input), report.smoothing.violations, context.progress());
        report.shownContradictions = options.contradictions.value_or(0);
        context.clearProgressLine();
    }
    if (!options.png.empty())
        for (picture::HeatMapPanel& panel : boundPanels("after", matrices))
            panels.push_back(std::move(panel));
    context.progress().throwIfCancelled();

    watch.restart();
    if (isTable(options.output))
        writeBoundsTable(options.output, matrices, set.atomNames, ',');
    else
        writeBounds(options.output, matrices, set.atomNames);
    if (!options.png.empty()) drawMatrices(options.png, std::move(panels), report);
    if (!options.tsv.empty()) writeBoundsTable(options.tsv, matrices, set.atomNames);
    if (!options.contradictionsTable.empty())
        writeContradictions(options.contradictionsTable, *report.contradictions, set.atomNames);
    if (!options.violationsTable.empty())
        writeViolations(options.violationsTable, report.smoothing.violations, set.atomNames);
    report.writeSeconds = watch.seconds();
    report.files = outputs;

    printRunReport(context, report, options.json);
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareOptions(options, *run);
    return [run, &options](CommandContext& context) {
        if (run->reading.format == NumberFormat::Fixed && !options.isGiven("--rounding"))
            run->reading.rounding = Rounding::Outward;
        io::PipedInputs pipes;
        RunOptions given = *run;
        for (std::string* input : {&given.input, &given.upper, &given.lower}) pipes.replace(*input);
        return runBounds(context, options, given);
    };
}

}  // namespace glycine::bounds
