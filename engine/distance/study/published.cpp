#include "engine/distance/input/random_data_set.hpp"
#include "engine/distance/study/distance_problem.hpp"

namespace glycine::distance {

namespace {

using study::Claim;
using study::Problem;
using study::PublishedRow;
using study::Scale;

// Sinnott-Armstrong et al. 2010, "Empirical runtime analysis" and figure 4.
constexpr double kPaperWork = 112.0 * 112 * 512 / 1e9;

/// The data sets of the figure as one problem: its times are means.
std::vector<std::unique_ptr<Problem>> makeProblems(Scale scale, std::uint64_t seed, Progress&) {
    StudyInputs inputs;
    for (std::size_t set = 0; set < (scale == Scale::Published ? 25 : 5); ++set)
        inputs.push_back(std::make_shared<StudyInput>(
            randomDataSet({.size = {112, 512}, .uniform = true, .seed = seed + set})));
    PairQuestion question = questionFor(inputs.front()->data(), Measure::Mismatch);
    std::vector<std::unique_ptr<Problem>> problems;
    problems.push_back(pairProblem(std::move(inputs), std::move(question)));
    return problems;
}

PublishedRow row(const char* what, double paperMilliseconds = 0, const char* method = nullptr) {
    PublishedRow row = study::rowOf(what, "counts");
    if (method != nullptr) row.method = row.key = method;
    row.paperSeconds = paperMilliseconds / 1e3;
    row.paperWork = kPaperWork;
    row.stage = "compute";
    return row;
}

/// The paper's methods, then our own.
std::vector<PublishedRow> makeRows(Scale) {
    return {row("reference paper-loop", 44865, "CPU loop"),
            row("cuda naive", 2140, "naive"),
            row("cuda coalesced", 1766, "coalesced"),
            row("cuda char4", 1784, "char4"),
            row("cuda register", 683, "register"),
            row("cuda shared", 26, "shared"),
            row("cpu bitplane"),
            row("gl scalar"),
            row("gl packed"),
            row("gl bits"),
            row("cuda bitplane"),
            row("cuda bittensor"),
            row("cuda tensor")};
}

std::vector<Claim> makeClaims(Scale) {
    constexpr const char* kLaunch =
        "an atomic addition is cheap today; what is left at this size is the start of 12,544 blocks";
    constexpr const char* kBaseline =
        "the paper's CPU time is not credible as a baseline: 44,865 ms for 112 · 112 · 512 comparisons are "
        "6.99 "
        "µs for each, some 18,600 cycles of its 2.66 GHz processor. Factors against the CPU follow from it; "
        "the "
        "order of the kernels does not";
    const auto faster = [](const char* text, const char* slow, const char* fast, const char* paper,
                           double low, const char* otherwise) {
        return study::faster(text, "Empirical runtime analysis, figure 4", slow, fast, paper, low, otherwise);
    };
    return {
        faster("the naive kernel is faster than the CPU", "CPU loop", "naive", "20 ×", 1, kBaseline),
        faster("coalesced reads of global memory save time", "naive", "coalesced", "1.21 ×", 1, kLaunch),
        faster("characters cost some for contention", "char4", "coalesced", "1.01 ×", 1, kLaunch),
        faster("registers more than make up for it", "coalesced", "register", "2.59 ×", 1, kLaunch),
        faster("the kernel without global atomics is the fastest", "register", "shared", "26.3 ×", 1,
               kLaunch),
        faster("it is 1,700 times faster than the CPU", "CPU loop", "shared", "1,726 ×", 1000, kBaseline)};
}

}  // namespace

study::PublishedFigure publishedFigure() {
    return {.id = "allpairs-figure-4",
            .title = "Figure 4: execution times of the all-pairs distance calculation",
            .source =
                "N. A. Sinnott-Armstrong et al., Exploiting Graphics Processing Units for Computational "
                "Biology and Bioinformatics, Interdisciplinary Sciences 2 (2010), 213–220",
            .about =
                "Mean times of 25 random data sets, 112 instances × 512 attributes, 0, 1, 2 with equal "
                "probability, on a GeForce 9600M GT and a Core 2 Duo 2.66 GHz. Here: the counting alone, "
                "operands on the device, until it is idle, mean over the data sets; all pairs are compared. "
                "The CPU loop (one thread) and the published kernels go through N × N pairs, Glycine's own "
                "variants through each pair once.",
            .quick = "5 data sets",
            .sizeLabel = "instances × attributes",
            .rateUnit = "G/s",
            .problems = makeProblems,
            .rows = makeRows,
            .claims = makeClaims};
}

}  // namespace glycine::distance
