#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>

#include "engine/mutualinfo/study/information_problem.hpp"

namespace glycine::mutualinfo {

namespace {

using study::Claim;
using study::Growth;
using study::PublishedFigure;
using study::PublishedRow;
using study::Ratio;
using study::Scale;
constexpr std::nullopt_t kNoLimit = std::nullopt;
using Problems = std::vector<std::unique_ptr<study::Problem>>;

/// A column or row of tables 2 to 4.
struct Case {
    std::string key;  ///< of a data set, as in table 1
    std::size_t genes, samples;
    SplineOptions splines{};
};
using Cases = std::vector<Case>;
const Cases kDataSets{{"S 2000_1000", 2000, 1000},
                      {"nasc 2048_2996", 2048, 2996},
                      {"nne 4096_911", 4096, 911},
                      {"S 10000_4000", 10000, 4000}};

std::string keyOf(std::size_t bins, std::size_t order = 3) {
    return fmt::format("R {} k {}", bins, order);
}
constexpr std::size_t kBins[] = {10, 15, 20};
constexpr std::size_t kOrders[] = {3, 4, 5};
Cases casesOfSplines(std::span<const std::size_t> orders) {
    Cases cases;
    for (const std::size_t bins : kBins)
        for (const std::size_t order : orders)
            cases.push_back({keyOf(bins, order), 4096, 911, {.bins = bins, .order = order}});
    return cases;
}

/// Two problems a case: all genes, and the first of them, which stand for all for gl and for MIBE's stand-in.
Problems problemsOf(const Cases& cases, Work work, Scale scale, std::uint64_t seed) {
    Problems problems;
    const bool isQuick = scale == Scale::Quick;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<StudyExpression>> made;  // by their sizes
    for (const Case& one : cases) {
        const std::size_t genes = one.genes / (isQuick ? 16 : 1);
        const std::size_t samples = one.samples / (isQuick ? 4 : 1);
        for (const std::size_t count : {genes, std::min(genes, std::size_t{512})}) {
            auto& expression = made[{count, samples}];
            if (!expression)
                expression = std::make_shared<StudyExpression>(StudyExpression{
                    .values = randomExpression({.genes = count, .samples = samples, .seed = seed}),
                    .description = "generated"});
            problems.push_back(informationProblem(expression, one.splines, kCheckedGenes, seed, work));
        }
    }
    return problems;
}

/// `stages` of CUDAMI; the others as a whole.
std::vector<PublishedRow> rowsOf(const Cases& cases, std::span<const char* const> stages, Scale scale) {
    std::vector<PublishedRow> rows;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::string& key = cases[i].key;
        rows.push_back(
            study::rowOf("cpu grouped", "float64", 2 * i + 1, "MIBE " + key, scale == Scale::Quick ? 2 : 4));
        for (const char* stage : stages)
            rows.push_back(study::rowOf("cuda cudami", "float64", 2 * i, "CUDAMI " + key, 0, stage));
        rows.push_back(study::rowOf("cuda gemm", "float64", 2 * i, "cuda gemm " + key));
        rows.push_back(study::rowOf("gl blocked", "float32", 2 * i + 1, "gl blocked " + key));
    }
    return rows;
}
Ratio speedUp(const std::string& key) {
    return {"MIBE " + key, "CUDAMI " + key, true};
}

constexpr const char* kProcessorToday =
    "the processor's program of today takes k · R products a sample, not R², and many of them at once";

constexpr const char* kTransfers[] = {"", "compute", "upload+download"};
std::vector<Claim> timeClaims(Scale) {
    constexpr const char* kPlace = "Results, table 2";
    constexpr const char* kFull = "both sizes fill a device of today, or none does";
    const std::string smallest = kDataSets[0].key;
    const std::string largest = kDataSets[3].key;
    const std::string cudami = "CUDAMI ";
    return {{"CUDAMI is up to 82 × as fast as MIBE with four threads", kPlace, speedUp(largest), "82 ×", 65.6,
             kNoLimit, kProcessorToday},
            {"the speed-up is larger for more genes and measurements", kPlace,
             Growth{speedUp(largest), speedUp(smallest)}, "larger", 1.05, kNoLimit, kFull},
            {"the kernels' overhead weighs less for larger data: a pair and sample take less time", kPlace,
             Ratio{cudami + smallest, cudami + largest, true}, "less", 1.05, kNoLimit, kFull},
            {"the computation can hide all transfers: they take less time", "Partitioning",
             Ratio{cudami + largest + " upload+download", cudami + largest + " compute"}, "less", kNoLimit, 1,
             "kernels are faster now, the bus to the host less so"}};
}

std::vector<Claim> parameterClaims(Scale) {
    std::vector<Claim> claims;
    const auto add = [&](const char* text, const std::string& of, const std::string& over, const char* paper,
                         double low, std::optional<double> high = {}) {
        claims.push_back({fmt::format("{}: {} over {}", text, of, over), "table 3",
                          Growth{speedUp(of), speedUp(over)}, paper, low, high, kProcessorToday});
    };
    for (const std::size_t bins : kBins)
        add("the speed-up hardly changes with the order", keyOf(bins, 5), keyOf(bins), "about the same", 0.8,
            1.25);
    for (const std::size_t order : kOrders)
        add("the speed-up grows with the bins", keyOf(20, order), keyOf(10, order), "larger", 1.1);
    return claims;
}

constexpr const char* kAllKernels = "weights+scan+self+joint";
constexpr const char* kKernels[] = {"scan", kAllKernels, "joint"};
std::vector<Claim> profileClaims(Scale) {
    constexpr const char* kCaches = "caches that a GPU did not have then serve the scan of a pair";
    const auto key = [](std::size_t bins, const char* stage) {
        return fmt::format("CUDAMI {} {}", keyOf(bins), stage);
    };
    const auto share = [&](std::size_t bins, const char* kernel) {
        return Ratio{key(bins, kernel), key(bins, kAllKernels)};
    };
    std::vector<Claim> claims;
    const auto addShare = [&](const char* text, std::size_t bins, const char* kernel, double paper) {
        claims.push_back({fmt::format("{} of the time, {} bins", text, bins), "figure 6, table 4",
                          share(bins, kernel), fmt::format("{} ×", paper), paper - 0.06, paper + 0.06,
                          kCaches});
    };
    addShare("kernel 4 takes 61.39 %", 10, "joint", 0.6139);
    addShare("kernel 4 takes 71.9 %", 15, "joint", 0.719);
    addShare("kernel 4 takes 79.38 %", 20, "joint", 0.7938);
    addShare("kernel 2 takes 31.93 %", 10, "scan", 0.3193);
    claims.push_back({"kernel 4 takes a larger share of 20 bins than of 10", "table 4",
                      Growth{share(20, "joint"), share(10, "joint")}, "1.29 ×", 1.02, kNoLimit, kCaches});
    for (const std::size_t bins : {15U, 20U})
        claims.push_back(
            {fmt::format("kernel 4 makes more products a second of {} bins than of {}", bins, bins - 5),
             "table 4", Ratio{key(bins - 5, "joint"), key(bins, "joint"), true}, "more", 1.02, kNoLimit,
             "larger blocks leave more of a multiprocessor idle at their ends"});
    return claims;
}

constexpr std::size_t kSamples[] = {500, 900, 1200};

Problems networkProblems(Scale scale, std::uint64_t seed, Progress& progress) {
    const SimulatedNetwork network =
        simulateNetwork({.genes = scale == Scale::Quick ? 100U : 250U, .seed = seed});
    const auto truth = std::make_shared<TruePairs>(truePairsOf(network));
    Problems problems;
    for (const std::size_t samples : kSamples) {
        const auto expression = std::make_shared<StudyExpression>(StudyExpression{
            .values = simulateExpression(network, {.samples = samples, .seed = seed}, progress)});
        const auto add = [&](const char* method, const SplineOptions& splines, NullModel null) {
            problems.push_back(
                networkProblem({method,
                                expression,
                                truth,
                                {.information = {.splines = withImplied(splines)}, .null = null}}));
        };
        add("ARACNE", {.estimator = Estimator::Bins}, NullModel::Aracne);
        add("TINGe", {.transform = Transform::Ordinals}, NullModel::Analytic);
        add("CARACNE", {}, NullModel::Aracne);
    }
    return problems;
}
std::vector<PublishedRow> networkRows(Scale scale) {
    std::vector<PublishedRow> rows;
    for (std::size_t i = 0; i < std::size(kSamples); ++i) {
        const std::string samples = fmt::format(" {}", kSamples[i]);
        rows.push_back(study::rowOf("cpu grouped", "float64", 3 * i, "ARACNE" + samples, 1));
        rows.push_back(study::rowOf("cpu grouped", "float64", 3 * i + 1, "TINGe" + samples,
                                    scale == Scale::Quick ? 2 : 4));
        rows.push_back(study::rowOf("cuda cudami", "float64", 3 * i + 2, "CARACNE" + samples));
        rows.push_back(study::rowOf("gl blocked", "float32", 3 * i + 2, "CARACNE, gl" + samples));
        rows.push_back(study::rowOf("cpu grouped", "float64", 3 * i + 2, "CARACNE, cpu" + samples));
    }
    return rows;
}
std::vector<Claim> networkClaims(Scale) {
    const auto rowsOf = [](const std::string& method) {
        std::vector<std::string> keys;
        for (const std::size_t samples : kSamples) keys.push_back(fmt::format("{} {}", method, samples));
        return keys;
    };
    std::vector<Claim> claims;
    for (const std::string other : {"ARACNE", "TINGe"}) {
        for (const std::string measure : {"sensitivity", "specificity", "precision"})
            claims.push_back(
                {"CARACNE has a higher " + measure + " than " + other, "table 5",
                 study::ScoreRatio{measure, rowsOf("CARACNE, cpu"), rowsOf(other)}, "higher", 1, kNoLimit,
                 "values fill the bins unevenly; of ranks, as in TINGe, the same splines do better"});
        claims.push_back(study::faster("CARACNE takes less time than " + other, "table 5", other + " 1200",
                                       "CARACNE 1200", "less", 1, "so few leave a device idle"));
    }
    return claims;
}

PublishedFigure figureOf(PublishedFigure figure) {
    figure.source =
        "H. Shi, B. Schmidt, W. Liu, W. Müller-Wittig, Parallel mutual information estimation for inferring "
        "gene regulatory networks on GPUs, BMC Research Notes 4:189 (2011)";
    figure.about +=
        " Paper: Tesla C2050, i7 920, float64. What its tables print is not at hand: its text is judged.";
    figure.sizeLabel = "genes × samples";
    return figure;
}
/// Tables 2 to 4.
PublishedFigure timesOf(PublishedFigure figure, const Cases& cases, std::span<const char* const> stages,
                        Work work = Work::Samples) {
    figure.about +=
        " Expression of these sizes is generated. MIBE is not at hand: cpu grouped, four threads, stands for "
        "it, on the first 512 genes, and is compared by its work a second.";
    figure.problems = [cases, work](Scale scale, std::uint64_t seed, Progress&) {
        return problemsOf(cases, work, scale, seed);
    };
    figure.rows = [cases, stages](Scale scale) { return rowsOf(cases, stages, scale); };
    return figureOf(std::move(figure));
}

}  // namespace

std::vector<PublishedFigure> publishedFigures() {
    constexpr const char* kQuickNne = "256 genes, 227 samples, two threads";
    static constexpr const char* kWhole[] = {""};
    return {
        timesOf(
            {.id = "cudami-table-2",
             .title = "Table 2: times of MIBE and CUDAMI on the data sets of table 1",
             .about = "Four of the sets, the largest included; 10 bins, order 3.",
             .quick = "a sixteenth of the genes, a quarter of the samples, two threads",
             .claims = timeClaims,
             .untested = {{"data that do not fit are cut (Partitioning)", "all fit today; tests cut them"},
                          {"MIBE is faster than TINGe but for one set (Results)", "neither is at hand"}}},
            kDataSets, kTransfers),
        timesOf({.id = "cudami-table-3",
                 .title = "Table 3: times over the order of the splines and the number of bins",
                 .about = "nne 4096_911; 10, 15 and 20 bins (R), of each the orders (k) 3, 4 and 5.",
                 .quick = kQuickNne,
                 .claims = parameterClaims},
                casesOfSplines(kOrders), kWhole),
        timesOf(
            {.id = "cudami-table-4",
             .title = "Table 4 and figure 6: shares of the kernels, and products a second",
             .about = "nne 4096_911, order 3. Of CUDAMI, by the device's clock: kernel 2 (scan), all four, "
                      "kernel 4 (joint). Rates are N² · M · R² / t, as in the paper.",
             .quick = kQuickNne,
             .rateUnit = "GFlop/s",
             .claims = profileClaims,
             .untested = {{"more than 99 % of kernel 4 are joint entropies", "the rest is the same kernel"}}},
            casesOfSplines({kOrders, 1}), kKernels, Work::Products),
        figureOf({.id = "cudami-table-5",
                  .title = "Table 5: networks by ARACNE, TINGe and CARACNE",
                  .about =
                      "250 genes, P = 1e-5, DPI tolerance 0.01; simulated kinetics, not SynTReN's. CARACNE: "
                      "CUDAMI's values, ARACNE's constants. For ARACNE's estimator stand plain bins on "
                      "one thread, for TINGe cpu grouped on ranks with their null distribution, on four.",
                  .quick = "100 genes, two threads",
                  .problems = networkProblems,
                  .rows = networkRows,
                  .claims = networkClaims})};
}

}  // namespace glycine::mutualinfo
