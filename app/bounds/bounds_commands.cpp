#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/bounds/bounds_options.hpp"
#include "app/bounds/bounds_report.hpp"
#include "app/bounds/recount_bounds.hpp"
#include "app/restraint_options.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/bounds/input/random_bounds.hpp"
#include "engine/bounds/input/restraint_bounds.hpp"
#include "engine/bounds/input/run_input.hpp"
#include "engine/bounds/shared_smoothing.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/study/bounds_problem.hpp"
#include "engine/bounds/tetrangle.hpp"
#include "engine/bounds/worker_rates.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/text.hpp"
#include "engine/core/time_line.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/io/text/json.hpp"
#include "engine/io/text/piped_input.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::bounds {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStructures = "structures (.pdb, .cif)";

}  // namespace

void declareStructureOptions(Options& options, InputFileOptions& reading) {
    MoleculeBoundsOptions& molecule = reading.molecule;
    const Heading heading(options, "Bounds from a structure");
    const auto isRead = [](Option& option) -> Option& {
        return option.readBy("input", {"structure"}, kStructures);
    };
    isRead(options.choice("--atoms WHICH", molecule.atoms,
                          "Atoms: all, heavy (no hydrogens) or ca (alpha carbons)"))
        .basic();
    isRead(options.value("--model N", reading.model, "Number of the model").positive())
        .byDefault("the first one");
    isRead(options.value("--known SHARE", molecule.known,
                         "Share of pairs below the cut-off that are known, 0 to 1"))
        .within(0, 1)
        .basic();
    isRead(options.value("--cutoff Å", molecule.cutoff, "Distance below which pairs can be known"))
        .above(0, kLargestOptionAngstrom)
        .basic();
    isRead(options.value("--tolerance Å", molecule.tolerance,
                         "Tolerance of known pairs: their bounds are distance ± this"))
        .within(0, kLargestOptionAngstrom);
    isRead(options.value("--seed S", molecule.seed, "Random seed that selects the known pairs"));
    isRead(options.value("--diameter Å", molecule.diameter, "Upper bound of the other pairs"))
        .above(0, kLargestOptionAngstrom)
        .byDefault("the largest distance in the molecule");
    isRead(
        options.value("--hydrogen-diameter Å", molecule.hydrogenDiameter, "Lower bound of the other pairs"))
        .within(0, kLargestOptionAngstrom);
}

RunFacet facetOf(const fs::path& file) {
    if (io::isStructureFile(file)) return {"input", {"structure"}, "the input is a structure"};
    return {"input", {"bounds"}, "the input holds bounds"};
}

namespace {

// Kinds of pictures.
constexpr const char* kBounds = "bounds";
constexpr const char* kDifference = "difference";

constexpr const char* kRestraints = "restraints (.nef, .str, .tbl, .upl, .lol, .aco)";

struct RunOptions {
    std::vector<std::string> inputs;  ///< several only for restraints
    std::string upper;
    std::string lower;
    std::vector<std::string> outputs;
    std::map<std::string, fs::path, std::less<>> drawn;  ///< keyed by kBounds and kDifference
    BackendRequest backend;
    InputFileOptions reading;
    RestraintBoundsOptions restraints;
    double violationTolerance = 1e-4;
    std::optional<std::size_t> contradictions;  ///< number of contradictions to show
    std::string contradictionsTable;
    std::size_t tetrangleSweeps = 0;
    std::string violationsTable;
    std::size_t loosest = kShownViolations;  ///< number of pairs to show
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
    addBackendChoice(options, run.backend, {algorithm()}, true);
    options.lacks(
        "--part",
        "its blocks exchange panels in every round; processes share them with mpirun -n N glycine-mpi "
        "bounds, devices with --devices");
    options
        .choice("--precision P", run.reading.format,
                "float32, float64, or fixed: units of 2⁻²⁰ Å, bitwise equal on all backends")
        .formerly("--format");
    options.choice("--rounding HOW", run.reading.rounding,
                   "nearest, or outward: upper bounds up, lower bounds down, so that no bound excludes what "
                   "the exact bounds allow; fixed always rounds outward");
    options
        .value(
            "--tetrangle SWEEPS", run.tetrangleSweeps,
            "Maximum number of sweeps that also tighten by the tetrangle inequality; n⁴ steps, at most 1,500 "
            "atoms")
        .within(0, 1000);
}

void declareRestraintOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Bounds from restraints");
    const auto isRead = [](Option& option) -> Option& {
        return option.readBy("input", {"restraints"}, kRestraints);
    };
    isRead(options.value("--sequence FASTA", run.restraints.sequence,
                         "The molecule: one chain per sequence, residues numbered from 1\n(NEF files contain "
                         "the sequence)"))
        .basic();
    isRead(options.value("--topology FILE", run.restraints.topology,
                         "The molecule: chains, residue numbers and names from a structure"))
        .basic();
    isRead(addFirstResidueOption(options, run.restraints.mapping));
    isRead(options.flag("--skip-unknown", run.restraints.mapping.skipUnknown,
                        "Skip restraints on atoms or residues that the molecule lacks\n, and count them"))
        .basic();
    isRead(options.value("--radii-scale SHARE", run.restraints.radiiScale,
                         "Lower bound of other pairs, as a share of the sum of contact radii"))
        .within(0, 1);
}

void declareContradictionOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Contradictions");
    options
        .value("--violation-tolerance Å", run.violationTolerance,
               "Excess of the lower over the upper bound above which a pair is inconsistent")
        .within(0, kLargestOptionAngstrom);
    options.flag("--allow-inconsistent", run.reading.allowInconsistent,
                 "Continue if a lower bound exceeds its upper bound in the input");
    options
        .parsed(
            "--explain [N]",
            [&run](const std::string& text) { run.contradictions = parseContradictions(text); },
            [&run] { return run.contradictions ? fmt::format("{}", *run.contradictions) : ""; },
            "Show N groups of contradicting input bounds; --json lists all groups; without N: 3")
        .withoutValue("3")
        .byDefault("")
        .basic();
}

void declareOptions(Options& options, RunOptions& run) {
    options.value(
        "IN", run.inputs,
        "Bounds (.npz), a structure (.pdb, .ent, .cif, .mmcif), or restraints: NEF (.nef), NMR-STAR 3 "
        "(.str), X-PLOR and CNS (.tbl), CYANA (.upl, .lol, .aco), tables of i, j, lower, upper (.bounds, "
        ".tsv, .csv)\n; several files are allowed; all but .npz also as .gz; - is standard input");
    options
        .value(
            "-o,--output OUT", run.outputs,
            "Smoothed bounds, by file ending: .npz, .csv or .tsv (one line per pair); a picture: .png, "
            ".svg, .pdf; all inconsistent pairs, worst first: .violations.tsv\n(.npz has the arrays upper, "
            "lower and, where known, atoms; .contradictions.tsv has all groups of contradicting bounds; - is "
            ".csv to standard output; can be given several times)")
        .repeated()
        .required()
        .notASetting()
        .formerly("--png", "-o FILE.png")
        .formerly("--tsv", "-o FILE.tsv")
        .formerly("--violations", "-o FILE.violations.tsv")
        .formerly("--contradictions", "-o FILE.contradictions.tsv");
    addDrawOption(options, run.drawn,
                  {{kBounds, "the matrices before and after, as -o FILE.png"},
                   {kDifference, "upper - lower, the uncertainty of each distance"}});
    options.value("--upper U.npy", run.upper, "Upper bounds instead of IN: an n × n array in Å").advanced();
    options.value("--lower L.npy", run.lower, "Lower bounds, with --upper: an n × n array in Å")
        .byDefault("0")
        .advanced();
    options.value("--loosest N", run.loosest, "Number of pairs to show with the largest upper - lower")
        .within(0, 1000)
        .notASetting()
        .advanced();
    addJsonOption(options, run.json, "Print the report as one JSON object (atoms are numbered from 0)");

    declareComputationOptions(options, run);
    declareStructureOptions(options, run.reading);
    declareRestraintOptions(options, run);
    declareContradictionOptions(options, run);
    addBackendOptions(options, run.backend.device);
    {
        const Heading heading(options, "Device");
        addDevicesOption(options, run.backend);
    }
    options.footer(
        "Examples:\n"
        "  glycine bounds 2sdf.pdb.gz -o smoothed.npz -o smoothed.png\n"
        "  glycine bounds 1igt.cif -o antibody.npz --atoms heavy --known 0.5 --cutoff 5\n"
        "  glycine bounds protein.upl protein.aco -o smoothed.npz --sequence protein.fa --explain\n"
        "  glycine bounds --upper u.npy --lower l.npy -o smoothed.npz --precision fixed --explain\n"
        "  glycine bounds in.npz -o out.npz --backend gl --variant packed --json");
}

bool areRestraints(const RunOptions& options) {
    return !options.inputs.empty() && io::isRestraintFile(options.inputs[0]);
}

std::vector<fs::path> inputFiles(const Options& declared, const RunOptions& options) {
    if (options.inputs.empty() && options.upper.empty())
        throw UsageError("nothing to smooth: give IN, or --upper (and --lower)");
    if (!options.inputs.empty() && !(options.upper.empty() && options.lower.empty()))
        throw UsageError("give either IN or --upper and --lower, not both");
    for (const std::string& input : options.inputs)
        if (!io::isRestraintFile(input)) {
            requireInputKind(input);
            if (options.inputs.size() > 1)
                throw UsageError(fmt::format(
                    "{} is one of several inputs; expected it alone, or several files of restraints", input));
        }
    declared.requireReaders(areRestraints(options)
                                ? RunFacet{"input", {"restraints"}, "the input holds restraints"}
                                : facetOf(options.inputs.empty() ? options.upper : options.inputs[0]));
    std::vector<fs::path> files(options.inputs.begin(), options.inputs.end());
    for (const std::string* molecule : {&options.restraints.sequence, &options.restraints.topology})
        if (!molecule->empty()) files.emplace_back(*molecule);
    if (!files.empty()) return files;
    if (options.lower.empty()) return {options.upper};
    return {options.upper, options.lower};
}

/// Separator of a result that is written as text, one line per pair; 0 if it is not text.
char separatorOf(const fs::path& output) {
    const std::string ending =
        storage::isStandardOutput(output) ? ".csv" : lowerCase(output.extension().string());
    return ending == ".csv" ? ',' : ending == ".tsv" ? '\t' : '\0';
}

/// All output files. A picture among the outputs becomes the picture of the bounds, and tables of
/// contradictions leave them.
std::vector<fs::path> outputFiles(RunOptions& options) {
    options.contradictionsTable = takeTable(options.outputs, ".contradictions.tsv");
    options.violationsTable = takeTable(options.outputs, ".violations.tsv");
    if (const std::string picture = takePicture(options.outputs);
        !picture.empty() && !options.drawn.emplace(kBounds, picture).second)
        throw UsageError(fmt::format("-o {} and --draw {} draw the same; give one", picture, kBounds));
    for (const std::string& output : options.outputs)
        if (separatorOf(output) == '\0')
            requireExtension("-o", output, ".npz", ".npz, .csv, .tsv, .png, .svg or .pdf");
    std::vector<fs::path> files(options.outputs.begin(), options.outputs.end());
    for (const auto& [kind, file] : options.drawn) files.push_back(file);
    for (const std::string& table : {options.contradictionsTable, options.violationsTable})
        if (!table.empty()) files.emplace_back(table);
    return files;
}

BoundSet readInput(const RunOptions& options, std::optional<RestraintReport>& restraints,
                   Progress& progress) {
    if (areRestraints(options)) {
        RestraintBoundsOptions reading = options.restraints;
        static_cast<BoundFileOptions&>(reading) = options.reading;
        const std::vector<fs::path> files(options.inputs.begin(), options.inputs.end());
        RestraintBounds read = boundsFromRestraints(files, reading, progress);
        restraints = std::move(read.report);
        return std::move(read.set);
    }
    if (!options.inputs.empty()) return loadInputFile(options.inputs[0], options.reading, progress);
    return loadBounds(options.upper, options.lower.empty() ? std::nullopt : std::optional(options.lower),
                      options.reading);
}

picture::HeatMapPage pageOf(const RunReport& report, const picture::HeatMapPanel& panel) {
    const std::string axis = panel.marks.empty() ? "atom" : "residue";
    return {.title = report.input,
            .footer = fmt::format("{} {} on {}, {}", describeBuild(), report.smoothing.backend,
                                  report.device.device, report.smoothing.variant),
            .rowLabel = axis,
            .columnLabel = axis};
}

void drawDifference(const fs::path& file, const picture::HeatMapPanel& panel, const RunReport& report) {
    picture::writeHeatMaps(file, {std::span(&panel, 1), 1, {.valueLabel = "Å"}}, pageOf(report, panel));
}

/// Before and after of the same kind of bound share a row, and thus a colour scale.
void drawMatrices(const fs::path& file, std::vector<picture::HeatMapPanel> panels, const RunReport& report) {
    std::swap(panels[1], panels[2]);
    const std::span<const picture::HeatMapPanel> all(panels);
    const picture::HeatMapScale scale{.valueLabel = "Å"};
    const picture::HeatMapSection sections[] = {{all.first(2), 2, scale}, {all.subspan(2), 2, scale}};
    picture::writeHeatMaps(file, sections, pageOf(report, panels.front()));
}

/// Whether several devices or processes will share the blocks.
bool isShared(const BackendRequest& request, const ProcessTeam* team) {
    if (team != nullptr && team->processes() > 1) return true;
    if (request.withHost) return true;
    const std::optional<std::vector<int>>& devices = request.device.devices;
    if (!devices || request.backend.empty()) return false;
    if (!devices->empty()) return devices->size() > 1;
    return BackendRegistry::instance().listDevices(request.backend).size() > 1;
}

/// Runs the processes of glycine-mpi other than the lead: they read no input, and share the work that the
/// lead begins.
int serveLead(const Options& declared, RunOptions& options, ProcessTeam& team) {
    const std::optional<SharedTask> task = receiveTask(team);
    if (!task) return 0;
    options.backend.backend = task->backend;
    const SmoothingRequest request{Variant::Default, task->format};
    const BackendChoice choice = selectBackend(
        declared, options.backend, [&](Backend& backend) { return supportsRequest(backend, request); });
    serveSmoothing(*choice.backend, *task, team);
    return 0;
}

/// Expected time of `cpu`: smoothing, and the quadruples of each pair in the first sweep.
double hostSeconds(std::size_t atoms, const RunOptions& options) {
    const auto n = static_cast<double>(atoms);
    const BackendOptions& device = options.backend.device;
    const double smoothing = hostSecondsFor(n * n * n, 5e9, device);
    if (options.tetrangleSweeps == 0) return smoothing;
    return smoothing + hostSecondsFor(n * n / 2, 1 / secondsForPairTetrangles(atoms), device);
}

int runBounds(CommandContext& context, const Options& declared, RunOptions& options) {
    ProcessTeam* const team = processTeam();
    if (team != nullptr && !team->leads()) return serveLead(declared, options, *team);
    const std::vector<fs::path> outputs = outputFiles(options);
    checkOutputFiles(outputs, inputFiles(declared, options));
    checkBackendUse(declared, algorithm(), options.backend);
    const Variant variant = fromString<Variant>(options.backend.variant);

    RunReport report;
    const DeviceAhead ahead(options.backend,
                            options.inputs.empty() ? fs::path() : fs::path(options.inputs.front()));
    TimeLine& times = context.times();
    times.end("startUp");
    // Contradictions are explained by the whole input, which takes a copy.
    const bool explains = options.contradictions || !options.contradictionsTable.empty();
    options.reading.isShared = !explains && isShared(options.backend, team);
    BoundSet set = readInput(options, report.restraints, context.progress());
    const AnyBoundMatrices matrices = set.matrices();
    const double readSeconds = times.end("read");
    context.progress().throwIfCancelled();
    report.input = set.description;
    report.atoms = atomCount(matrices);
    report.knownPairs = set.knownPairs;
    report.warnings = set.warnings;
    report.atomNames = set.atomNames;

    std::vector<storage::ExpectedFile> expected;
    for (const std::string& output : options.outputs)
        expected.push_back(expectedFile(output, separatorOf(output) != '\0', matrices, set.atomNames));
    requireDiskSpace(context, expected);
    if (options.tetrangleSweeps > 0) checkTetrangles(matrices);
    const SmoothingRequest request{variant,
                                   options.reading.format,
                                   report.atoms,
                                   options.reading.rounding,
                                   [&] { return smallestBound(matrices); },
                                   options.tetrangleSweeps > 0};
    times.end("check");
    const BackendChoice choice = selectBackend(
        declared, options.backend, [&](Backend& backend) { return supportsRequest(backend, request); },
        hostSeconds(report.atoms, options));
    report.options = &declared;
    report.times = &times;
    report.backendReason = choice.reason;
    report.device = describeDevice(*choice.backend);
    report.stages = {
        {"making bounds", kStageOfInput, kStageOfInput}, {"upper bounds", "", ""}, {"lower bounds", "", ""}};
    const std::string whyAlone = leaveSlowHost(*choice.backend, matrices, variant);
    times.end("startUp");
    std::vector<picture::HeatMapPanel> panels;
    const bool drawsBounds = options.drawn.contains(kBounds);
    if (drawsBounds) panels = boundPanels("before", matrices, set.atomNames);
    times.end("draw");

    SmoothingOptions smoothing;
    smoothing.variant = variant;
    if (explains || !options.violationsTable.empty())
        smoothing.maxListedViolations = std::numeric_limits<std::size_t>::max();
    smoothing.rounding = report.rounding = options.reading.rounding;
    smoothing.tolerance = report.violationTolerance = options.violationTolerance;
    // Returns the bounds as they were, which came of `seconds`. Once begun, a team stays out of what its lead
    // smooths again.
    const auto smoothAll = [&](double seconds, bool isFirst) {
        const bool isOfTeam = isFirst && team != nullptr && team->processes() > 1;
        smoothing.keepInput = !explains && (isOfTeam || choice.backend->crew() != nullptr);
        std::optional<RunInput> before;
        if (!keepsInput(options.reading.format, smoothing)) before.emplace(cloneBounds(matrices));
        if (isFirst) times.end("copy");
        {
            std::optional<TeamAtWork> together;
            if (isOfTeam) together.emplace();
            report.smoothing = smooth(*choice.backend, matrices, smoothing, context.progress());
        }
        if (!whyAlone.empty())
            report.smoothing.note =
                fmt::format("cpu gets no blocks: {}{}{}", whyAlone, report.smoothing.note.empty() ? "" : "; ",
                            report.smoothing.note);
        const SmoothingTimes& stages = report.smoothing.times;
        seconds += isFirst ? times.divide({{"upload", stages.upload},
                                           {"upper", stages.upper},
                                           {"lower", stages.lower},
                                           {"download", stages.download},
                                           {"check", report.smoothing.checkSeconds}})
                           : times.end("smoothing again");
        if (report.smoothing.hasKeptInput) before.emplace(matrices);
        std::tie(report.recount, report.pairRecount) =
            recountBounds(*choice.backend, options.backend, *before, matrices, report.smoothing, seconds);
        times.end("recount");
        return std::move(*before);
    };
    std::optional<RunInput> input = smoothAll(readSeconds, true);
    if (report.smoothing.variant == "blocked")
        report.stages.push_back({"pruning of blocks", "decides which passes are drawn", ""});
    const ThreadsOf ofBackend(*choice.backend);
    std::optional<DefaultThreads> threads;
    if (team != nullptr) useThreadsOfIdleProcesses(options.backend, threads);
    if (options.tetrangleSweeps > 0) {
        report.stages.push_back({"limits by tetrangles", "", ""});
        report.stages.push_back({"tightening by limits", kStageInDouble, kStageInDouble});
        input->whole();
    }
    Recount tetrangleRecount(*choice.backend, options.backend, "pair", "by all their quadruples");
    while (report.tetrangles.size() < options.tetrangleSweeps && report.smoothing.violationCount == 0) {
        const TetrangleLimits limits = findTetrangleLimits(*choice.backend, matrices, context.progress());
        double seconds = times.end("tetrangles");
        recountTetrangles(tetrangleRecount, limits, matrices, seconds);
        report.tetrangleRecount = tetrangleRecount.report();
        times.end("recount");
        report.tetrangles.push_back(tightenBy(limits, matrices));
        report.tetrangleNotes.push_back(limits.note);
        seconds += times.end("tetrangles");
        if (report.tetrangles.back().upper + report.tetrangles.back().lower == 0) break;
        smoothAll(seconds, false).completeResult();
    }
    context.clearProgressLine();

    double summarySeconds = 0;
    const auto sumUp = [&] {
        const Stopwatch watch;
        report.upper = measureUpperTightening(input->half(), matrices);
        report.lower = measureLowerTightening(input->half(), matrices);
        report.loosest = loosestPairs(matrices, set.atomNames, options.loosest);
        summarySeconds = watch.seconds();
    };
    // Files are written meanwhile, where they need no change of the result. Each gets half of the threads:
    // the disk would wait for threads that share a processor.
    std::optional<DefaultThreads> half;
    std::future<void> summing;
    const bool isMeanwhile = input->isApart() && !explains;
    if (isMeanwhile) half.emplace(std::max(1, omp_get_max_threads() / 2));
    if (!isMeanwhile || !startThread(summing, sumUp)) {
        half.reset();
        sumUp();
        times.end("summarize");
    }
    if (explains) {
        report.contradictions.emplace();
        if (report.tetrangles.empty())
            report.contradictions =
                explainViolations(input->whole(), report.smoothing.violations, context.progress());
        report.shownContradictions = options.contradictions.value_or(0);
        context.clearProgressLine();
        times.end("explain");
    }
    input->completeResult();
    if (!summing.valid()) input.reset();
    times.end("copy");
    if (drawsBounds)
        for (picture::HeatMapPanel& panel : boundPanels("after", matrices, set.atomNames))
            panels.push_back(std::move(panel));
    context.progress().throwIfCancelled();
    times.end("draw");

    const Stopwatch writing;
    for (const std::string& output : options.outputs)
        if (const char separator = separatorOf(output); separator != '\0')
            writeBoundsTable(output, matrices, set.atomNames, separator);
        else
            writeBounds(output, matrices, set.atomNames);
    if (summing.valid()) {
        const double writeSeconds = writing.seconds();
        summing.get();
        half.reset();
        times.divide({{"summarize", summarySeconds}, {"write", writeSeconds}});
        input.reset();
    } else {
        times.end("write");
    }
    for (const auto& [kind, file] : options.drawn)
        if (kind == kBounds)
            drawMatrices(file, std::move(panels), report);
        else
            drawDifference(file, differencePanel(matrices, set.atomNames), report);
    times.end("draw");
    if (!options.contradictionsTable.empty())
        writeContradictions(options.contradictionsTable, *report.contradictions, set.atomNames);
    if (!options.violationsTable.empty())
        writeViolations(options.violationsTable, report.smoothing.violations, set.atomNames);
    times.end("write");
    report.files = outputs;

    printRunReport(context, report, options.json);
    return 0;
}

struct GenerateOptions {
    RandomBoundsOptions bounds;
    NumberFormat format = NumberFormat::Float32;
    std::string output;
    bool json = false;
};

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    requireExtension("-o", options.output, ".npz");
    checkOutputFiles({options.output}, {});
    BoundSet set = randomBounds(options.bounds, options.format, context.progress());
    context.progress().throwIfCancelled();
    writeBounds(options.output, set.matrices(), set.atomNames);
    context.clearProgressLine();
    printGenerated(context, options.json, "bounds", declared, {options.output}, set.description);
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareOptions(options, *run);
    return [run, &options](CommandContext& context) {
        Rounding& rounding = run->reading.rounding;
        rounding = roundingOf(run->reading.format,
                              options.isGiven("--rounding") ? std::optional(rounding) : std::nullopt);
        io::PipedInputs pipes;
        RunOptions given = *run;
        for (std::string& input : given.inputs) pipes.replace(input);
        for (std::string* input : {&given.upper, &given.lower}) pipes.replace(*input);
        return runBounds(context, options, given);
    };
}

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    RandomBoundsOptions& bounds = generated->bounds;
    options.value("--atoms N", bounds.atoms, "Number of atoms").positive().required();
    options.value("-o,--output FILE.npz", generated->output, "The file to write").required().notASetting();
    options.value("--known SHARE", bounds.known, "Share of all pairs that are known, 0 to 1").within(0, 1);
    options
        .value("--tolerance Å", bounds.tolerance,
               "Tolerance of known pairs: their bounds are distance ± this")
        .within(0, kLargestOptionAngstrom);
    options.value("--seed S", bounds.seed, "Random seed; the same seed gives the same file");
    options.choice("--dtype T", generated->format, "Type: float32, float64 or fixed (written as float64)")
        .formerly("--format");
    addJsonOption(options, generated->json);
    options.footer(
        "The atoms form a random chain as dense as a protein. Unknown pairs get the diameters of the\n"
        "molecule and of a hydrogen as bounds, as in GPU Gems 2, section 43.1.\n\n"
        "Example:\n"
        "  glycine generate bounds --atoms 1024 --known 0.1 --seed 1 -o bounds.npz");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::bounds

namespace glycine {

void register_bounds();
void register_bounds() {
    using namespace bounds;
    AlgorithmRegistry::instance().add(algorithm());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"", "bounds", "Algorithms", std::string(algorithm().summary()), declareRun});
    commands.add(
        {"generate", "bounds", "", "Generate random bounds of any size, for bounds", declareGenerate});
    study::addSubject(subject());
}

}  // namespace glycine
