#include <fmt/format.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/algorithms/crossapen/study/crossapen_subject.hpp"
#include "engine/algorithms/crossapen/study/pair_problem.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::crossapen {

namespace {

using study::Claim;
using study::Exponent;
using study::PublishedFigure;
using study::PublishedRow;
using study::Ratio;
using study::Scale;

// Table 1: 50 epochs of 8192 samples; section 4.2: the study. Work in 10⁹ comparisons.
constexpr double kPaperTrials = 50.0 * 8192 * 8192 / 1e9;
constexpr double kPaperGpuSeconds = 81.09e-3;
constexpr double kPaperStudy = 30.0 * 49 * 148 * 148 * 1024 * 1024 / 1e9;
constexpr double kPaperStudySeconds = 30 * 60;
constexpr double kPaperStudyCpuSeconds = 5.0 * 24 * 3600;

/// Trials of two signals.
struct Trials {
    std::size_t trials;
    std::size_t samples;
};
using Shapes = std::vector<Trials> (*)(Scale);
using Problems = std::vector<std::unique_ptr<study::Problem>>;

Trials trialsAt(Scale scale) {
    return scale == Scale::Published ? Trials{50, 8192} : Trials{8, 1024};
}
std::vector<Trials> allTrials(Scale scale) {
    return {trialsAt(scale)};
}
std::vector<Trials> lengthsOfOne(Scale scale) {
    const std::size_t samples = trialsAt(scale).samples;
    return {{1, samples}, {1, samples / 2}, {1, samples / 4}, {1, samples / 8}};
}
/// All, then parts of the trials, then parts of the length.
std::vector<Trials> partsOfTrials(Scale scale) {
    const auto [trials, samples] = trialsAt(scale);
    return {{trials, samples},     {trials / 2, samples}, {trials / 4, samples},
            {trials, samples / 2}, {trials, samples / 4}, {trials, samples / 8}};
}

/// Each method, backend and variant ("default": the backend's own choice), on each problem. Keys: "cuda
/// shifted 0".
std::vector<PublishedRow> rowsOf(std::initializer_list<std::string> methods, std::size_t problems = 1) {
    std::vector<PublishedRow> rows;
    for (const std::string& method : methods)
        for (std::size_t problem = 0; problem < problems; ++problem) {
            PublishedRow& row = rows.emplace_back(PublishedRow{.method = method, .problem = problem});
            row.configuration.backend = method.substr(0, method.find(' '));
            row.configuration.variant = method.substr(method.find(' ') + 1);
            row.configuration.numberFormat = "float32";
            row.key = fmt::format("{} {}", method, problem);
        }
    return rows;
}
void setPaper(PublishedRow& row, double seconds, double work) {
    row.paperSeconds = seconds;
    row.paperWork = work;
}

/// `slow` takes at least `low` times as long as `fast`.
Claim faster(std::string text, const char* place, std::string slow, std::string fast, const char* paper,
             double low, const char* otherwise) {
    Claim claim{std::move(text), place, Ratio{std::move(slow), std::move(fast)}, paper};
    claim.low = low;
    claim.otherwise = otherwise;
    return claim;
}

PublishedFigure figureOf(const char* id, const char* title, const std::string& about) {
    PublishedFigure figure;
    figure.id = id;
    figure.title = title;
    figure.source =
        "M. Martínez-Zarzuela et al., Cross-Approximate Entropy parallel computation on GPUs for biomedical "
        "signal analysis, Computer Methods and Programs in Biomedicine 112 (2013), 189–199";
    figure.about = about +
                   " Paper: GeForce GTX 580, Xeon X5660 2.66 GHz with six cores, float32. Here: z-scored, m "
                   "= 1, r = 0.2, "
                   "from normalised signals in memory to match statistics in memory. Rates are brute-force "
                   "equivalents where a "
                   "variant takes fewer comparisons.";
    figure.rateUnit = "G/s";
    return figure;
}

/// One of trials, a problem for each shape.
PublishedFigure trialFigure(const char* id, const char* title, const std::string& about, Shapes shapes) {
    PublishedFigure figure = figureOf(id, title,
                                      about +
                                          " A trial is two signals, white noise here: one sweep of N² "
                                          "comparisons in the paper, four ordered "
                                          "pairs here (both directions, each signal with itself), 4 N².");
    figure.quick = "8 trials of 1,024 samples, or parts of them";
    figure.sizeLabel = "epochs × channels × samples";
    figure.problems = [shapes](Scale scale, std::uint64_t seed, Progress&) {
        Problems problems;
        for (const Trials& shape : shapes(scale)) {
            PairInput input;
            input.name = fmt::format("{} × {}", shape.trials, formatCount(shape.samples));
            input.epochs = randomEpochs({.kind = SignalKind::White, .coupling = 0},
                                        {2, shape.samples, shape.trials}, seed);
            problems.push_back(pairProblem(std::move(input), seed));
        }
        return problems;
    };
    return figure;
}

PublishedFigure figure4() {
    PublishedFigure figure =
        trialFigure("crossapen-figure-4", "Figure 4: one sweep instead of two, one thread",
                    "C(2), which counts matches of both lengths in one sweep, takes two thirds of the time "
                    "of C(1), which takes "
                    "two; the paper prints no times. Nothing but each other is compared with these loops.",
                    lengthsOfOne);
    figure.rows = [](Scale scale) {
        auto rows = rowsOf({"reference paper-two-sweeps", "reference paper-one-sweep", "cpu merged"},
                           lengthsOfOne(scale).size());
        for (PublishedRow& row : rows) row.threads = 1;
        return rows;
    };
    figure.claims = [](Scale scale) {
        std::vector<Claim> claims;
        for (const Trials& shape : lengthsOfOne(scale)) {
            const std::size_t problem = claims.size();
            claims.push_back(
                faster(fmt::format("C(2) is 1.5 × as fast as C(1), {} samples", formatCount(shape.samples)),
                       "Fig. 4", fmt::format("reference paper-two-sweeps {}", problem),
                       fmt::format("reference paper-one-sweep {}", problem), "1.5 ×", 1.25,
                       "compilers of today turn both loops into vectors, not equally well"));
            claims.back().high = 1.75;
        }
        return claims;
    };
    figure.untested = {
        {"a basic Matlab implementation is 90 times slower than C(1)", "there is no Matlab here"}};
    return figure;
}

PublishedFigure figure5() {
    PublishedFigure figure =
        trialFigure("crossapen-figure-5", "Figure 5: brute force on many trials in one launch",
                    "50 trials of 8192 samples: halo and shifted take 30 % and 43 % less time than "
                    "registers. The time of shifted "
                    "stands in Table 1. Brute force of the other backends stands beside the paper's kernels.",
                    allTrials);
    figure.rows = [](Scale) {
        auto rows = rowsOf({"cuda shifted", "cuda registers", "cuda halo", "cuda diagonal", "gl scalar",
                            "gl packed", "cpu merged"});
        setPaper(rows.front(), kPaperGpuSeconds, kPaperTrials);
        return rows;
    };
    figure.claims = [](Scale) -> std::vector<Claim> {
        constexpr const char* kCaches = "caches of today serve partners as fast as shared memory does";
        return {faster("a halo in shared memory saves 30 % of the time of registers", "Fig. 5",
                       "cuda registers 0", "cuda halo 0", "1.43 ×", 1.25, kCaches),
                faster("shifted copies save 43 % of the time of registers", "Fig. 5", "cuda registers 0",
                       "cuda shifted 0", "1.75 ×", 1.5, kCaches),
                faster("shifted copies save more than a halo", "Fig. 5", "cuda halo 0", "cuda shifted 0",
                       "1.23 ×", 1, "what is special at the halo costs next to nothing today")};
    };
    return figure;
}

PublishedFigure figure6() {
    PublishedFigure figure =
        trialFigure("crossapen-figure-6", "Figure 6: time over trials and over length",
                    "Linear in the number of trials, quadratic in their length; the paper prints no times.",
                    partsOfTrials);
    figure.rows = [](Scale scale) {
        return rowsOf({"cuda shifted", "gl packed", "cpu merged"}, partsOfTrials(scale).size());
    };
    figure.claims = [](Scale) {
        std::vector<Claim> claims;
        const auto add = [&claims](const char* method, const char* growth, const char* dimension,
                                   double power, std::initializer_list<std::size_t> problems) {
            Exponent exponent{.rows = {}, .dimension = dimension};
            for (const std::size_t problem : problems)
                exponent.rows.push_back(fmt::format("{} {}", method, problem));
            Claim& claim =
                claims.emplace_back(Claim{fmt::format("{}: time grows {}", method, growth), "Fig. 6",
                                          std::move(exponent), fmt::format("{}", power)});
            claim.low = power - 0.2;
            claim.high = power + 0.2;
            claim.otherwise = "the smaller sizes do not fill a device of today";
        };
        for (const char* method : {"cuda shifted", "gl packed", "cpu merged"}) {
            add(method, "linearly with the number of trials", "epochs", 1, {0, 1, 2});
            add(method, "quadratically with their length", "samples", 2, {0, 3, 4, 5});
        }
        return claims;
    };
    return figure;
}

PublishedFigure table1() {
    PublishedFigure figure = trialFigure("crossapen-table-1", "Table 1: processors and graphics",
                                         "50 epochs of 8192 samples: the GPU is 256, 374, 741 and 1493 × as "
                                         "fast as 6, 4, 2 and 1 cores, whose loop "
                                         "takes 96 cycles for a comparison. Each backend also runs what it "
                                         "chooses by itself, which does not compare "
                                         "all pairs of samples.",
                                         allTrials);
    struct Cores {
        int count;
        double milliseconds;
        const char* factor;
        double low;  ///< four fifths of the factor
        std::string name() const { return count == 1 ? "1 core" : fmt::format("{} cores", count); }
    };
    static constexpr Cores kCores[] = {{6, 20787.24, "256 ×", 205},
                                       {4, 30354.38, "374 ×", 299},
                                       {2, 60114.64, "741 ×", 593},
                                       {1, 121076.80, "1493 ×", 1194}};
    figure.rows = [](Scale) {
        auto rows = rowsOf({"cuda shifted", "cuda default", "gl default", "cpu default"});
        setPaper(rows.front(), kPaperGpuSeconds, kPaperTrials);
        for (const Cores& cores : kCores) {
            PublishedRow& row = rows.emplace_back(rowsOf({"cpu merged"}).front());
            setPaper(row, cores.milliseconds / 1e3, kPaperTrials);
            row.threads = cores.count;
            row.method = row.key = cores.name();
        }
        return rows;
    };
    figure.claims = [](Scale) {
        std::vector<Claim> claims;
        for (const Cores& cores : kCores)
            claims.push_back(faster(fmt::format("the GPU is {} as fast as {}", cores.factor, cores.name()),
                                    "Table 1", cores.name(), "cuda shifted 0", cores.factor, cores.low,
                                    "the paper's loop takes 96 cycles for a comparison; a core of today "
                                    "makes several in one, in vectors"));
        return claims;
    };
    return figure;
}

PublishedFigure studyFigure() {
    PublishedFigure figure = figureOf("crossapen-study", "The study: all channel pairs of all subjects",
                                      "Section 4.2: 30 subjects, 49 epochs of 148 channels and 1024 samples, "
                                      "3.38e13 comparisons: 30 minutes on "
                                      "the GPU, 5 days on six cores. Signals like EEG, generated subject by "
                                      "subject beside the time that is "
                                      "measured; each backend's own choice.");
    figure.quick = "1 subject, 2 epochs";
    figure.sizeLabel = "subjects × epochs × channels × samples";
    figure.problems = [](Scale scale, std::uint64_t seed, Progress&) {
        StudyPlan plan;
        plan.seed = seed;
        if (scale == Scale::Quick) plan.subjects = 1;
        if (scale == Scale::Quick) plan.extents.epochs = 2;
        Problems problems;
        problems.push_back(studyProblem(plan));
        return problems;
    };
    figure.rows = [](Scale) {
        auto rows = rowsOf({"cpu default", "gl default", "cuda default"});
        setPaper(rows.front(), kPaperStudyCpuSeconds, kPaperStudy);
        setPaper(rows.back(), kPaperStudySeconds, kPaperStudy);
        return rows;
    };
    figure.claims = [](Scale scale) {
        std::vector<Claim> claims{faster("30 minutes on the GPU are 5 days on six cores", "section 4.2",
                                         "cpu default 0", "cuda default 0", "240 ×", 192,
                                         "the processor's own choice does not compare all pairs of samples")};
        if (scale == Scale::Quick) return claims;
        claims.push_back(
            {"the study takes a GPU 30 minutes", "section 4.2", study::Seconds{"cuda default 0"}, "30 min"});
        claims.back().high = kPaperStudySeconds;
        return claims;
    };
    return figure;
}

}  // namespace

std::vector<PublishedFigure> publishedFigures() {
    return {figure4(), figure5(), figure6(), table1(), studyFigure()};
}

}  // namespace glycine::crossapen
