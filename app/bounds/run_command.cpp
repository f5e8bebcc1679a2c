#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/bounds/commands.hpp"
#include "app/bounds/run_report.hpp"
#include "engine/algorithms/bounds/explain.hpp"
#include "engine/algorithms/bounds/input/bound_files.hpp"
#include "engine/algorithms/bounds/input/input_file.hpp"
#include "engine/algorithms/bounds/input/molecule_bounds.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/default_backend.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::bounds {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDefaultContradictions = 3;

struct RunOptions {
    std::string input;
    std::string upper;
    std::string lower;
    std::string output;
    std::string png;
    std::string tsv;
    std::string backend;
    std::string variant = "default";
    std::string format = "float32";
    std::string atoms = "all";
    std::optional<int> model;
    PairBoundsOptions pairs;
    double violationTolerance = 1e-4;
    bool allowInconsistent = false;
    bool json = false;
    std::string explain;
    BackendOptions device;
};

/// Options that only mean something when bounds are made from a structure.
constexpr const char* kStructureOptions[] = {
    "--known", "--tolerance",         "--cutoff",  "--seed", "--atoms",
    "--model", "--hydrogen-diameter", "--diameter"};

void addOptions(CLI::App& command, RunOptions& options) {
    command.add_option("IN", options.input,
                       "Bounds (.npz) or a structure (.pdb, .ent, .cif, .mmcif, also with .gz)");
    command
        .add_option("-o,--output", options.output,
                    "Smoothed bounds: arrays upper, lower and, where known, atoms")
        ->type_name("OUT.npz")
        ->required();
    command.add_option("--upper", options.upper, "Instead of IN: the upper bounds, an n × n array in Å")
        ->type_name("U.npy");
    command.add_option("--lower", options.lower, "With --upper: the lower bounds (default: 0)")
        ->type_name("L.npy");
    command.add_option("--png", options.png, "Also draw the matrices before and after: PNG, SVG or PDF")
        ->type_name("FILE.png");
    command.add_option("--tsv", options.tsv, "Also write a table with a line for each pair")
        ->type_name("FILE.tsv");
    command.add_flag("--json", options.json, "Print the report as one JSON object (atoms count from 0)");

    const char* how = "Computation";
    addBackendChoice(command, options.backend, options.variant);
    command
        .add_option("--format", options.format,
                    "float32 (default), float64, or fixed: units of 2⁻²⁰ Å, the same bits on every backend")
        ->type_name("F")
        ->group(how);

    const char* structure = "Bounds from a structure";
    command.add_option("--atoms", options.atoms, "all (default), heavy (no hydrogens) or ca (alpha carbons)")
        ->type_name("WHICH")
        ->group(structure);
    command.add_option("--model", options.model, "Number of the model (default: the first one)")
        ->type_name("N")
        ->group(structure);
    command
        .add_option("--known", options.pairs.known,
                    "Share of the pairs below the cut-off that is known (default: 1)")
        ->type_name("SHARE")
        ->group(structure);
    command
        .add_option("--cutoff", options.pairs.cutoff, "Only pairs closer than this can be known (default: 6)")
        ->type_name("Å")
        ->group(structure);
    command
        .add_option("--tolerance", options.pairs.tolerance,
                    "Bounds of a known pair: distance ± this (default: 0.05)")
        ->type_name("Å")
        ->group(structure);
    command.add_option("--seed", options.pairs.seed, "Which of the pairs are known (default: 1)")
        ->type_name("S")
        ->group(structure);
    command
        .add_option("--diameter", options.pairs.diameter,
                    "Upper bound of the other pairs (default: the largest distance in the molecule)")
        ->type_name("Å")
        ->group(structure);
    command
        .add_option("--hydrogen-diameter", options.pairs.hydrogenDiameter,
                    "Lower bound of the other pairs (default: 0.62)")
        ->type_name("Å")
        ->group(structure);

    const char* contradictions = "Contradictions";
    command
        .add_option(
            "--violation-tolerance", options.violationTolerance,
            "A pair is inconsistent when its lower bound exceeds the upper one by more (default: 0.0001)")
        ->type_name("Å")
        ->check(isNotNegative())
        ->group(contradictions);
    command
        .add_flag("--allow-inconsistent", options.allowInconsistent,
                  "Go on when a lower bound exceeds its upper bound on input")
        ->group(contradictions);
    command
        .add_option("--explain", options.explain,
                    "Show the input bounds that contradict each other, at most N groups (default: 3)")
        ->type_name("[N]")
        ->expected(0, 1)
        ->group(contradictions);
    addBackendOptions(command, options.device);
    command.footer(
        "Examples:\n"
        "  glycine bounds 2sdf.pdb.gz -o smoothed.npz --png smoothed.png\n"
        "  glycine bounds 1igt.cif -o antibody.npz --atoms heavy --known 0.5 --cutoff 5\n"
        "  glycine bounds --upper u.npy --lower l.npy -o smoothed.npz --format fixed --explain\n"
        "  glycine bounds in.npz -o out.npz --backend gl --variant packed --json");
}

/// How many contradictions are wanted; nothing without --explain.
std::optional<std::size_t> contradictionLimit(const CLI::App& command, const RunOptions& options) {
    if (command.count("--explain") == 0) return std::nullopt;
    if (options.explain.empty() || options.explain == "true") return kDefaultContradictions;
    std::size_t limit = 0;
    if (!CLI::detail::lexical_cast(options.explain, limit) || limit == 0)
        throw UsageError(fmt::format(
            "--explain: '{}' is no number above 0 (an input file goes before --explain)", options.explain));
    return limit;
}

std::vector<fs::path> inputFiles(const CLI::App& command, const RunOptions& options) {
    if (options.input.empty() && options.upper.empty())
        throw UsageError("nothing to smooth: give IN, or --upper (and --lower)");
    if (!options.input.empty() && !(options.upper.empty() && options.lower.empty()))
        throw UsageError("give either IN or --upper and --lower, not both");
    const bool isStructure = !options.input.empty() && io::isStructureFile(options.input);
    for (const char* name : kStructureOptions) {
        if (!isStructure && command.count(name) > 0)
            throw UsageError(fmt::format(
                "{} makes bounds from a structure (.pdb, .cif), but the input holds bounds", name));
    }
    if (!options.input.empty()) {
        requireInputKind(options.input);
        return {options.input};
    }
    if (options.lower.empty()) return {options.upper};
    return {options.upper, options.lower};
}

std::vector<fs::path> outputFiles(const RunOptions& options) {
    requireExtension("-o", options.output, ".npz");
    std::vector<fs::path> files{options.output};
    if (!options.png.empty()) {
        picture::requirePictureFile("--png", options.png);
        files.emplace_back(options.png);
    }
    if (!options.tsv.empty()) files.emplace_back(options.tsv);
    return files;
}

BoundSet readInput(const RunOptions& options, NumberFormat format, PairBoundsReport& made) {
    const BoundFileOptions fileOptions{.format = format, .allowInconsistent = options.allowInconsistent};
    if (options.input.empty()) {
        const std::optional<fs::path> lower =
            options.lower.empty() ? std::nullopt : std::optional<fs::path>(options.lower);
        BoundSet set = loadBounds(options.upper, lower, fileOptions);
        set.description =
            fmt::format("{}{}: {}", fs::path(options.upper).filename().string(),
                        lower ? fmt::format(" and {}", lower->filename().string()) : "", set.description);
        return set;
    }
    if (!io::isStructureFile(options.input)) return loadInputFile(options.input, fileOptions);
    MoleculeBoundsOptions molecule;
    static_cast<PairBoundsOptions&>(molecule) = options.pairs;
    molecule.atoms = parseAtomSelection(options.atoms);
    return boundsFromStructure(io::readStructure(options.input, {.model = options.model}), molecule, format,
                               made);
}

/// What the user should know about the bounds before relying on the result.
std::vector<std::string> findWarnings(const BoundSet& set, const PairBoundsReport& made) {
    std::vector<std::string> warnings;
    if (set.inconsistentPairs > 0)
        warnings.push_back(fmt::format("{} came in with a lower bound above the upper bound",
                                       formatCount(set.inconsistentPairs, "pair")));
    if (made.closerThanHydrogenDiameter > 0)
        warnings.push_back(
            fmt::format("{} of the structure break their lower bound: closer than --hydrogen-diameter",
                        formatCount(made.closerThanHydrogenDiameter, "unknown pair")));
    if (made.fartherThanDiameter > 0)
        warnings.push_back(
            fmt::format("{} of the structure break their upper bound: farther apart than --diameter",
                        formatCount(made.fartherThanDiameter, "unknown pair")));
    return warnings;
}

void addPanels(std::vector<picture::HeatMapPanel>& panels, std::string_view when,
               const AnyBoundMatrices& matrices, bool hasLower) {
    panels.push_back(boundPanel(fmt::format("Upper bounds {}", when), matrices, BoundKind::Upper));
    if (hasLower)
        panels.push_back(boundPanel(fmt::format("Lower bounds {}", when), matrices, BoundKind::Lower));
}

/// Before and after of one kind of bound share a row, hence a scale.
void drawMatrices(const fs::path& file, std::vector<picture::HeatMapPanel> panels, const RunReport& report) {
    if (panels.size() == 4) std::swap(panels[1], panels[2]);
    picture::HeatMapOptions options;
    options.title = report.input;
    options.valueLabel = "Å";
    options.axisLabel = "atom";
    options.footer = fmt::format("{} {} on {}, {}", describeBuild(), report.smoothing.backend,
                                 report.device.device, report.smoothing.variant);
    picture::writeHeatMaps(file, panels, options);
}

int runBounds(CommandContext& context, const CLI::App& command, const RunOptions& options) {
    const NumberFormat format = parseNumberFormat(options.format);
    const Variant variant = parseVariant(options.variant);
    const std::optional<std::size_t> explainLimit = contradictionLimit(command, options);
    const std::vector<fs::path> outputs = outputFiles(options);
    checkOutputFiles(outputs, inputFiles(command, options));
    checkBackendUse(command, registeredAlgorithm(), options.backend, options.variant);

    RunReport report;
    Stopwatch watch;
    PairBoundsReport made;
    BoundSet set = readInput(options, format, made);
    report.warnings = findWarnings(set, made);
    const AnyBoundMatrices matrices = set.matrices();
    const bool hasLower = std::visit([](const auto& typed) { return typed.hasLower(); }, matrices);
    report.readSeconds = watch.restart();
    context.progress().throwIfCancelled();
    report.input = set.description;
    report.atoms = atomCount(matrices);
    report.knownPairs = set.knownPairs;
    report.atomNames = set.atomNames;

    const BackendChoice choice =
        selectBackend(command, options.backend, options.device, [&](Backend& backend) {
            return supportsRequest(backend, {variant, format, report.atoms});
        });
    report.backendReason = choice.reason;
    report.device = describeDevice(
        *choice.backend, choice.backend->name() == "gl" ? std::string(toString(options.device.dialect)) : "");
    AnyOwnedBounds input = cloneBounds(matrices);
    std::vector<picture::HeatMapPanel> panels;
    if (!options.png.empty()) addPanels(panels, "before", matrices, hasLower);

    SmoothingOptions smoothing;
    smoothing.variant = variant;
    smoothing.tolerance = report.violationTolerance = options.violationTolerance;
    watch.restart();
    report.smoothing = smooth(*choice.backend, matrices, smoothing, context.progress());
    report.smoothSeconds = watch.restart();
    context.clearProgressLine();

    report.upper = measureUpperTightening(viewBounds(input), matrices);
    if (hasLower) report.lower = measureLowerTightening(viewBounds(input), matrices);
    if (explainLimit && hasLower)
        report.contradictions =
            explainViolations(viewBounds(input), report.smoothing.violations, *explainLimit);
    if (!options.png.empty()) addPanels(panels, "after", matrices, hasLower);
    context.progress().throwIfCancelled();

    watch.restart();
    writeBounds(options.output, matrices, set.atomNames);
    if (!options.png.empty()) drawMatrices(options.png, std::move(panels), report);
    if (!options.tsv.empty()) writeBoundsTable(options.tsv, matrices, set.atomNames);
    report.writeSeconds = watch.seconds();
    report.files = outputs;

    if (options.json)
        printJson(context.out(), toJson(report));
    else
        printRunReport(context.out(), report, terminalWidth());
    return 0;
}

}  // namespace

CommandAction addRunTask(CLI::App& command) {
    auto options = std::make_shared<RunOptions>();
    addOptions(command, *options);
    return [options, &command](CommandContext& context) { return runBounds(context, command, *options); };
}

}  // namespace glycine::bounds
