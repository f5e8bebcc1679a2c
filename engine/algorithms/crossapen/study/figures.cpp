#include "engine/algorithms/crossapen/study/figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/core/quantity.hpp"

namespace glycine::crossapen {

namespace {

// Martínez-Zarzuela et al. 2013, Table 1: 50 epochs of 8192 samples.
constexpr double kPaperTrials = 50.0 * 8192 * 8192;
constexpr double kPaperGpuSeconds = 81.09e-3;
struct PaperTime {
    const char* method;
    double milliseconds;
};
constexpr PaperTime kPaperCores[] = {
    {"1 core", 121076.80}, {"2 cores", 60114.64}, {"4 cores", 30354.38}, {"6 cores", 20787.24}};
// Sections 4.2 and 3.5: 30 subjects, 49 epochs, 148 channels, 1024 samples.
constexpr double kPaperStudy = 30.0 * 49 * 148 * 148 * 1024 * 1024;
constexpr double kPaperStudyGpuSeconds = 30 * 60;
constexpr double kPaperStudyCpuSeconds = 5.0 * 24 * 3600;

constexpr Variant kPaperKernels[] = {Variant::Registers, Variant::Halo, Variant::Shifted};

bool isPaperKernel(Variant variant) {
    return std::find(std::begin(kPaperKernels), std::end(kPaperKernels), variant) != std::end(kPaperKernels);
}

bool isBruteForce(Variant variant) {
    switch (variant) {
        case Variant::Merged:
        case Variant::Scalar:
        case Variant::Packed:
        case Variant::Diagonal:
            return true;
        default:
            return isPaperKernel(variant);
    }
}

/// The brute force of the wanted backends: the paper's kernels first, then as the registry has it.
std::vector<FigureMethod> bruteForce(const FigurePlan& plan) {
    std::vector<FigureMethod> methods;
    if (plan.has("cuda"))
        for (const Variant kernel : kPaperKernels) methods.push_back({"cuda", kernel});
    for (const MatcherEntry& entry : matcherEntries())
        for (const VariantInfo& info : entry.variants) {
            const Variant variant = parseVariant(info.name);
            if (plan.has(entry.backend) && isBruteForce(variant) && !isPaperKernel(variant))
                methods.push_back({entry.backend, variant});
        }
    return methods;
}

FigureRow paperRow(const std::string& method, const std::string& size, double seconds) {
    FigureRow row;
    row.method = method;
    row.size = size;
    row.paperSeconds = seconds;
    return row;
}

/// The published time of `shifted`: beside the row measured on trials of the same shape, else in one of its
/// own.
void addPaperGpu(Figure& figure) {
    const std::string size = TrialShape{}.text();
    for (FigureRow& row : figure.rows)
        if (row.method == "cuda shifted" && row.size == size) {
            row.paperSeconds = kPaperGpuSeconds;
            return;
        }
    figure.rows.push_back(paperRow("GPU, shifted", size, kPaperGpuSeconds));
}

/// By how many percent `later` is faster than `earlier`: the share of the time that it saves.
std::string savedShare(const FigureRow& earlier, const FigureRow& later) {
    return formatShare(earlier.seconds.minimum - later.seconds.minimum, earlier.seconds.minimum);
}

/// The exponent p of time ~ size^p: the slope of a line through the logarithms.
double exponentOf(const std::vector<std::pair<double, double>>& points) {
    double x = 0;
    double y = 0;
    for (const auto& [size, seconds] : points) {
        x += std::log(size);
        y += std::log(seconds);
    }
    x /= static_cast<double>(points.size());
    y /= static_cast<double>(points.size());
    double above = 0;
    double below = 0;
    for (const auto& [size, seconds] : points) {
        above += (std::log(size) - x) * (std::log(seconds) - y);
        below += (std::log(size) - x) * (std::log(size) - x);
    }
    return above / below;
}

}  // namespace

bool FigurePlan::has(const std::string& backend) const {
    return std::find(backends.begin(), backends.end(), backend) != backends.end();
}

Figure makeFigure4(const FigurePlan& plan, FigureRuns& runs) {
    Figure figure;
    figure.name = "Figure 4";
    figure.title = "one sweep instead of two, one thread";
    figure.about =
        "Paper: C(2), which counts matches of both lengths in one sweep, takes two thirds of the time of "
        "C(1), 1.5 × as fast; it prints no times. The two loops are shown as this pair alone: nothing else "
        "is compared with them.";
    std::vector<std::string> ratios;
    for (std::size_t samples = plan.shape.samples / 8; samples <= plan.shape.samples; samples *= 2) {
        if (!isLongEnough(samples, 1)) continue;
        const FigureRow two = runs.measureLoop(false, samples);
        const FigureRow one = runs.measureLoop(true, samples);
        if (two.hasTime() && one.hasTime())
            ratios.push_back(fmt::format("{} ×", formatNumber(two.seconds.minimum / one.seconds.minimum)));
        figure.rows.push_back(two);
        figure.rows.push_back(one);
        if (plan.has("cpu"))
            figure.rows.push_back(runs.measure({"cpu", Variant::Merged, true}, {1, samples}));
    }
    if (!ratios.empty())
        figure.conclusions.push_back(
            fmt::format("C(1) / C(2), from the shortest signals to the longest: "
                        "1.5 × in the paper; {} here.",
                        fmt::join(ratios, ", ")));
    return figure;
}

Figure makeFigure5(const FigurePlan& plan, FigureRuns& runs) {
    Figure figure;
    figure.name = "Figure 5";
    figure.title = "brute force on many trials in one launch";
    figure.about =
        "Paper: 50 trials of 8192 samples, transfers included; halo and shifted take 30 % and 43 % less time "
        "than registers. The time of shifted stands in Table 1.";
    figure.paperComparisons = kPaperTrials;
    figure.base = "cpu merged";
    for (const FigureMethod& method : bruteForce(plan))
        figure.rows.push_back(runs.measure(method, plan.shape));
    addPaperGpu(figure);
    const std::string size = plan.shape.text();
    const FigureRow* registers = figure.find("cuda registers", size);
    const FigureRow* halo = figure.find("cuda halo", size);
    const FigureRow* shifted = figure.find("cuda shifted", size);
    const auto isMeasured = [](const FigureRow* row) { return row != nullptr && row->hasTime(); };
    if (isMeasured(registers) && isMeasured(halo) && isMeasured(shifted))
        figure.conclusions.push_back(
            fmt::format("Time that halo and shifted save against registers: 30 % and 43 % in the paper; {} "
                        "and {} here.",
                        savedShare(*registers, *halo), savedShare(*registers, *shifted)));
    else
        figure.conclusions.push_back(
            "The paper's kernels were not measured; the brute force of the other backends stands in for "
            "them.");
    return figure;
}

Figure makeFigure6(const FigurePlan& plan, FigureRuns& runs) {
    Figure figure;
    figure.name = "Figure 6";
    figure.title = "time over trials and over length";
    figure.about = "Paper: linear in the number of trials, quadratic in their length; it prints no times.";
    const auto [trials, samples] = plan.shape;
    for (const FigureMethod& method :
         {FigureMethod{"cuda", Variant::Shifted}, FigureMethod{"gl", Variant::Packed},
          FigureMethod{"cpu", Variant::Merged}}) {
        const bool isRegistered =
            std::any_of(matcherEntries().begin(), matcherEntries().end(),
                        [&method](const MatcherEntry& entry) { return entry.backend == method.backend; });
        if (!plan.has(method.backend) || !isRegistered) continue;
        std::vector<std::pair<double, double>> overTrials;
        std::vector<std::pair<double, double>> overLength;
        const auto add = [&](const TrialShape& shape) {
            FigureRow row = runs.measure(method, shape);
            if (row.hasTime() && shape.samples == samples)
                overTrials.emplace_back(shape.trials, row.seconds.minimum);
            if (row.hasTime() && shape.trials == trials)
                overLength.emplace_back(shape.samples, row.seconds.minimum);
            figure.rows.push_back(std::move(row));
            return figure.rows.back().skipped.empty();
        };
        if (!add(plan.shape)) continue;
        for (const std::size_t part : {2, 4})
            if (trials >= part) add({trials / part, samples});
        for (const std::size_t part : {2, 4, 8})
            if (isLongEnough(samples / part, 1)) add({trials, samples / part});
        if (overTrials.size() < 2 || overLength.size() < 2) continue;
        figure.conclusions.push_back(
            fmt::format("{}: time ~ trials^{:.2f}, length^{:.2f}; 1 and 2 in the paper.",
                        figure.rows.back().method, exponentOf(overTrials), exponentOf(overLength)));
    }
    return figure;
}

Figure makeTable1(const FigurePlan& plan, FigureRuns& runs) {
    Figure figure;
    figure.name = "Table 1";
    figure.title = "processors and graphics";
    figure.about =
        "Paper: 50 epochs of 8192 samples; its GPU is 256, 374, 741 and 1493 × as fast as 6, 4, 2 and 1 "
        "cores, whose loop takes 96 cycles for a comparison. Here each backend runs what it chooses by "
        "itself, whose rates are equivalents: it does not compare all pairs of samples.";
    figure.paperComparisons = kPaperTrials;
    for (const PaperTime& cores : kPaperCores)
        figure.rows.push_back(paperRow(cores.method, TrialShape{}.text(), cores.milliseconds / 1e3));
    if (plan.has("cuda")) figure.rows.push_back(runs.measure({"cuda", Variant::Shifted}, plan.shape));
    addPaperGpu(figure);
    if (plan.has("cpu")) {
        figure.rows.push_back(runs.measure({"cpu", Variant::Merged}, plan.shape));
        figure.rows.push_back(runs.measure({"cpu"}, plan.shape));
        figure.base = figure.rows.back().method;
    }
    for (const char* backend : {"gl", "cuda"})
        if (plan.has(backend)) figure.rows.push_back(runs.measure({backend}, plan.shape));
    return figure;
}

Figure makeStudyFigure(const FigurePlan& plan, FigureRuns& runs, const StudyPlan& study,
                       CommandContext& context) {
    Figure figure;
    figure.name = "Study";
    figure.title = "all channel pairs of all subjects";
    figure.about =
        "Paper, section 4.2: 30 subjects, 49 epochs of 148 channels and 1024 samples, 3.38e13 comparisons: "
        "30 minutes on the GPU, 5 days on six cores. Here: signals like EEG, generated subject by subject "
        "beside the time that is measured; each backend's own choice.";
    figure.paperComparisons = kPaperStudy;
    const std::string size = "30 × 49 × 148 × 1,024";
    figure.rows.push_back(paperRow("6 cores", size, kPaperStudyCpuSeconds));
    figure.rows.push_back(paperRow("GPU", size, kPaperStudyGpuSeconds));
    Study all(study, context);
    for (const char* backend : {"cpu", "gl", "cuda"}) {
        if (!plan.has(backend)) continue;
        const FigureRow& row = figure.rows.emplace_back(runs.measureStudy(backend, all, study));
        if (std::string_view(backend) == "cpu") figure.base = row.method;
        if (row.hasTime())
            figure.conclusions.push_back(fmt::format("{}: {} on the clock; {}.", row.method,
                                                     formatSeconds(row.seconds.minimum), row.note));
    }
    return figure;
}

}  // namespace glycine::crossapen
