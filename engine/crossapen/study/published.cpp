#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "engine/core/quantity.hpp"
#include "engine/crossapen/study/pair_problem.hpp"

namespace glycine::crossapen {

namespace {

using study::Claim;
using study::faster;
using study::PublishedFigure;
using study::PublishedRow;
using study::Scale;
using Problems = std::vector<std::unique_ptr<study::Problem>>;

// Table 1: 50 epochs of 8192 samples; section 4.2: the study. Work in 10⁹ comparisons.
constexpr double kTrialsWork = 50.0 * 8192 * 8192 / 1e9;
constexpr double kTrialsSeconds = 81.09e-3;
constexpr double kStudyWork = 30.0 * 49 * 148 * 148 * 1024 * 1024 / 1e9;
constexpr double kStudySeconds = 30 * 60;
constexpr double kStudyCpuSeconds = 5.0 * 24 * 3600;

/// Trials of two signals, as parts of the largest number and length.
struct Part {
    std::size_t ofTrials;
    std::size_t ofSamples;
};
constexpr std::size_t kTrials = 50;
constexpr Part kWhole[] = {{1, 1}};
constexpr Part kLengthsOfOne[] = {{kTrials, 1}, {kTrials, 2}, {kTrials, 4}, {kTrials, 8}};
constexpr Part kParts[] = {{1, 1}, {2, 1}, {4, 1}, {1, 2}, {1, 4}, {1, 8}};

EpochExtents extentsOf(const Part& part, Scale scale) {
    const Part largest = scale == Scale::Quick ? Part{8, 1024} : Part{kTrials, 8192};
    return {2, largest.ofSamples / part.ofSamples,
            std::max<std::size_t>(largest.ofTrials / part.ofTrials, 1)};
}

/// Each method, backend and variant ("default": the backend's own choice), on each problem. Keys: "cuda
/// shifted 0". `seconds`: what the paper prints of the first ones, 0 for nothing.
std::vector<PublishedRow> rowsOf(std::initializer_list<const char*> methods, std::size_t problems = 1,
                                 int threads = 0, const std::vector<double>& seconds = {},
                                 double work = kTrialsWork) {
    std::vector<PublishedRow> rows;
    for (const char* method : methods)
        for (std::size_t problem = 0; problem < problems; ++problem) {
            PublishedRow& row = rows.emplace_back(study::rowOf(method, "float32"));
            row.problem = problem;
            row.threads = threads;
            row.key = fmt::format("{} {}", method, problem);
            if (rows.size() <= seconds.size()) row.paperSeconds = seconds[rows.size() - 1];
            if (row.paperSeconds > 0) row.paperWork = work;
        }
    return rows;
}

std::vector<Claim> sweepClaims(Scale scale) {
    std::vector<Claim> claims;
    for (const Part& part : kLengthsOfOne) {
        const std::size_t k = claims.size();
        claims.push_back(faster(fmt::format("C(2) is 1.5 × as fast as C(1), {} samples",
                                            formatCount(extentsOf(part, scale).samples)),
                                "Fig. 4", fmt::format("reference paper-two-sweeps {}", k),
                                fmt::format("reference paper-one-sweep {}", k), "1.5 ×", 1.25,
                                "compilers of today turn both loops into vectors, not equally well", 1.75));
    }
    return claims;
}

std::vector<Claim> kernelClaims(Scale) {
    constexpr const char* kCaches = "caches of today serve partners as fast as shared memory does";
    return {faster("a halo in shared memory saves 30 % of the time of registers", "Fig. 5",
                   "cuda registers 0", "cuda halo 0", "1.43 ×", 1.25, kCaches),
            faster("shifted copies save 43 % of the time of registers", "Fig. 5", "cuda registers 0",
                   "cuda shifted 0", "1.75 ×", 1.5, kCaches),
            faster("shifted copies save more than a halo", "Fig. 5", "cuda halo 0", "cuda shifted 0",
                   "1.23 ×", 1, "what is special at the halo costs next to nothing today")};
}

constexpr std::initializer_list<const char*> kGrowing{"cuda shifted", "gl packed", "cpu merged"};
std::vector<Claim> growthClaims(Scale) {
    std::vector<Claim> claims;
    for (const char* method : kGrowing) {
        const auto add = [&](const char* growth, const char* dimension, double power,
                             std::initializer_list<int> problems) {
            study::Exponent exponent{.rows = {}, .dimension = dimension};
            for (const int problem : problems) exponent.rows.push_back(fmt::format("{} {}", method, problem));
            claims.push_back({fmt::format("{}: time grows {}", method, growth), "Fig. 6", std::move(exponent),
                              fmt::format("{}", power), power - 0.2, power + 0.2,
                              "the smaller sizes do not fill a device of today"});
        };
        add("linearly with the number of trials", "epochs", 1, {0, 1, 2});
        add("quadratically with their length", "samples", 2, {0, 3, 4, 5});
    }
    return claims;
}

struct Cores {
    const char* name;
    int count;
    double milliseconds;
    const char* factor;
    double low;  ///< four fifths of the factor
};
constexpr Cores kCores[] = {{"6 cores", 6, 20787.24, "256 ×", 205},
                            {"4 cores", 4, 30354.38, "374 ×", 299},
                            {"2 cores", 2, 60114.64, "741 ×", 593},
                            {"1 core", 1, 121076.80, "1493 ×", 1194}};
std::vector<PublishedRow> coreRows() {
    auto rows = rowsOf({"cuda shifted", "cuda default", "gl default", "cpu default"}, 1, 0, {kTrialsSeconds});
    for (const Cores& cores : kCores) {
        rows.push_back(rowsOf({"cpu merged"}, 1, cores.count, {cores.milliseconds / 1e3}).front());
        rows.back().method = rows.back().key = cores.name;
    }
    return rows;
}
std::vector<Claim> coreClaims(Scale) {
    std::vector<Claim> claims;
    for (const Cores& cores : kCores)
        claims.push_back(faster(fmt::format("the GPU is {} as fast as {}", cores.factor, cores.name),
                                "Table 1", cores.name, "cuda shifted 0", cores.factor, cores.low,
                                "the paper's loop takes 96 cycles for a comparison; a core of today makes "
                                "several in one, in vectors"));
    return claims;
}

std::vector<Claim> studyClaims(Scale scale) {
    std::vector<Claim> claims{faster("30 minutes on the GPU are 5 days on six cores", "section 4.2",
                                     "cpu default 0", "cuda default 0", "240 ×", 192,
                                     "the processor's own choice does not compare all pairs of samples")};
    if (scale == Scale::Published)
        claims.push_back({"the study takes a GPU 30 minutes", "section 4.2", study::Seconds{"cuda default 0"},
                          "30 min", std::nullopt, kStudySeconds});
    return claims;
}
/// The parts of trials of white noise; the study where there are none.
Problems problemsOf(std::span<const Part> parts, Scale scale, std::uint64_t seed) {
    Problems problems;
    for (const Part& part : parts) {
        const EpochExtents extents = extentsOf(part, scale);
        PairInput input{.name = fmt::format("{} × {}", extents.epochs, formatCount(extents.samples))};
        input.epochs = randomEpochs({.kind = SignalKind::White, .coupling = 0}, extents, seed);
        problems.push_back(pairProblem(std::move(input), seed));
    }
    if (!parts.empty()) return problems;
    StudyPlan plan{.seed = seed};
    if (scale == Scale::Quick) plan.subjects = 1;
    if (scale == Scale::Quick) plan.extents.epochs = 2;
    problems.push_back(studyProblem(plan));
    return problems;
}

PublishedFigure figureOf(const char* id, const char* title, const std::string& about,
                         std::span<const Part> parts, std::vector<PublishedRow> rows,
                         std::vector<Claim> (*claims)(Scale)) {
    const std::string aboutTrials =
        " A trial is two signals, white noise here: one sweep of N² comparisons in the paper, four ordered "
        "pairs here (both directions, each signal with itself), 4 N².";
    const std::string aboutAll =
        " Paper: GeForce GTX 580, Xeon X5660 2.66 GHz with six cores, float32. Here: z-scored, m = 1, r = "
        "0.2, from normalised signals in memory to match statistics in memory. Rates are brute-force "
        "equivalents where a variant takes fewer comparisons.";
    const bool isStudy = parts.empty();
    return {
        .id = id,
        .title = title,
        .source =
            "M. Martínez-Zarzuela et al., Cross-Approximate Entropy parallel computation on GPUs for "
            "biomedical signal analysis, Computer Methods and Programs in Biomedicine 112 (2013), 189–199",
        .about = about + (isStudy ? "" : aboutTrials) + aboutAll,
        .quick = isStudy ? "1 subject, 2 epochs" : "8 trials of 1,024 samples, or parts of them",
        .sizeLabel = isStudy ? "subjects × epochs × channels × samples" : "epochs × channels × samples",
        .rateUnit = "G/s",
        .problems = [parts](Scale scale, std::uint64_t seed,
                            Progress&) { return problemsOf(parts, scale, seed); },
        .rows = [rows = std::move(rows)](Scale) { return rows; },
        .claims = claims};
}

}  // namespace

std::vector<PublishedFigure> publishedFigures() {
    std::vector<PublishedFigure> figures{
        figureOf("crossapen-figure-4", "Figure 4: one sweep instead of two, one thread",
                 "C(2), which counts matches of both lengths in one sweep, takes two thirds of the time of "
                 "C(1), which takes two; the paper prints no times. Nothing but each other is compared with "
                 "these loops.",
                 kLengthsOfOne,
                 rowsOf({"reference paper-two-sweeps", "reference paper-one-sweep", "cpu merged"},
                        std::size(kLengthsOfOne), 1),
                 sweepClaims),
        figureOf("crossapen-figure-5", "Figure 5: brute force on many trials in one launch",
                 "50 trials of 8192 samples: halo and shifted take 30 % and 43 % less time than registers. "
                 "The time of shifted stands in Table 1. Brute force of the other backends stands beside the "
                 "paper's kernels.",
                 kWhole,
                 rowsOf({"cuda shifted", "cuda registers", "cuda halo", "cuda diagonal", "gl scalar",
                         "gl packed", "cpu merged"},
                        1, 0, {kTrialsSeconds}),
                 kernelClaims),
        figureOf("crossapen-figure-6", "Figure 6: time over trials and over length",
                 "Linear in the number of trials, quadratic in their length; the paper prints no times.",
                 kParts, rowsOf(kGrowing, std::size(kParts)), growthClaims),
        figureOf("crossapen-table-1", "Table 1: processors and graphics",
                 "50 epochs of 8192 samples: the GPU is 256, 374, 741 and 1493 × as fast as 6, 4, 2 and 1 "
                 "cores, whose loop takes 96 cycles for a comparison. Each backend also runs what it chooses "
                 "by itself, which does not compare all pairs of samples.",
                 kWhole, coreRows(), coreClaims),
        figureOf("crossapen-study", "The study: all channel pairs of all subjects",
                 "Section 4.2: 30 subjects, 49 epochs of 148 channels and 1024 samples, 3.38e13 comparisons: "
                 "30 minutes on the GPU, 5 days on six cores. Signals like EEG, generated subject by subject "
                 "beside the time that is measured; each backend's own choice.",
                 {},
                 rowsOf({"cpu default", "gl default", "cuda default"}, 1, 0,
                        {kStudyCpuSeconds, 0, kStudySeconds}, kStudyWork),
                 studyClaims)};
    figures.front().untested = {
        {"a basic Matlab implementation is 90 times slower than C(1)", "there is no Matlab here"}};
    return figures;
}

}  // namespace glycine::crossapen
