#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <ostream>

#include "app/crossapen/commands.hpp"
#include "engine/algorithms/crossapen/study/figures.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::crossapen {

namespace {

/// Of --quick: a processor takes seconds for them, also where it plays the graphics card.
constexpr TrialShape kQuickTrials{8, 1024};
constexpr std::size_t kQuickSubjects = 1;
constexpr std::size_t kQuickEpochs = 2;

struct ReproduceOptions {
    std::optional<std::size_t> trials;
    std::optional<std::size_t> samples;
    std::optional<std::size_t> subjects;
    bool isQuick = false;
    bool isStudy = false;
    std::size_t repeats = 5;
    std::uint64_t seed = 1;
    std::vector<std::string> backends;
    std::string output;
    std::string png;
    bool json = false;
    BackendOptions device;
};

FigurePlan planOf(const ReproduceOptions& options) {
    FigurePlan plan;
    const TrialShape usual = options.isQuick ? kQuickTrials : TrialShape{};
    plan.shape = {options.trials.value_or(usual.trials), options.samples.value_or(usual.samples)};
    plan.backends =
        options.backends.empty() ? std::vector<std::string>{"cpu", "gl", "cuda"} : options.backends;
    return plan;
}

StudyPlan studyOf(const ReproduceOptions& options) {
    StudyPlan plan;
    plan.subjects = options.subjects.value_or(options.isQuick ? kQuickSubjects : plan.subjects);
    if (options.isQuick) plan.shape.epochs = kQuickEpochs;
    plan.seed = options.seed;
    return plan;
}

void checkOptions(const CLI::App& command, const ReproduceOptions& options, const FigurePlan& plan) {
    for (const std::string& backend : plan.backends) {
        BackendRegistry::instance().find(backend);
        if (backend == "reference")
            throw UsageError("--backend: the reference is there to be right; expected cpu, gl or cuda");
    }
    if (options.subjects && !options.isStudy) throw UsageError("--subjects goes with --study");
    // An eighth of the length is measured, too.
    if (plan.shape.samples < 32)
        throw UsageError(fmt::format("--samples: expected 32 or more, not {}", plan.shape.samples));
    checkBackendOptions(command, plan.backends);
    std::vector<std::filesystem::path> outputs;
    if (!options.output.empty()) outputs.emplace_back(options.output);
    if (!options.png.empty()) {
        picture::requirePictureFile("--png", options.png);
        outputs.emplace_back(options.png);
    }
    checkOutputFiles(outputs, {});
}

Fields settingsOf(const ReproduceOptions& options) {
    return {
        {"figures",
         "4, 5, 6, Table 1 and the study of Martínez-Zarzuela et al. 2013: GeForce GTX 580 and Xeon X5660 "
         "2.66 GHz, six cores, float32"},
        {"trials",
         fmt::format("pairs of white noise, z-scored, m = 1, r = 0.2, float32, seed {}", options.seed)},
        {"here",
         fmt::format("best (median) of {} runs, fewer where they take long, after one that is dropped: from "
                     "normalised signals in memory to match statistics in memory; compute: on the device",
                     options.repeats)},
        {"counted",
         "a trial is one sweep of N² comparisons in the paper and in C(1), C(2); a backend delivers four "
         "ordered pairs for it (both directions, each signal with itself), 4 N² in the time given. G/s: 10⁹ "
         "comparisons / s; brute-force equivalents where a variant takes fewer"}};
}

int reproduce(CommandContext& context, const CLI::App& command, const ReproduceOptions& options) {
    const FigurePlan plan = planOf(options);
    checkOptions(command, options, plan);
    FigureReport report;
    report.environment = currentEnvironment();
    report.settings = settingsOf(options);
    FigureRuns runs(options.device, options.repeats, options.seed, context, report);
    if (options.isStudy) {
        report.figures.push_back(makeStudyFigure(plan, runs, studyOf(options), context));
    } else {
        for (const auto make : {makeFigure4, makeFigure5, makeFigure6, makeTable1})
            report.figures.push_back(make(plan, runs));
    }
    context.clearProgressLine();

    if (!options.png.empty()) drawFigures(options.png, report);
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
    command.add_option("--png", options->png, "Also draw the figures: PNG, SVG or PDF")
        ->type_name("FIGURES.png");
    command.add_option("--backend", options->backends, "Only these backends (default: cpu, gl, cuda)")
        ->type_name("B,…")
        ->delimiter(',');
    command.add_flag("--study", options->isStudy,
                     "Match the study instead: 30 subjects, 49 epochs of 148 channels and 1024 samples");
    command.add_flag("--quick", options->isQuick,
                     "Small sizes, for small machines: 8 trials of 1024; of the study 1 subject, 2 epochs");
    command.add_option("--trials", options->trials, "Trials (default: 50, as published)")
        ->type_name("T")
        ->check(isPositive());
    command.add_option("--samples", options->samples, "Samples of a trial (default: 8192, as published)")
        ->type_name("N")
        ->check(isPositive());
    command.add_option("--subjects", options->subjects, "Of the study (default: 30, as published)")
        ->type_name("S")
        ->check(isPositive());
    command.add_option("--repeats", options->repeats, "Timed runs (default: 5)")
        ->type_name("R")
        ->check(isPositive());
    addSeedOption(command, options->seed, "signals");
    command.add_flag("--json", options->json, "Print the report as one JSON object");
    addBackendOptions(command, options->device);
    command.footer(
        "Measures the timed figures of Martínez-Zarzuela et al. 2013 on this machine, beside the times that "
        "the\n"
        "paper prints. Every result is verified; a wrong one gets no time and exit code 1.\n\n"
        "Examples:\n"
        "  glycine reproduce crossapen --png figures.png -o figures.json\n"
        "  glycine reproduce crossapen --quick --backend cpu,gl\n"
        "  glycine reproduce crossapen --study --backend cuda");
    return [options, &command](CommandContext& context) { return reproduce(context, command, *options); };
}

}  // namespace glycine::crossapen
